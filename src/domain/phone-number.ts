import { z } from 'zod';

const e164 = /^\+[1-9][0-9]{6,14}$/;
const e164Digits = /^[1-9][0-9]{6,14}$/;

/** A number as the outbound call API writes it: `+12025550100`. Nothing is stripped or guessed. */
export const e164Number = z
  .string()
  .check((context) => {
    if (e164.test(context.value)) return;
    const meant = digitsMeant(context.value);
    context.issues.push({
      code: 'custom',
      message: `must be in E.164 format: + and 7 to 15 digits, first digit not 0${meant ? ` (did you mean "+${meant}"?)` : ''}`,
      input: context.value,
    });
  })
  .meta({ pattern: e164.source, examples: ['+12025550100'] });

/** What is wrong with a number as contacts write it (`12025550100`), or undefined. */
export function contactPhoneFault(value: string): string | undefined {
  if (e164Digits.test(value)) return undefined;
  const meant = digitsMeant(value);
  const rule = 'must be 7 to 15 digits with the country code, first digit not 0, without plus sign or separators';
  if (meant) return `${rule}; did you mean "${meant}"?`;
  if (/^0[1-9][0-9 ().-]+$/.test(value)) return `${rule}; this looks like a national number without its country code`;
  return rule;
}

/** The digits that a near miss such as "+1 (202) 555-0100" or "0044 20…" probably stood for. */
function digitsMeant(value: string): string | undefined {
  const digits = value
    .normalize('NFKC')
    .trim()
    .replace(/^(?:tel:)?\s*\+?/i, '')
    .replace(/[\s().\-/\u2010-\u2015]/g, '')
    .replace(/^00/, '');
  return e164Digits.test(digits) ? digits : undefined;
}

export function isContactPhone(value: string): boolean {
  return e164Digits.test(value);
}

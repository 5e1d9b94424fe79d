import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { heardWords, isNegation, round, trustBeside, type Understood } from './heard-words.ts';
import { digitsIn } from './spoken-digits.ts';

/** A whole number in E.164, or the digits of one that is not whole or not valid where it was said. */
export type SpokenPhone = Understood<string> & { kind: 'number' | 'digits'; extension?: string };

/** "two oh two, five five five, oh one hundred" → +12025550100. */
export function parseSpokenPhone(text: string, options: { region?: CountryCode } = {}): SpokenPhone | undefined {
  const words = heardWords(text.replace(/[()/.-]/g, ' '));
  const split = words.findIndex((word) => word === 'extension' || word === 'ext');
  const main = split < 0 ? words : words.slice(0, split);
  const extension = split < 0 ? undefined : digitsIn(words.slice(split + 1));
  const found = digitsIn(main);
  if (!found || (split >= 0 && !extension)) return undefined;
  const before = main.slice(0, found.at);
  const beside = [...before, ...main.slice(found.end)].filter((word) => !/^(?:\+|plus|area|country|code)$/.test(word));
  if (beside.some(isNegation)) return undefined;
  const international = /^(?:\+|plus)$/.test(before.at(-1) ?? '');
  const trust = found.confidence * trustBeside(beside);
  const extra = extension ? { extension: extension.digits } : {};
  const number = parsePhoneNumberFromString(`${international ? '+' : ''}${found.digits}`, options.region ?? 'US');
  // Numbers kept for films and books are not assigned, so "possible" without "valid" is a wrong digit more often than not.
  if (number?.isValid()) return { kind: 'number', value: number.number, confidence: round(0.98 * trust), ...extra };
  if (found.digits.length < 3) return undefined;
  return { kind: 'digits', value: found.digits, confidence: round(0.5 * trust), ...extra };
}

import { z } from 'zod';

// C0, DEL and C1: none of them belongs in something that is said, and a line break
// would be the first step out of a SIP header.
const controlCharacter = /\p{Cc}/u;
const controlCharacterInLines = /[^\P{Cc}\t\n\r]/u;

/** What is wrong with a text, or undefined. Length counts characters, not UTF-16 units. */
export function textFault(
  value: string,
  min: number,
  max: number,
  options: { lineBreaks?: boolean } = {},
): string | undefined {
  if (value.length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  if (value.length > max && (value.length > 2 * max || [...value].length > max)) {
    return `must have at most ${max} characters`;
  }
  const control = (options.lineBreaks ? controlCharacterInLines : controlCharacter).exec(value);
  if (control) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `must not contain control characters (found U+${code} at position ${control.index})`;
  }
  if (!value.isWellFormed()) return 'must be well-formed Unicode (found half of a surrogate pair)';
  return undefined;
}

/** A string of `min` to `max` characters without control characters. */
export function text(min: number, max: number) {
  return z
    .string()
    .check((context) => {
      const fault = textFault(context.value, min, max);
      if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

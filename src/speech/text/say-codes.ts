import { sayCapitals } from './initialisms.ts';
import { cardinal, digitsApart, digitsInGroups } from './number-words.ts';
import { isPronounceable, lettersApart } from './pronounceable.ts';

const identifier =
  /\b(number|num|no\.|nr\.|order|account|acct|code|pin|passcode|otp|id|invoice|reference|ref|confirmation|ticket|case|policy|tracking|member|customer|card|routing|serial|booking|reservation|zip|ending in|ending with)((?: ?(?:number|code|id|no\.|is|in|#|:|=)){0,3}) ?(#?)(\d[\d -]{1,24}\d|\d{3,24})(?![\w%]|[.,:]\d)/gi;
const alwaysDigits = /^(?:code|pin|passcode|otp|zip|ending in|ending with)$/i;

/** Order numbers, PINs and the like digit by digit. */
export function sayIdentifiers(text: string): string {
  return text
    .replace(
      identifier,
      (whole, name: string, link: string, _hash: string, written: string, at: number, all: string) => {
        const digits = written.replace(/\D/g, '');
        const few = alwaysDigits.test(name) || /\b(?:code|pin)\b/i.test(link) ? 3 : 5;
        const unit = /^ (?:dollars|euros|pounds|people|times|items|units)\b/.test(
          all.slice(at + whole.length, at + whole.length + 10),
        );
        if (digits.length < few || unit || /^\d{4}-\d{2}-\d{2}$/.test(written)) return whole;
        const groups = /[ -]/.test(written)
          ? written.split(/[ -]+/).map(digitsApart).join(', ')
          : digitsInGroups(digits);
        return `${name}${link.replace(/ ?#/, '')} ${groups}`;
      },
    )
    .replace(/#(?=\d)/g, 'number ')
    .replace(/(?<=\bnumber )\d{5,24}(?![\w%]|[.,:]\d)/g, digitsInGroups);
}

/** "AB12-34C" → "A B one two, three four C". */
export function sayCodes(text: string): string {
  return text
    .replace(
      /(?<![\w'-])(?=[A-Za-z\d-]{0,40}\d)(?=[A-Za-z\d-]{0,40}[A-Za-z])[A-Za-z\d]{1,24}(?:-[A-Za-z\d]{1,24}){0,6}(?![\w-])/g,
      sayMixed,
    )
    .replace(/(?<![\w.-])\d{1,12}(?:-\d{1,12}){2,6}(?![\w-])/g, (written) =>
      written.split('-').map(digitsApart).join(', '),
    );
}

function sayMixed(token: string): string {
  // "10-year-old", "5-star", "mid-2026", "21st-century": numbers joined to words, not codes.
  if (/^(?:[a-z]{2,}|\d+(?:st|nd|rd|th)?|[A-Z][a-z]+)(?:-(?:[A-Za-z]?[a-z]+|\d+(?:st|nd|rd|th)?))*$/.test(token)) {
    return token.includes('-') ? token.replace(/(?<=\d)-(?=\d)/g, ' to ').replace(/(?<=[A-Za-z])-(?=\d)/g, ' ') : token;
  }
  if (/^\d+(?:st|nd|rd|th|s)$/i.test(token)) return token;
  const runs = token.match(/[A-Za-z]+|\d+|-/g) ?? [];
  const digitRuns = runs.filter((run) => /\d/.test(run));
  const short = digitRuns.length === 1 && (digitRuns[0]?.length ?? 0) <= 2;
  const said = runs.map((run) => {
    if (run === '-') return short ? '' : ',';
    if (/\d/.test(run)) return short && !run.startsWith('0') ? cardinal(run) : digitsApart(run);
    if (/[a-z]/.test(run)) return run.length > 2 && isPronounceable(run) ? run : lettersApart(run);
    return digitRuns.length > 1 ? lettersApart(run) : sayCapitals(run, false);
  });
  return said
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll(' ,', ',');
}

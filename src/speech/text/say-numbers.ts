import { cardinal, decimal, digitsApart, digitsInGroups, longestQuantity, ordinal, year } from './number-words.ts';

/** A written number without sign; bounded, so that no search through a long run of digits repeats itself. */
export const writtenNumber = String.raw`(?:\d{1,3}(?:,\d{3}){1,4}(?!\d)|\d{1,15})(?:\.\d{1,12})?`;

const yearContext =
  /(?:^|[\s(])(?:in|since|from|until|till|by|of|year|during|before|after|to|circa|through|early|late|mid|between|for|summer|winter|spring|autumn|fall|class|january|february|march|april|may|june|july|august|september|october|november|december),? $/i;
const quantityFollows = /^ ?(?:[a-z]+s\b|percent\b|people\b|men\b|women\b|children\b|feet\b|million\b|thousand\b)/;
const verbsInS = /^ (?:was|is|has|does|as|this|his|its|us|less|unless|versus|perhaps|always|yes)\b/;
const streetFollows =
  /^(?: [NSEW]\.?)?(?: [A-Z][a-z]{1,20}| \d{1,3}(?:st|nd|rd|th)){1,3},? (?:Street|Avenue|Road|Boulevard|Drive|Lane|Court|Place|Way|Parkway|Highway)\b/;
const denominators: Record<string, [string, string]> = {
  2: ['half', 'halves'],
  3: ['third', 'thirds'],
  4: ['quarter', 'quarters'],
  5: ['fifth', 'fifths'],
  6: ['sixth', 'sixths'],
  7: ['seventh', 'sevenths'],
  8: ['eighth', 'eighths'],
  16: ['sixteenth', 'sixteenths'],
};
const decades = [
  'hundreds',
  'tens',
  'twenties',
  'thirties',
  'forties',
  'fifties',
  'sixties',
  'seventies',
  'eighties',
  'nineties',
];

/** "10-12" → "10 to 12", also with percent signs, money and hours on either side; years go to words at once. */
export function openRanges(text: string): string {
  return text
    .replace(/(?<![\d-])(1[1-9]\d\d|20\d\d) ?- ?(1[1-9]\d\d|20\d\d)(?![\d-])/g, (whole, from: string, to: string) =>
      Number(from) < Number(to) ? `${year(Number(from))} to ${year(Number(to))}` : whole,
    )
    .replace(
      /(?<![\w\-/.,:])([$£€¥₹]?\d[\d,.:]{0,12}(?: ?[ap]\.?m\b\.?|%|°[CF]?|[kKM]\b)?) ?- ?(?=[$£€¥₹]?\d[\d,.:]{0,12}(?![\d-]))/gi,
      '$1 to ',
    );
}

export function sayFractions(text: string): string {
  return text
    .replace(/\b24\/7\b/g, 'twenty-four seven')
    .replace(/\b9\/11\b/g, 'nine eleven')
    .replace(
      /(?<![\d/.,])(?:(\d{1,4}) )?(\d{1,3})[/\u2044](\d{1,3})(?![\d/]|\.\d)/g,
      (_, before: string | undefined, top: string, bottom: string) => {
        const said = fraction(top, bottom, before !== undefined);
        return before === undefined ? said.words : `${cardinal(before)} ${said.joins ? 'and ' : ''}${said.words}`;
      },
    );
}

function fraction(top: string, bottom: string, afterWhole: boolean): { words: string; joins: boolean } {
  const parts = denominators[bottom];
  if (parts && Number(top) > 0 && Number(top) < Number(bottom)) {
    if (top === '1') return { words: `${afterWhole || bottom === '2' ? 'a' : 'one'} ${parts[0]}`, joins: true };
    return { words: `${cardinal(top)} ${parts[1]}`, joins: true };
  }
  if ((bottom === '10' || bottom === '100') && Number(top) <= Number(bottom)) {
    return { words: `${cardinal(top)} out of ${cardinal(bottom)}`, joins: false };
  }
  return { words: `${cardinal(top)} over ${cardinal(bottom)}`, joins: false };
}

/** Every number that no other reading has claimed. */
export function sayNumbers(text: string): string {
  return text
    .replace(/(?<!\d)\d{16,}/g, digitsInGroups)
    .replace(/(?<![\w.,])'?(1[1-9]|20)?(\d)0'?s\b/g, sayDecade)
    .replace(/(?<![\w.,])(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:st|nd|rd|th)\b/gi, (_, digits: string) =>
      ordinal(digits.replaceAll(',', '')),
    )
    .replace(/(?<![\w.,])\.(\d{1,12})(?!\d)/g, (_, digits: string) => `zero point ${digitsApart(digits)}`)
    .replace(/(?<![\d.])\d{1,9}(?:\.\d{1,9}){2,}(?![\d.]\d)/g, (version) =>
      version
        .split('.')
        .map((part) => cardinal(part))
        .join(' point '),
    )
    .replace(/(?<=\d),(?=\d{1,2}(?!\d))/g, ', ')
    .replace(new RegExp(`(?<!\\d|\\d[.,])${writtenNumber}(?!\\d)`, 'g'), (written, at: number, whole: string) =>
      sayNumber(
        written,
        whole.slice(Math.max(0, at - 14), at),
        whole.slice(at + written.length, at + written.length + 70),
      ),
    )
    .replace(/\d+/g, digitsApart);
}

function sayDecade(_: string, century: string | undefined, ten: string): string {
  const said = decades[Number(ten)] ?? '';
  if (century === undefined) return Number(ten) < 2 ? `${cardinal(`${ten}0`)}s` : said;
  if (ten === '0') return century === '20' ? 'two thousands' : `${cardinal(century)} hundreds`;
  return `${cardinal(century)} ${said}`;
}

function sayNumber(written: string, before: string, after: string): string {
  if (written.includes(',') || written.includes('.')) return decimal(written);
  if (written.length > 1 && written.startsWith('0')) return digitsInGroups(written);
  if (written.length === 4) {
    if (streetFollows.test(after) && !written.endsWith('00')) return year(Number(written));
    return looksLikeYear(Number(written), before, after) ? year(Number(written)) : cardinal(written);
  }
  if (written.length >= 7 && !written.endsWith('000')) return digitsInGroups(written);
  if (written.length > longestQuantity) return digitsInGroups(written);
  return cardinal(written);
}

function looksLikeYear(value: number, before: string, after: string): boolean {
  if (value < 1100 || value > 2099) return false;
  if (quantityFollows.test(after) && !verbsInS.test(after)) return false;
  return value >= 1900 || yearContext.test(before);
}

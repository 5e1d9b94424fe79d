/** What was understood, and how sure that is: 1 is certain, below 0.5 is a guess to be asked about. */
export interface Understood<T> {
  value: T;
  confidence: number;
}

const fillers = new Set(
  'uh um er erm hmm hm mm ah eh uhm well so okay ok alright please just yeah yes yep sure right thanks'.split(' '),
);
// Words that come around an answer without changing it.
const frame = new Set(
  "it its it's that that's thats is was the a an my mine our i i'm im i'd i'll i've am are be we you your me of would will can could let's lets have has had got there there's say said call called number phone cell mobile telephone email e mail address name code pin zip order account date birthday born on in at by to for with think guess like want need make how about do works work fine good great best time back reach try and then sir ma'am hi hello hey thank you one second sec moment hold".split(
    ' ',
  ),
);
const corrections = new Set([
  'no',
  'sorry',
  'actually',
  'wait',
  'rather',
  'mean',
  'oops',
  'correction',
  'instead',
  'scratch',
]);
const negations = new Set(
  "not never don't dont can't cant cannot won't wont isn't isnt aren't wasn't doesn't didn't couldn't shouldn't except unless without neither nor hardly".split(
    ' ',
  ),
);

// A minute of talk. More than that is a story with many numbers and days in it, not an answer.
const longestAnswer = 1000;

export function isTooLong(text: string): boolean {
  return text.length > longestAnswer;
}

/** Lower-case words, none of a text that is too long; numbers keep their point and colon ("3.5", "2:30"), hyphens and commas come apart. */
export function heardWords(text: string): string[] {
  if (isTooLong(text)) return [];
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replace(/(?<![\d\w])-(?=\d)/g, ' minus ')
    .replace(/(?<=\d)(?=(?:am|pm|k|m|bn|grand|%)\b|%)/g, ' ')
    .replace(/([$£€¥₹%+@#&=/])/g, ' $1 ')
    .replace(/(?<!\d)[.:]|[.:](?!\d)/g, ' ')
    .replace(/[^\p{L}\p{N}'.:$£€¥₹%+@#&=/]+/gu, ' ')
    .split(' ')
    .map((word) => word.replace(/^'+|'+$/g, ''))
    .filter((word) => word !== '');
}

export function isFiller(word: string): boolean {
  return fillers.has(word);
}

export function isCorrection(word: string): boolean {
  return corrections.has(word);
}

export function isNegation(word: string): boolean {
  return negations.has(word);
}

/** How much the words around an answer leave it standing: 1 with none or harmless ones, less with each stranger. */
export function trustBeside(words: readonly string[]): number {
  const strangers = words.filter((word) => !fillers.has(word) && !frame.has(word) && !corrections.has(word)).length;
  return Math.max(0.4, 1 - 0.08 * strangers);
}

/** Two decimals are more than a confidence knows. */
export function round(confidence: number): number {
  return Math.round(Math.min(1, Math.max(0, confidence)) * 100) / 100;
}

/** Words after which a sentence goes on. */
const openEnds = new Set(
  (
    'a an the and or but so because if when while that which who with without of to in on at by for from as about ' +
    'into than then my your his her our their its this these those some any is are was were am be been will would ' +
    "can could should do does did have has had i'm i we we're they you it's it not very really just like um uh er " +
    'erm hmm well maybe also plus'
  ).split(' '),
);
/** Said alone these are whole answers. */
const wholeAnswers = new Set('i do|i am|we are|we do|it is|they are|maybe|well|i did|i have|i would|i will'.split('|'));

export const finishedMs = 200;
const openMs = 1_000;
const unfinishedMs = 600;
const dictatingMs = 800;
const unclearMs = 450;
const unclearConfidence = 0.45;

/** How long a pause must be to end an utterance, from what was understood of it. */
export function patienceMs(text: string, confidence: number): number {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const last = words.at(-1);
  if (last === undefined) return unclearMs;
  const isWhole = wholeAnswers.has(words.slice(-2).join(' ')) || (words.length === 1 && wholeAnswers.has(last));
  if (openEnds.has(last) && !isWhole) return openMs;
  if (/(?:\.\.|…|[-,;:])["']?$/.test(text)) return unfinishedMs;
  if (isDictating(words)) return dictatingMs;
  if (confidence < unclearConfidence) return unclearMs;
  return /[.?!]["']?$/.test(text) ? finishedMs : unfinishedMs;
}

const digitWords = new Set('zero oh one two three four five six seven eight nine double triple'.split(' '));

/** Somebody who gives a number or spells a name pauses between the groups. */
function isDictating(words: string[]): boolean {
  const tail = words.slice(-3);
  const isSpelling = tail.length === 3 && tail.every((word) => word.length === 1 && word !== 'i' && word !== 'a');
  const digits = words.reduce(
    (count, word) => count + (/^\d+$/.test(word) ? word.length : digitWords.has(word) ? 1 : 0),
    0,
  );
  const last = words.at(-1) ?? '';
  const isCounting = /^\d+$/.test(last) || digitWords.has(last);
  return isSpelling || (isCounting && digits >= 3 && digits < 10);
}

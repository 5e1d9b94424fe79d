/** Words after which a sentence goes on; the model writes a full stop behind them all the same. */
const openEnds = new Set(
  (
    'a an the and or but because if when while which with without of to at by for from as into than my your his ' +
    "our their its is are was were am be will would can could should i i'm i'd i'll we we're they he she um uh er " +
    'erm hmm like plus maybe well'
  ).split(' '),
);
/** Two words that make a sentence whole although the last one alone would not. */
const wholeEnds =
  /\b(?:(?:it|that|this|he|she|there|here) (?:is|was)|(?:we|you|they|there) (?:are|were)|(?:i|we) (?:am|would|will|can|could|should)|(?:used|want) to)$/;

export const finishedMs = 200;
const openMs = 1_000;
const unfinishedMs = 450;
const dictatingMs = 800;
const unclearMs = 400;
const unclearConfidence = 0.45;

/** How long a pause must be to end an utterance, from what was understood of it. */
export function patienceMs(text: string, confidence: number): number {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const last = words.at(-1);
  if (last === undefined) return unclearMs;
  if (/\?["']?$/.test(text)) return finishedMs;
  if (openEnds.has(last) && !isWhole(words)) return openMs;
  if (/(?:\.\.|…|[-,;:])["']?$/.test(text)) return unfinishedMs;
  if (isDictating(words)) return dictatingMs;
  if (confidence < unclearConfidence) return unclearMs;
  return /[.?!]["']?$/.test(text) ? finishedMs : unfinishedMs;
}

function isWhole(words: string[]): boolean {
  const end = words.slice(-2).join(' ');
  if (/^(?:maybe|well)$/.test(words.at(-1) ?? '')) return words.length === 1;
  return wholeEnds.test(end);
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

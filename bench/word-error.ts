import { speakable } from '../src/speech/text/speakable.ts';

export interface WordErrors {
  words: number;
  errors: number;
}

/** Substitutions, deletions and insertions, after both texts are written as they are said. */
export function wordErrors(expected: string, heard: string): WordErrors {
  const { words, errors } = alignment(expected, heard);
  return { words, errors: errors.at(-1) ?? 0 };
}

/** The same, of what was expected at the beginning of something longer. */
export function wordErrorsAtBeginning(expected: string, heard: string): WordErrors {
  const { words, errors } = alignment(expected, heard);
  return { words, errors: Math.min(...errors) };
}

/** `errors`: beside the first word that was heard, the first two, and so on; at the front beside none. */
function alignment(expected: string, heard: string): { words: number; errors: number[] } {
  const reference = spokenWords(expected);
  const hypothesis = spokenWords(heard.replace(/\b[A-Z]{2,}\b/g, (word) => asWord(word, reference)));
  let previous = hypothesis.map((_, index) => index + 1);
  previous.unshift(0);
  for (const [row, word] of reference.entries()) {
    const current = [row + 1];
    for (const [column, other] of hypothesis.entries()) {
      const substituted = (previous[column] as number) + (word === other ? 0 : 1);
      current.push(Math.min(substituted, (previous[column + 1] as number) + 1, (current[column] as number) + 1));
    }
    previous = current;
  }
  return { words: reference.length, errors: previous };
}

/** "ADA" is the name where the name was said, not three letters. */
function asWord(capitals: string, reference: string[]): string {
  const word = capitals.toLowerCase();
  return reference.includes(word) ? word : capitals;
}

/** Spellings that sound the same and mean the same. */
const sameWords: Record<string, string> = { ok: 'okay', mister: 'mr', neighbour: 'neighbor', cancelled: 'canceled' };

export function spokenWords(text: string): string[] {
  const words = speakable(text.replace(/\b(good|to)-(bye?|morrow|day|night)\b/gi, '$1$2'))
    .toLowerCase()
    .replace(/goodby\b/g, 'goodbye')
    .match(/[a-z0-9']+/g);
  return (words ?? []).map((word) => sameWords[word] ?? word);
}

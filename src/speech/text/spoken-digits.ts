import { heardWords, isCorrection, isNegation, round, trustBeside, type Understood } from './heard-words.ts';
import { chunkAt, digitOf, numberAt } from './spoken-number.ts';

const separators = new Set('dash hyphen minus space dot point period comma and then slash'.split(' '));
const repeats: Record<string, number> = { double: 2, triple: 3, treble: 3, quadruple: 4 };
const soundalikes: Record<string, string> = {
  to: '2',
  too: '2',
  for: '4',
  fore: '4',
  ate: '8',
  won: '1',
  tree: '3',
  sex: '6',
};

interface Run {
  digits: string;
  length: number;
  sure: number;
}

/** "double five", "oh", "42", "forty two", "eight hundred": the digits that begin at this word. */
function runAt(words: readonly string[], at: number): Run | undefined {
  const word = words[at] ?? '';
  const repeat = repeats[word];
  if (repeat !== undefined) {
    const digit = digitOf(words[at + 1]);
    return digit === undefined ? undefined : { digits: String(digit).repeat(repeat), length: 2, sure: 1 };
  }
  if (/^\d+$/.test(word)) {
    const scaled = /^(?:hundred|thousand)$/.test(words[at + 1] ?? '') ? numberAt(words, at) : undefined;
    return scaled
      ? { digits: String(scaled.value), length: scaled.length, sure: 0.85 }
      : { digits: word, length: 1, sure: 1 };
  }
  if (/^\d+(?:[.:]\d+)+$/.test(word)) return { digits: word.replace(/\D/g, ''), length: 1, sure: 0.9 };
  const chunk = chunkAt(words, at);
  const scale = words[at + (chunk?.length ?? 1)];
  if (chunk && !chunk.ordinal && (scale === 'hundred' || scale === 'thousand')) {
    const zeros = scale === 'hundred' ? '00' : '000';
    const bare = { digits: `${chunk.value}${zeros}`, length: chunk.length + 1, sure: 0.85 };
    // "eight hundred five five five": the hundred was one group of digits and the fives are the next.
    if (digitOf(words[at + bare.length]) !== undefined && digitOf(words[at + bare.length + 1]) !== undefined)
      return bare;
    const number = numberAt(words, at);
    if (number && number.style === 'plain') return { digits: String(number.value), length: number.length, sure: 0.85 };
  }
  const digit = digitOf(word);
  if (digit !== undefined) return { digits: String(digit), length: 1, sure: 1 };
  if (!chunk || chunk.ordinal) return undefined;
  return { digits: String(chunk.value), length: chunk.length, sure: chunk.length === 2 ? 0.95 : 0.9 };
}

export interface DigitsHeard {
  digits: string;
  at: number;
  end: number;
  confidence: number;
}

/** The one string of digits among these words; undefined where other words break it up. */
export function digitsIn(words: readonly string[]): DigitsHeard | undefined {
  const groups: { digits: string; at: number; end: number; sure: number }[] = [];
  let at = 0;
  while (at < words.length) {
    const last = groups.at(-1);
    const run = runAt(words, at) ?? soundalikeAt(words, at, last?.end === at);
    if (!run) {
      at += 1;
      continue;
    }
    const gap = last === undefined ? [] : words.slice(last.end, at);
    if (last !== undefined && gap.every((word) => separators.has(word))) {
      last.digits += run.digits;
      last.end = at + run.length;
      last.sure *= run.sure;
    } else {
      groups.push({ digits: run.digits, at, end: at + run.length, sure: run.sure });
    }
    at += run.length;
  }
  const first = groups[0];
  const last = groups.at(-1);
  if (!first || !last) return undefined;
  if (groups.length === 1) return { digits: first.digits, at: first.at, end: first.end, confidence: first.sure };
  const between = words.slice(first.end, last.at);
  if (groups.length === 2 && between.some(isCorrection) && last.digits.length >= first.digits.length) {
    return { digits: last.digits, at: last.at, end: last.end, confidence: last.sure * 0.6 };
  }
  return undefined;
}

/** "for" and "to" are digits between digits, or at the end of at least two. */
function soundalikeAt(words: readonly string[], at: number, afterDigits: boolean): Run | undefined {
  const digit = soundalikes[words[at] ?? ''];
  if (digit === undefined || !afterDigits) return undefined;
  const next = words[at + 1];
  const framed = next === undefined ? digitOf(words[at - 2]) !== undefined : runAt(words, at + 1) !== undefined;
  return framed ? { digits: digit, length: 1, sure: 0.75 } : undefined;
}

/** "Double five, oh, one" → "5501". `length` refuses any other number of digits. */
export function parseSpokenDigits(text: string, options: { length?: number } = {}): Understood<string> | undefined {
  const words = heardWords(text);
  const found = digitsIn(words);
  if (!found) return undefined;
  if (options.length !== undefined && found.digits.length !== options.length) return undefined;
  const beside = [...words.slice(0, found.at), ...words.slice(found.end)];
  if (beside.some(isNegation)) return undefined;
  return { value: found.digits, confidence: round(found.confidence * trustBeside(beside)) };
}

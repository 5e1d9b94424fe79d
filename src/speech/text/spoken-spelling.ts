import { heardWords, isNegation, round, trustBeside, type Understood } from './heard-words.ts';
import { digitOf } from './spoken-number.ts';

const alphabet =
  'alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu'.split(
    ' ',
  );
const telephoneAlphabet = new Map(alphabet.map((word) => [word, word.charAt(0)]));
// How recognizers write the names of letters. Only read inside a run of letters.
const letterNames: Record<string, string> = {
  ay: 'a',
  bee: 'b',
  be: 'b',
  see: 'c',
  sea: 'c',
  dee: 'd',
  ee: 'e',
  ef: 'f',
  eff: 'f',
  gee: 'g',
  aitch: 'h',
  eye: 'i',
  jay: 'j',
  kay: 'k',
  el: 'l',
  ell: 'l',
  em: 'm',
  en: 'n',
  oh: 'o',
  pee: 'p',
  cue: 'q',
  queue: 'q',
  are: 'r',
  ar: 'r',
  ess: 's',
  tea: 't',
  tee: 't',
  you: 'u',
  vee: 'v',
  ex: 'x',
  why: 'y',
  zee: 'z',
  zed: 'z',
};
const signs: Record<string, string> = { dash: '-', hyphen: '-', apostrophe: "'", space: ' ' };
const repeats: Record<string, number> = { double: 2, triple: 3 };

export interface Letters {
  text: string;
  length: number;
  sure: number;
}

/** One spelled sign at this word: "j", "J as in Juliet", "b for bravo", "tango", "double l", "w" as "double u". */
export function letterAt(words: readonly string[], at: number, insideRun: boolean): Letters | undefined {
  const word = words[at] ?? '';
  if (word === 'capital' || word === 'uppercase' || word === 'lowercase') {
    const next = letterAt(words, at + 1, insideRun);
    return next && { ...next, length: next.length + 1 };
  }
  if (word === 'double' && /^(?:u|you)$/.test(words[at + 1] ?? '')) return { text: 'w', length: 2, sure: 0.9 };
  const repeat = repeats[word];
  if (repeat !== undefined) {
    const next = letterAt(words, at + 1, true);
    return next && { ...next, text: next.text.repeat(repeat), length: next.length + 1 };
  }
  if (word === 'x' && words[at + 1] === 'ray') return { text: 'x', length: 2, sure: 1 };
  const letter = /^[a-z]$/.test(word) ? word : insideRun ? letterNames[word] : undefined;
  if (letter !== undefined) {
    const example = exampleAt(words, at + 1);
    if (example) {
      // The example is easier to hear than the letter: "be as in bravo", "m as in november" is an n.
      const meant = example.word.charAt(0);
      return { text: meant, length: 1 + example.length, sure: meant === letter ? 1 : 0.7 };
    }
    return { text: letter, length: 1, sure: word.length === 1 ? 1 : 0.8 };
  }
  const named = telephoneAlphabet.get(word);
  return named === undefined ? undefined : { text: named, length: 1, sure: 1 };
}

function exampleAt(words: readonly string[], at: number): { word: string; length: number } | undefined {
  const link = /^(?:as in|for|like|is for) ([a-z]{3,})\b/.exec(words.slice(at, at + 3).join(' '));
  if (!link) return undefined;
  return { word: link[1] ?? '', length: link[0].split(' ').length };
}

/** "S M I T H", "Sierra Mike India", "S as in Sam, M…" → "SMITH". A word that stands beside its spelling confirms it. */
export function parseSpokenSpelling(text: string): Understood<string> | undefined {
  const words = heardWords(text.replace(/[-.]/g, ' '));
  let best: { at: number; end: number; text: string; sure: number } | undefined;
  let at = 0;
  while (at < words.length) {
    const run = spellingAt(words, at);
    if (run && (!best || run.text.length > best.text.length)) best = { at, ...run };
    at = run ? run.end : at + 1;
  }
  if (!best || best.text.length < 2) return undefined;
  const beside = [...words.slice(0, best.at), ...words.slice(best.end)];
  if (beside.some(isNegation)) return undefined;
  const confirmed = beside.includes(best.text.replace(/[^a-z]/g, ''));
  const others = beside.filter(
    (word) => !/^(?:spelled|spelt|spell|capital|last|first|name|letters?)$/.test(word) && word !== best.text,
  );
  const trust = confirmed ? 1 : trustBeside(others);
  return {
    value: best.text.toUpperCase(),
    confidence: round(best.sure * trust * (best.text.length === 2 && !confirmed ? 0.8 : 1)),
  };
}

function spellingAt(words: readonly string[], start: number): { end: number; text: string; sure: number } | undefined {
  let text = '';
  let sure = 1;
  let at = start;
  for (;;) {
    const word = words[at] ?? '';
    // "I" and "a" open sentences; a spelling that begins with one of them goes on with letters.
    if (text === '' && /^[ia]$/.test(word) && !letterAt(words, at + 1, true) && !exampleAt(words, at + 1))
      return undefined;
    const letter = letterAt(words, at, text !== '');
    const digit = text === '' ? undefined : /^\d+$/.test(word) ? word : digitOf(word);
    const sign = text !== '' && letterAt(words, at + 1, true) ? signs[word] : undefined;
    const next = letter?.text ?? sign ?? (digit === undefined ? undefined : String(digit));
    if (next === undefined) break;
    text += next;
    sure = Math.min(sure, letter?.sure ?? 1);
    at += letter?.length ?? 1;
  }
  return text === '' ? undefined : { end: at, text, sure };
}

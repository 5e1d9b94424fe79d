import { isNegation, isTooLong, round, type Understood } from './heard-words.ts';
import { chunkAt, digitOf } from './spoken-number.ts';
import { letterAt } from './spoken-spelling.ts';

const signs: Record<string, string> = {
  dot: '.',
  point: '.',
  period: '.',
  underscore: '_',
  dash: '-',
  hyphen: '-',
  minus: '-',
  plus: '+',
  '.': '.',
  _: '_',
  '-': '-',
  '+': '+',
};
const knownDomains: Record<string, string> = {
  gmail: 'gmail.com',
  'g mail': 'gmail.com',
  'gee mail': 'gmail.com',
  googlemail: 'googlemail.com',
  yahoo: 'yahoo.com',
  hotmail: 'hotmail.com',
  'hot mail': 'hotmail.com',
  outlook: 'outlook.com',
  icloud: 'icloud.com',
  'i cloud': 'icloud.com',
  aol: 'aol.com',
  'a o l': 'aol.com',
  protonmail: 'protonmail.com',
};
const topLevel =
  /^(?:com|org|net|edu|gov|mil|info|biz|io|ai|co|us|uk|ca|de|fr|es|it|nl|be|ch|at|eu|au|nz|ie|in|app|dev|me|tv|[a-z]{2,10})$/;
const commonTopLevel = /^(?:com|org|net|edu|gov|info|biz|io|ai|co|us|uk|ca|de|fr|es|nl|ch|eu|au|nz|ie|app|dev|me)$/;
const leadIn =
  /^(?:(?:uh|um|er|well|so|okay|ok|sure|yes|yeah|yep|of course|it's|its|it is|that's|that is|that would be|it would be|this is|my|the|our|e-?mail|e mail|address|mail|is|would be|you can|reach|send|write|to|me|us|at|use|please|i'm|i am|try|contact|just)[ ,:]+)+/;
const lastWords =
  /[ ,]+(?:please|thanks|thank you|that's it|that's all|all lower ?case|all one word|one word|lower ?case|no spaces|okay|ok)$/;

/** "john dot smith at gmail dot com", "J O H N at gmail.com" → an address, in lower case. */
export function parseSpokenEmail(text: string): Understood<string> | undefined {
  if (isTooLong(text)) return undefined;
  const heard = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[?!]|[.,;:](?=\s|$)/g, ' ')
    .replace(/(?<![a-z0-9])[a-z](?:-[a-z])+(?![a-z0-9-])/g, (letters) => letters.replaceAll('-', ' '))
    .replace(/\bat sign\b|\bat symbol\b/g, '@')
    .replace(/\s+/g, ' ')
    .trim();
  const words = dropped(heard)
    .replace(/@/g, ' @ ')
    .replace(/(?<=[a-z0-9])([._+-])(?=[a-z0-9])/g, ' $1 ')
    .replace(/(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])/g, ' ')
    .replace(/[^a-z0-9@._+' -]+/g, ' ')
    .split(' ')
    .filter((word) => word !== '' && word !== ',');
  if (words.some(isNegation)) return undefined;
  const ats = words.flatMap((word, index) => (word === '@' ? [index] : []));
  const spokenAts = words.flatMap((word, index) => (word === 'at' ? [index] : []));
  // "you can reach me at john at gmail dot com": the last one is the sign.
  const at = ats.length === 1 ? ats[0] : ats.length === 0 ? spokenAts.at(-1) : undefined;
  if (at === undefined || at === 0) return undefined;
  const localWords = words.slice(0, at);
  const earlier = localWords.lastIndexOf('at');
  if (earlier === localWords.length - 1) return undefined;
  const local = joined(earlier >= 0 ? localWords.slice(earlier + 1) : localWords);
  const domain = domainOf(words.slice(at + 1));
  if (!local || !domain) return undefined;
  const value = `${local.text}@${domain.text}`;
  if (!/^[a-z0-9](?:[._+-]?[a-z0-9])*@[a-z0-9](?:-?[a-z0-9])*(?:\.[a-z0-9](?:-?[a-z0-9])*)*\.[a-z]{2,10}$/.test(value))
    return undefined;
  const doubt = earlier >= 0 && ats.length === 0 ? 0.7 : 1;
  return { value, confidence: round(local.sure * domain.sure * doubt) };
}

function dropped(heard: string): string {
  let rest = heard;
  const lead = leadIn.exec(`${rest} `);
  // "at" alone ends every lead-in, but must not be the address's own.
  if (lead && lead[0].length < rest.length) rest = rest.slice(lead[0].length);
  for (let tail = lastWords.exec(rest); tail; tail = lastWords.exec(rest)) rest = rest.slice(0, tail.index);
  return rest;
}

/** Words run together as an address does it; every word after the first that was not spelled is a doubt. */
function joined(words: readonly string[]): { text: string; sure: number } | undefined {
  let text = '';
  let sure = 1;
  let afterWord = false;
  // A word that was not spelled may be written otherwise: Jon, John.
  let guessed = false;
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    const sign = signs[word];
    const digits = sign === undefined ? digitsAt(words, at) : undefined;
    const letter = sign === undefined && !digits ? letterOf(words, at) : undefined;
    if (sign !== undefined) {
      text += sign;
      at += 1;
      afterWord = false;
    } else if (digits) {
      text += digits.text;
      sure *= digits.sure;
      at += digits.length;
      afterWord = false;
    } else if (letter) {
      text += letter.text;
      sure *= letter.sure;
      at += letter.length;
      afterWord = false;
    } else {
      text += word.replaceAll("'", '');
      if (afterWord) sure *= 0.7;
      if (!guessed) sure *= 0.95;
      guessed = true;
      if (/^(?:and|the|is|my|it|or|to|for|with)$/.test(word)) sure *= 0.6;
      at += 1;
      afterWord = true;
    }
  }
  return text === '' ? undefined : { text, sure };
}

/** A letter name such as "see" is a letter only between letters; a word of the alphabet needs a second one beside it. */
function letterOf(words: readonly string[], at: number): { text: string; length: number; sure: number } | undefined {
  const before = words[at - 1] ?? '';
  const after = words[at + 1] ?? '';
  const insideRun = /^[a-z]$/.test(before) && (/^[a-z]$/.test(after) || after === '');
  const letter = letterAt(words, at, insideRun);
  if (!letter) return undefined;
  const word = words[at] ?? '';
  if (word.length === 1 || letter.length > 1) return letter;
  const neighbours = letterAt(words, at + 1, false) ?? (at > 0 ? letterAt(words, at - 1, false) : undefined);
  return neighbours ? { ...letter, sure: letter.sure * 0.9 } : undefined;
}

function digitsAt(words: readonly string[], at: number): { text: string; length: number; sure: number } | undefined {
  const word = words[at] ?? '';
  if (/^\d+$/.test(word)) return { text: word, length: 1, sure: 1 };
  if (word === 'double' || word === 'triple') {
    const digit = digitOf(words[at + 1]);
    return digit === undefined || words[at + 1] === 'o'
      ? undefined
      : { text: String(digit).repeat(word === 'double' ? 2 : 3), length: 2, sure: 1 };
  }
  const beside = [words[at - 1], words[at + 1]].some(
    (other) => other !== undefined && other !== 'oh' && other !== 'o' && digitOf(other) !== undefined,
  );
  const digit = word === 'o' || (word === 'oh' && !beside) ? undefined : digitOf(word);
  if (digit !== undefined) return { text: String(digit), length: 1, sure: 0.95 };
  const chunk = chunkAt(words, at);
  return chunk && !chunk.ordinal ? { text: String(chunk.value), length: chunk.length, sure: 0.9 } : undefined;
}

function domainOf(words: readonly string[]): { text: string; sure: number } | undefined {
  const said = words.join(' ');
  const known = knownDomains[said];
  if (known) return { text: known, sure: 0.6 };
  const labels: string[][] = [[]];
  for (const word of words) {
    if (signs[word] === '.') labels.push([]);
    else labels.at(-1)?.push(word);
  }
  if (labels.length < 2) return undefined;
  const last = labels.at(-1) ?? [];
  const top = last.every((word) => word.length === 1) ? last.join('') : last.length === 1 ? (last[0] ?? '') : '';
  if (!topLevel.test(top)) return undefined;
  let sure = commonTopLevel.test(top) ? 1 : 0.6;
  const parts: string[] = [];
  for (const label of labels.slice(0, -1)) {
    const spelledKnown = knownDomains[label.join(' ')];
    const part =
      spelledKnown && labels.length === 2 ? { text: spelledKnown.split('.')[0] ?? '', sure: 0.95 } : joined(label);
    if (!part || !/^[a-z0-9-]+$/.test(part.text)) return undefined;
    sure *= part.sure;
    parts.push(part.text);
  }
  const name = parts.at(-1) ?? '';
  if (knownDomains[name] === `${name}.${top}`) sure = Math.max(sure, 0.95);
  return { text: [...parts, top].join('.'), sure };
}

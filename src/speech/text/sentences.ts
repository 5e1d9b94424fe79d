import { sentenceStarters } from './initialisms.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const abbreviation =
  /(?:^|[\s("'])(?:Mr|Mrs|Ms|Dr|Prof|Rev|Gen|Sgt|Capt|Lt|Col|Gov|Sen|Rep|Hon|St|Mt|Ft|Messrs|vs|approx|e\.g|i\.e|eg|ie|cf|Apt|Ste|dept|Dept|ext|Ext|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.["')]?$/;
const numberAbbreviation = /(?:^|[\s("'])[Nn]os?\.$/;
const initial = /(?:^|[\s("'.])(?:[A-HJ-Z]\.)+$/;
const initialContext = /(?:^|[.!?,:]\s|[A-Z][a-z']+\s|[A-Z]\.\s?)(?:[A-HJ-Z]\.)+$/;
const continues = /^["'(]?(?:[a-z]|\d)/;

// One sentence of this length takes about twelve seconds to say; the first sound should not wait for it all.
const longest = 200;
const shortest = 40;

/** The sentences of a text, to be spoken one by one; joined with spaces they are the text again. */
export function sentences(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let end = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    if (index > start && isBoundary(text.slice(Math.max(start, index - 60), index), segment)) {
      found.push(text.slice(start, index));
      start = index;
    }
    end = index + segment.length;
  }
  found.push(text.slice(start, end));
  return found
    .map((sentence) => sentence.trim().replace(/\s+/g, ' '))
    .filter((sentence) => sentence !== '')
    .flatMap(splitLong);
}

function isBoundary(before: string, after: string): boolean {
  if (!/\s/.test(before.slice(-1))) return false;
  const ending = before.trimEnd();
  if (ending === '' || !/[\p{L}\p{N}]/u.test(after)) return false;
  if (/\n\s*\n\s*$/.test(before)) return true;
  if (abbreviation.test(ending) || (numberAbbreviation.test(ending) && /^\d/.test(after))) return false;
  if (/[.!?]["']$/.test(ending) && /^[a-z]/.test(after)) return false;
  if (/[.…]["')]?$/.test(ending) && continues.test(after) && !/[a-z]{3}\.["')]?$/.test(ending)) return false;
  if (initial.test(ending) && initialContext.test(ending) && /^[A-Z][a-z.]/.test(after))
    return sentenceStarters.test(after);
  return /[.!?…:;]["')\]]*$/.test(ending) || /\n\s*$/.test(before);
}

function splitLong(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > longest) {
    const at = splitPoint(rest);
    if (at === undefined) break;
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  parts.push(rest);
  return parts;
}

/** The best place for a breath: after a semicolon, a comma, before a conjunction, at any space. */
function splitPoint(sentence: string): number | undefined {
  const head = sentence.slice(0, longest);
  for (const place of [
    /[;:]["')]? /g,
    /[^\d],["')]? |, (?=\D)/g,
    / (?=(?:and|but|or|so|because|which|that|when|while|if|until|although|then|where|who|before|after)\b)/g,
    / /g,
  ]) {
    let at: number | undefined;
    for (const match of head.matchAll(place)) {
      const end = match.index + match[0].length;
      if (end >= shortest && sentence.length - end >= 10) at = end;
    }
    if (at !== undefined) return at;
  }
  const space = sentence.indexOf(' ', longest);
  return space < 0 ? undefined : space + 1;
}

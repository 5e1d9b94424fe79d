import { heardWords, isCorrection, isFiller, isNegation, round, trustBeside, type Understood } from './heard-words.ts';

const units: Record<string, number> = {
  zero: 0,
  nought: 0,
  naught: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  niner: 9,
};
const teens: Record<string, number> = {
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
};
const tens: Record<string, number> = {
  twenty: 20,
  thirty: 30,
  forty: 40,
  fourty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
const ordinals: Record<string, number> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
  thirteenth: 13,
  fourteenth: 14,
  fifteenth: 15,
  sixteenth: 16,
  seventeenth: 17,
  eighteenth: 18,
  nineteenth: 19,
  twentieth: 20,
  thirtieth: 30,
  fortieth: 40,
  fiftieth: 50,
  sixtieth: 60,
  seventieth: 70,
  eightieth: 80,
  ninetieth: 90,
};
const scales: Record<string, number> = {
  thousand: 1e3,
  k: 1e3,
  grand: 1e3,
  million: 1e6,
  m: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  quadrillion: 1e15,
};
const ordinalScales: Record<string, number> = { hundredth: 100, thousandth: 1e3, millionth: 1e6 };

/** The digit that one word says, also "oh"; undefined for everything else. */
export function digitOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  if (word === 'oh' || word === 'o') return 0;
  return /^\d$/.test(word) ? Number(word) : units[word];
}

export interface Chunk {
  value: number;
  length: number;
  ordinal: boolean;
}

/** A number below one hundred: "forty two", "nineteen", "fifth", "21st", "7". */
export function chunkAt(words: readonly string[], at: number): Chunk | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const written = /^(\d{1,2})(st|nd|rd|th)?$/.exec(word);
  if (written) return { value: Number(written[1]), length: 1, ordinal: written[2] !== undefined };
  const ten = tens[word];
  const next = words[at + 1] ?? '';
  if (ten !== undefined) {
    const unit = units[next];
    if (unit !== undefined && unit > 0) return { value: ten + unit, length: 2, ordinal: false };
    const last = ordinals[next];
    if (last !== undefined && last < 10) return { value: ten + last, length: 2, ordinal: true };
    return { value: ten, length: 1, ordinal: false };
  }
  const plain = units[word] ?? teens[word];
  if (plain !== undefined) return { value: plain, length: 1, ordinal: false };
  const ordered = ordinals[word];
  return ordered === undefined ? undefined : { value: ordered, length: 1, ordinal: true };
}

export interface NumberHeard {
  at: number;
  length: number;
  value: number;
  ordinal: boolean;
  /** `pairs` is "nineteen eighty five", `digits` is "five five five": most likely one number, not surely. */
  style: 'plain' | 'pairs' | 'digits' | 'written';
}

/** The longest number that begins at this word. */
export function numberAt(words: readonly string[], at: number): NumberHeard | undefined {
  const first = words[at];
  if (first === 'minus' || first === 'negative') {
    const positive = numberAt(words, at + 1);
    if (!positive || positive.ordinal || positive.value < 0) return undefined;
    return { ...positive, at, length: positive.length + 1, value: -positive.value };
  }
  const special = fractionAt(words, at) ?? digitsAt(words, at);
  if (special) return special;
  const whole = cardinalAt(words, at);
  return whole ? (pairAt(words, at) ?? withFraction(words, whole)) : undefined;
}

function fractionAt(words: readonly string[], at: number): NumberHeard | undefined {
  const text = words.slice(at, at + 4).join(' ');
  const half = /^half (?:a|of a) (dozen|hundred|thousand|million|billion)\b/.exec(text);
  if (half) {
    const base = half[1] === 'dozen' ? 12 : half[1] === 'hundred' ? 100 : (scales[half[1] ?? ''] ?? 1);
    return { at, length: half[0].split(' ').length, value: base / 2, ordinal: false, style: 'plain' };
  }
  const part = /^(?:(?:a |one )?(half|quarter|third)|(two thirds|three quarters))\b/.exec(text);
  if (!part || (part[1] === 'third' && !/^(?:a|one) /.test(text))) return undefined;
  const value = { half: 0.5, quarter: 0.25, third: 1 / 3, 'two thirds': 2 / 3, 'three quarters': 0.75 }[
    part[1] ?? part[2] ?? ''
  ];
  if (value === undefined) return undefined;
  return { at, length: part[0].split(' ').length, value, ordinal: false, style: 'plain' };
}

/** "five five five", "two oh two": at least two single digits in a row, and no larger number at their end. */
function digitsAt(words: readonly string[], at: number): NumberHeard | undefined {
  let digits = '';
  let end = at;
  for (
    let digit = spokenDigit(words, end);
    digit !== undefined && digits.length < 16;
    digit = spokenDigit(words, end)
  ) {
    digits += String(digit);
    end += 1;
  }
  const next = words[end] ?? '';
  if (digits.length < 2 || digits.length > 15) return undefined;
  if (next === 'point' || scales[next] !== undefined || next === 'hundred' || chunkAt(words, end)) return undefined;
  return { at, length: end - at, value: Number(digits), ordinal: false, style: 'digits' };
}

function spokenDigit(words: readonly string[], at: number): number | undefined {
  const word = words[at];
  if (word === undefined || /^\d/.test(word)) return undefined;
  return digitOf(word);
}

function cardinalAt(words: readonly string[], at: number): NumberHeard | undefined {
  const word = words[at] ?? '';
  const written = /^\d+(?:\.\d+)?$/.test(word);
  if (written && word.length > 2) {
    const scale = scales[words[at + 1] ?? ''] ?? (words[at + 1] === 'hundred' ? 100 : undefined);
    const value = Number(word) * (scale ?? 1);
    return { at, length: scale ? 2 : 1, value, ordinal: false, style: 'written' };
  }
  const ordered = /^(\d{3,15})(?:st|nd|rd|th)$/.exec(word);
  if (ordered) return { at, length: 1, value: Number(ordered[1]), ordinal: true, style: 'written' };
  let total = 0;
  let end = at;
  let ordinal = false;
  let ceiling = Number.POSITIVE_INFINITY;
  while (!ordinal) {
    const start = end > at && words[end] === 'and' ? end + 1 : end;
    const group = groupAt(words, start, end === at);
    if (!group || group.value >= ceiling) break;
    const scale = scales[words[start + group.length] ?? ''];
    const ordinalScale = ordinalScales[words[start + group.length] ?? ''];
    if (scale !== undefined && scale < ceiling && !group.ordinal) {
      total += group.value * scale;
      end = start + group.length + 1;
      ceiling = scale;
      continue;
    }
    if (ordinalScale !== undefined && ordinalScale >= 1e3 && ordinalScale < ceiling) {
      return {
        at,
        length: start + group.length + 1 - at,
        value: total + group.value * ordinalScale,
        ordinal: true,
        style: 'plain',
      };
    }
    if (ceiling < 1e3 && end > at) break;
    total += group.value;
    end = start + group.length;
    ordinal = group.ordinal;
    break;
  }
  if (end === at) return undefined;
  if (words[end] === 'dozen') return { at, length: end + 1 - at, value: total * 12, ordinal: false, style: 'plain' };
  return { at, length: end - at, value: total, ordinal, style: /^\d/.test(word) ? 'written' : 'plain' };
}

/** A number below ten thousand as said in one breath: "two hundred and five", "twenty five hundred", "a hundred". */
function groupAt(words: readonly string[], at: number, leading: boolean): Chunk | undefined {
  const article = (words[at] === 'a' || words[at] === 'an') && leading;
  const multiple = /^(?:hundred|hundredth)$/;
  const next = words[at + 1] ?? '';
  if (article && next === 'dozen') return { value: 1, length: 1, ordinal: false };
  if (article && scales[next] !== undefined && next.length > 2) return { value: 1, length: 1, ordinal: false };
  if (leading && scales[words[at] ?? ''] !== undefined && (words[at] ?? '').length > 5)
    return { value: 1, length: 0, ordinal: false };
  const bare = leading && words[at] === 'hundred';
  const head: Chunk | undefined = bare
    ? { value: 1, length: 0, ordinal: false }
    : article && multiple.test(next)
      ? { value: 1, length: 1, ordinal: false }
      : article
        ? undefined
        : chunkAt(words, at);
  if (!head || head.ordinal || !multiple.test(words[at + head.length] ?? '')) return head;
  if (words[at + head.length] === 'hundredth')
    return { value: head.value * 100, length: head.length + 1, ordinal: true };
  let end = at + head.length + 1;
  const rest = chunkAt(words, words[end] === 'and' ? end + 1 : end);
  if (!rest || rest.value === 0) return { value: head.value * 100, length: end - at, ordinal: false };
  end += rest.length + (words[end] === 'and' ? 1 : 0);
  return { value: head.value * 100 + rest.value, length: end - at, ordinal: rest.ordinal };
}

/** "nineteen eighty five", "twenty twenty six", "two fifty", "nineteen oh five". */
function pairAt(words: readonly string[], at: number): NumberHeard | undefined {
  const first = chunkAt(words, at);
  if (!first || first.ordinal || first.value === 0 || /^\d/.test(words[at] ?? '')) return undefined;
  const second = at + first.length;
  const zero = words[second] === 'oh' || words[second] === 'o';
  const rest = chunkAt(words, zero ? second + 1 : second);
  if (!rest || rest.ordinal || /^\d/.test(words[second] ?? '')) return undefined;
  if (zero ? rest.value < 1 || rest.value > 9 : rest.value < 10) return undefined;
  const end = (zero ? second + 1 : second) + rest.length;
  if (scales[words[end] ?? ''] !== undefined || words[end] === 'hundred') return undefined;
  return { at, length: end - at, value: first.value * 100 + rest.value, ordinal: false, style: 'pairs' };
}

function withFraction(words: readonly string[], whole: NumberHeard): NumberHeard {
  const end = whole.at + whole.length;
  if (whole.ordinal || !Number.isSafeInteger(whole.value)) return whole;
  if (words[end] === 'point' || words[end] === 'dot') {
    let digits = '';
    let next = end + 1;
    for (;;) {
      const word = words[next] ?? '';
      const digit = /^\d+$/.test(word) ? word : digitOf(word);
      const pair = digit === undefined ? chunkAt(words, next) : undefined;
      if (digit === undefined && (!pair || pair.ordinal)) break;
      digits += digit === undefined ? String(pair?.value) : String(digit);
      next += pair?.length ?? 1;
    }
    if (digits === '' || digits.length > 12) return whole;
    return scaled(words, { ...whole, length: next - whole.at, value: Number(`${whole.value}.${digits}`) });
  }
  const half = /^and (?:(?:a|one) (half|quarter|third)|(three quarters|two thirds))\b/.exec(
    words.slice(end, end + 3).join(' '),
  );
  if (!half) return whole;
  const part =
    { half: 0.5, quarter: 0.25, third: 1 / 3, 'three quarters': 0.75, 'two thirds': 2 / 3 }[half[1] ?? half[2] ?? ''] ??
    0;
  return scaled(words, { ...whole, length: whole.length + half[0].split(' ').length, value: whole.value + part });
}

function scaled(words: readonly string[], number: NumberHeard): NumberHeard {
  const scale = scales[words[number.at + number.length] ?? ''];
  if (scale === undefined) return number;
  return { ...number, length: number.length + 1, value: Number((number.value * scale).toPrecision(15)) };
}

/** All numbers of an answer; "one" is left out where it stands for a thing or a person. */
export function numbersIn(words: readonly string[]): NumberHeard[] {
  const found: NumberHeard[] = [];
  let at = 0;
  while (at < words.length) {
    const number = numberAt(words, at);
    if (!number || isPronoun(words, number)) {
      at += 1;
      continue;
    }
    found.push(number);
    at += number.length;
  }
  return found;
}

function isPronoun(words: readonly string[], number: NumberHeard): boolean {
  if (number.length !== 1) return false;
  const word = words[number.at];
  const before = words[number.at - 1] ?? '';
  const after = words[number.at + 1] ?? '';
  if (word === 'second') return /^(?:a|one|just|1)$/.test(before);
  if (word !== 'one') return false;
  return (
    /^(?:that|this|which|the|no|any|some|every|each|another|right|other|only|good|last|first|second|next)$/.test(
      before,
    ) || /^(?:moment|second|sec|minute|of|day|thing)$/.test(after)
  );
}

const homophones: Record<string, number> = {
  to: 2,
  too: 2,
  for: 4,
  fore: 4,
  won: 1,
  ate: 8,
  tree: 3,
  sicks: 6,
  tin: 10,
  nein: 9,
};
const approximations = new Set(
  'about around roughly approximately maybe probably almost nearly ish perhaps like over under'.split(' '),
);

export interface SpokenNumber extends Understood<number> {
  approximate: boolean;
}

/** "Uh, twenty twenty six" → 2026. With several numbers that differ, the first, at a confidence that asks again. */
export function parseSpokenNumber(text: string): SpokenNumber | undefined {
  const words = heardWords(text);
  const numbers = numbersIn(words);
  const first = numbers[0];
  if (!first) {
    const content = words.filter((word) => !isFiller(word));
    const alone =
      content.length === 1
        ? (homophones[content[0] ?? ''] ?? (content[0] === 'none' || content[0] === 'oh' ? 0 : undefined))
        : undefined;
    return alone === undefined
      ? undefined
      : { value: alone, confidence: content[0] === 'none' ? 0.8 : 0.4, approximate: false };
  }
  const last = numbers.at(-1) ?? first;
  const beside = outside(words, numbers);
  if (beside.some(isNegation)) return undefined;
  const approximate = beside.some((word) => approximations.has(word));
  const trust = trustBeside(beside.filter((word) => !approximations.has(word)));
  if (numbers.every((number) => number.value === first.value)) {
    return { value: first.value, confidence: round(styleTrust(first) * trust), approximate };
  }
  const between = words.slice(first.at + first.length, last.at);
  if (between.some(isCorrection)) return { value: last.value, confidence: round(0.65 * trust), approximate };
  return { value: first.value, confidence: round(0.3 * trust), approximate };
}

function styleTrust(number: NumberHeard): number {
  if (number.style === 'digits') return 0.8;
  if (number.style === 'pairs') return number.value >= 1900 && number.value <= 2099 ? 0.95 : 0.7;
  return number.ordinal ? 0.85 : 1;
}

/** The words that belong to none of these numbers. */
export function outside(words: readonly string[], numbers: readonly { at: number; length: number }[]): string[] {
  return words.filter((_, index) => !numbers.some((number) => index >= number.at && index < number.at + number.length));
}

import { heardWords, isCorrection, isFiller, isNegation, round, trustBeside, type Understood } from './heard-words.ts';
import { chunkAt, numberAt, numbersIn } from './spoken-number.ts';
import { two } from './zoned-time.ts';

export type Bound = 'after' | 'before' | 'around';

export interface TimeHeard {
  hour: number;
  minute: number;
  at: number;
  length: number;
  sure: number;
  bound?: Bound;
  /** A part of the day was said, not an hour: until when it lasts. */
  partEnds?: number;
}

export interface SpokenTime extends Understood<string> {
  /** "after five" is not five o'clock. */
  bound?: Bound;
}

interface ClockHeard {
  hour: number;
  minute: number;
  length: number;
  sure: number;
  /** 24-hour clock, noon, midnight: the half of the day is known. */
  settled: boolean;
}

// The hour to call in a part of the day for which no hour was named.
const partsOfDay: [RegExp, number, number][] = [
  [/^(?:first thing|early)(?: in the)? morning\b|^first thing\b/, 9, 12],
  [/^late(?:r)?(?: in the| this)? afternoon\b/, 16.5, 18],
  [/^after lunch\b/, 14, 18],
  [/^after work\b/, 18, 21],
  [/^(?:end|close) of (?:the )?(?:business )?day\b|^close of business\b/, 17, 18],
  [/^lunch ?time\b|^lunch\b/, 12, 14],
  [/^morning\b/, 10, 12],
  [/^afternoon\b/, 15, 18],
  [/^(?:evening|tonight)\b/, 19, 21],
  [/^night\b/, 20, 21],
];
const halves: [RegExp, 'am' | 'pm'][] = [
  [/^am\b|^a m\b|^(?:in the |this )?morning\b/, 'am'],
  [/^pm\b|^p m\b|^(?:in the |this )?(?:afternoon|evening)\b|^at night\b|^tonight\b/, 'pm'],
];
const bounds: [RegExp, Bound][] = [
  [/^(?:any ?time |sometime )?(?:after|past|from)$/, 'after'],
  [/^(?:before|until|till|by)$/, 'before'],
  [/^(?:around|about|roughly|approximately|maybe|like)$/, 'around'],
];

/** "half past three", "five thirty p.m.", "fifteen hundred", "this afternoon" → `15:30`, on a 24-hour clock. */
export function parseSpokenTime(text: string): SpokenTime | undefined {
  const words = heardWords(text);
  if (words.some(isNegation)) return undefined;
  const found = timesIn(words);
  const first = found[0];
  const last = found.at(-1);
  if (!first || !last) return undefined;
  const beside = words.filter((_, index) => !found.some((time) => index >= time.at && index < time.at + time.length));
  if (numbersIn(beside).length > 0 && !beside.some(isCorrection)) return undefined;
  const same = found.every((time) => time.hour === first.hour && time.minute === first.minute);
  const corrected = !same && words.slice(first.at + first.length, last.at).some(isCorrection);
  const chosen = corrected ? last : first;
  const sure = same ? chosen.sure : corrected ? chosen.sure * 0.65 : 0.3;
  return {
    value: `${two(chosen.hour)}:${two(chosen.minute)}`,
    confidence: round(sure * trustBeside(beside)),
    ...(chosen.bound && { bound: chosen.bound }),
  };
}

/** Every time of an answer; a bare number is one only after "at", "by" and the like, or all alone. */
export function timesIn(words: readonly string[]): TimeHeard[] {
  const found: TimeHeard[] = [];
  let at = 0;
  while (at < words.length) {
    const time = timeAt(words, at);
    if (time) found.push(time);
    at += time?.length ?? 1;
  }
  const named = found.filter((time) => time.partEnds === undefined);
  if (named.length === 0 || named.length === found.length) return found;
  // "in the evening, at eight": the part of the day tells the half of the hour that was named elsewhere.
  const parts = found.filter((time) => time.partEnds !== undefined);
  return named.map((time) => {
    const half = parts[0] && parts[0].hour < 12 ? 'am' : 'pm';
    if (time.sure >= 0.9 || time.hour === 0 || parts.length > 1) return time;
    return { ...time, hour: (time.hour % 12) + (half === 'pm' ? 12 : 0), sure: 0.9 };
  });
}

function timeAt(words: readonly string[], at: number): TimeHeard | undefined {
  let start = at;
  let bound: Bound | undefined;
  let anchored = false;
  for (;;) {
    const word = words[start] ?? '';
    const match = bounds.find(([pattern]) => pattern.test(word));
    if (match) bound = match[1];
    else if (!/^(?:at|@)$/.test(word)) break;
    anchored = true;
    start += 1;
  }
  const part = partAt(words, at, start);
  if (part) return part;
  const clock = clockAt(words, start, anchored || isWholeAnswer(words, start));
  if (!clock) return undefined;
  const half = halfAt(words, start + clock.length);
  const length = start + clock.length + (half?.length ?? 0) - at;
  const settled = settle(clock, half?.half);
  if (!settled) return undefined;
  const ish = words[at + length] === 'ish' || /ish$/.test(words[at + length - 1] ?? '');
  const limit = bound ?? (ish ? 'around' : undefined);
  return { ...settled, sure: settled.sure * (limit ? 0.8 : 1), at, length, ...(limit && { bound: limit }) };
}

/** "Five." and "make it five", but not "I am five" or the end of "four or five". */
function isWholeAnswer(words: readonly string[], at: number): boolean {
  const end = at + (chunkAt(words, at)?.length ?? 0);
  const beside = [...words.slice(0, at), ...words.slice(end)];
  return beside.every(
    (word) => isFiller(word) || /^(?:it's|its|make|it|that's|say|let's|how|would|be|good|works)$/.test(word),
  );
}

function partAt(words: readonly string[], at: number, start: number): TimeHeard | undefined {
  for (const from of new Set([at, start])) {
    const text = words.slice(from, from + 5).join(' ');
    const lead = /^(?:in the |this |at |the )?/.exec(text)?.[0] ?? '';
    for (const [pattern, hour, ends] of partsOfDay) {
      const match = pattern.exec(text.slice(lead.length)) ?? pattern.exec(text);
      if (!match) continue;
      const length =
        from -
        at +
        (pattern.test(text) ? 0 : lead.trim() === '' ? 0 : lead.trim().split(' ').length) +
        match[0].split(' ').length;
      return { hour: Math.floor(hour), minute: (hour % 1) * 60, at, length, sure: 0.45, partEnds: ends };
    }
  }
  return undefined;
}

function halfAt(words: readonly string[], at: number): { half: 'am' | 'pm'; length: number } | undefined {
  const skipped = words[at] === "o'clock" ? 1 : 0;
  const text = words.slice(at + skipped, at + skipped + 3).join(' ');
  for (const [pattern, half] of halves) {
    const match = pattern.exec(text);
    if (match) return { half, length: skipped + match[0].split(' ').length };
  }
  return undefined;
}

/** Without a half of the day the hour is taken as people are called: seven to twelve before noon, one to six after. */
function settle(
  clock: ClockHeard,
  half: 'am' | 'pm' | undefined,
): { hour: number; minute: number; sure: number } | undefined {
  const { hour, minute, sure } = clock;
  if (clock.settled) {
    if (half === 'am' && hour >= 12 && hour !== 12) return undefined;
    return { hour, minute, sure };
  }
  if (half) return { hour: (hour % 12) + (half === 'pm' ? 12 : 0), minute, sure };
  if (hour === 12) return { hour, minute, sure: sure * 0.8 };
  const usual = hour < 6 ? 0.85 : hour < 7 ? 0.65 : hour < 9 ? 0.55 : 0.75;
  return { hour: hour < 7 ? hour + 12 : hour, minute, sure: sure * usual };
}

function clockAt(words: readonly string[], at: number, anchored: boolean): ClockHeard | undefined {
  const word = words[at] ?? '';
  const text = words.slice(at, at + 5).join(' ');
  if (/^(?:noon|midday)$/.test(word)) return { hour: 12, minute: 0, length: 1, sure: 0.98, settled: true };
  if (word === 'midnight') return { hour: 0, minute: 0, length: 1, sure: 0.95, settled: true };
  return writtenClock(word) ?? pastOrTo(words, at, text) ?? hundredHours(words, at) ?? spokenClock(words, at, anchored);
}

function writtenClock(word: string): ClockHeard | undefined {
  const match = /^(\d{1,2})[:.](\d{2})$/.exec(word);
  if (!match) return undefined;
  const hour = Number(match[1]);
  const minute = Number(match[2]);
  if (hour > 23 || minute > 59) return undefined;
  const settled = hour > 12 || hour === 0 || (match[1] ?? '').startsWith('0');
  return { hour, minute, length: 1, sure: word.includes(':') ? 0.98 : 0.8, settled };
}

/** "half past three", "quarter to five", "ten minutes past two", "twenty to nine". */
function pastOrTo(words: readonly string[], at: number, text: string): ClockHeard | undefined {
  const quarter = /^(?:a )?(half|quarter) (past|after|to|till|until|of|before)\b/.exec(text);
  const count = quarter ? undefined : chunkAt(words, at);
  const minutes = count && /^minutes?$/.test(words[at + count.length] ?? '') ? 1 : 0;
  const link = quarter ? quarter[2] : words[at + (count?.length ?? 0) + minutes];
  if (
    !quarter &&
    (!count ||
      count.ordinal ||
      count.value < 1 ||
      count.value > 59 ||
      !/^(?:past|to|till|after|before)$/.test(link ?? ''))
  )
    return undefined;
  // "two to three" and "five after ten" without "minutes" may be a range: only the usual fives count.
  if (
    !quarter &&
    minutes === 0 &&
    count &&
    (count.value % 5 !== 0 || (count.value === 10 && link === 'to' && words[at - 1] === 'from'))
  )
    return undefined;
  const start = quarter ? at + quarter[0].split(' ').length : at + (count?.length ?? 0) + minutes + 1;
  const named = /^(?:noon|midnight)$/.test(words[start] ?? '');
  const hour = named ? { value: words[start] === 'noon' ? 12 : 24, length: 1, ordinal: false } : chunkAt(words, start);
  if (!hour || hour.ordinal || hour.value < 1 || hour.value > (named ? 24 : 12)) return undefined;
  const amount = quarter ? (quarter[1] === 'half' ? 30 : 15) : (count?.value ?? 0);
  if (quarter?.[1] === 'half' && !/^(?:past|after)$/.test(link ?? '')) return undefined;
  const before = /^(?:to|till|until|of|before)$/.test(link ?? '');
  const oClock = words[start + hour.length] === "o'clock" ? 1 : 0;
  const total = (hour.value * 60 + (before ? -amount : amount) + 24 * 60) % (24 * 60);
  const hourOf = Math.floor(total / 60);
  return {
    hour: named ? hourOf : hourOf === 0 ? 12 : hourOf,
    minute: total % 60,
    length: start + hour.length + oClock - at,
    sure: quarter || minutes ? 0.95 : 0.85,
    settled: named,
  };
}

/** "fifteen hundred hours", "oh nine hundred". */
function hundredHours(words: readonly string[], at: number): ClockHeard | undefined {
  const written = /^([01]\d|2[0-3])([0-5]\d)$/.exec(words[at] ?? '');
  if (written && words[at + 1] === 'hours') {
    return { hour: Number(written[1]), minute: Number(written[2]), length: 2, sure: 0.95, settled: true };
  }
  const zero = /^(?:oh|o|zero)$/.test(words[at] ?? '') ? 1 : 0;
  const hour = chunkAt(words, at + zero);
  const after = words[at + zero + (hour?.length ?? 0)];
  const hours = words[at + zero + (hour?.length ?? 0) + 1] === 'hours' ? 1 : 0;
  if (!hour || hour.ordinal || after !== 'hundred' || hour.value > 23 || (zero === 1 && hour.value > 9))
    return undefined;
  if (hour.value < 13 && zero === 0 && hours === 0) return undefined;
  return { hour: hour.value, minute: 0, length: zero + hour.length + 1 + hours, sure: 0.9, settled: true };
}

/** "five thirty", "three oh five", "three o'clock", "9", "half three" as the British say it. */
function spokenClock(words: readonly string[], at: number, anchored: boolean): ClockHeard | undefined {
  if (words[at] === 'half') {
    const hour = chunkAt(words, at + 1);
    if (!hour || hour.ordinal || hour.value < 1 || hour.value > 12) return undefined;
    if (/^(?:hours?|minutes?|days?|percent|dollars)$/.test(words[at + 1 + hour.length] ?? '')) return undefined;
    return { hour: hour.value, minute: 30, length: 1 + hour.length, sure: 0.6, settled: false };
  }
  const hour = chunkAt(words, at);
  if (!hour || hour.ordinal || hour.value > 23) return undefined;
  let next = at + hour.length;
  const zero = /^(?:oh|o)$/.test(words[next] ?? '') ? 1 : 0;
  const minute =
    /^\d/.test(words[at] ?? '') && !/^\d{2}$/.test(words[next] ?? '') ? undefined : chunkAt(words, next + zero);
  const settled = hour.value > 12 || hour.value === 0;
  if (minute && !minute.ordinal && (zero === 1 ? minute.value < 10 : minute.value >= 10 && minute.value < 60)) {
    next += zero + minute.length;
    if (unitFollows(words, next) || chunkAt(words, next)) return undefined;
    return {
      hour: hour.value,
      minute: minute.value,
      length: next - at,
      sure: anchored || halfAt(words, next) ? 0.95 : 0.8,
      settled,
    };
  }
  if (minute && !minute.ordinal) return undefined;
  const oClock = words[next] === "o'clock" ? 1 : 0;
  if (oClock === 0 && !anchored && !halfAt(words, next)) return undefined;
  if (unitFollows(words, next) || numberAt(words, at)?.style === 'digits') return undefined;
  if (settled && oClock === 0 && !halfAt(words, next) && hour.value === 0) return undefined;
  return {
    hour: hour.value,
    minute: 0,
    length: hour.length + oClock,
    sure: oClock || halfAt(words, next) ? 0.97 : 0.85,
    settled,
  };
}

function unitFollows(words: readonly string[], at: number): boolean {
  return /^(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|percent|%|dollars?|people|point|hundred|thousand|times|past|to|after)$/.test(
    words[at] ?? '',
  );
}

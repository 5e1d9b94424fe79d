import { isNegation, round, trustBeside, type Understood } from './heard-words.ts';
import { countAt } from './relative-days.ts';
import { type DateHeard, datesIn, dateWords } from './spoken-date.ts';
import { numbersIn } from './spoken-number.ts';
import { type Bound, type TimeHeard, timesIn } from './spoken-time.ts';
import { addDays, compareDays, type Day, instantOf, isoDay, localTime, two } from './zoned-time.ts';

export interface SpokenDateTime extends Understood<Date> {
  /** The same moment on the clock of the time zone: `2026-11-15T15:30`. */
  local: string;
  /** The hour was not said, only a day or a part of it. */
  guessedHour: boolean;
  bound?: Bound;
}

// A day without an hour: late enough for everybody to be up.
const defaultHour = 10;
const hourMs = 3_600_000;

/** When to call back: "in an hour", "tomorrow at half past three", "after five", "this afternoon". Always in the future. */
export function parseSpokenDateTime(
  text: string,
  options: { now: Date; timeZone: string; monthFirst?: boolean },
): SpokenDateTime | undefined {
  const words = dateWords(text);
  if (words.some(isNegation)) return undefined;
  const span = durationIn(words);
  if (span) {
    const value = new Date(options.now.getTime() + span.ms);
    const beside = [...words.slice(0, span.at), ...words.slice(span.at + span.length)];
    if (timesIn(beside).length > 0 || datesIn(beside, options).some((date) => date.sure > 0.3)) return undefined;
    return moment(value, options.timeZone, span.sure * trustBeside(beside), false);
  }
  const dates = datesIn(words, options);
  const date = dates[0];
  if (dates.some((other) => date && compareDays(other.day, date.day) !== 0)) return undefined;
  const blanked = words.map((word, index) =>
    dates.some((found) => covers(found, index)) && !isPart(word) ? '' : word,
  );
  const times = timesIn(withoutBlanks(blanked));
  const time = times[0];
  if (times.some((other) => time && (other.hour !== time.hour || other.minute !== time.minute))) return undefined;
  if (!date && !time) return undefined;
  const used = (time?.length ?? 0) + (date?.length ?? 0);
  const remaining = withoutBlanks(blanked).filter(
    (_, index) => !time || index < time.at || index >= time.at + time.length,
  );
  // "between two and four": a number that is neither day nor hour says that the answer was more than one moment.
  if (numbersIn(remaining).length > 0) return undefined;
  const trust = used >= words.length ? 1 : trustBeside(remaining.filter((word) => !isPart(word)));
  return time ? at(time, date, options, trust) : date && onDay(date, options, trust);
}

function at(
  time: TimeHeard,
  date: DateHeard | undefined,
  options: { now: Date; timeZone: string },
  trust: number,
): SpokenDateTime | undefined {
  const today = localTime(options.now, options.timeZone);
  const day: Day = date ? date.day : today;
  const sure = time.sure * (date?.sure ?? 0.9) * trust;
  const guessed = time.partEnds !== undefined;
  const value = instantOf({ ...day, hour: time.hour, minute: time.minute }, options.timeZone);
  if (value > options.now) return moment(value, options.timeZone, sure, guessed, time.bound);
  if (guessed) {
    // "this afternoon", said in the afternoon: in an hour, if that is still the afternoon.
    const soon = new Date(options.now.getTime() + hourMs);
    const ends = instantOf({ ...day, hour: time.partEnds ?? 0, minute: 0 }, options.timeZone);
    return soon <= ends ? moment(soon, options.timeZone, sure * 0.8, true, time.bound) : undefined;
  }
  if (date) return undefined;
  const tomorrow = addDays(today, 1);
  const next = instantOf({ ...tomorrow, hour: time.hour, minute: time.minute }, options.timeZone);
  return moment(next, options.timeZone, sure * 0.7, false, time.bound);
}

function onDay(date: DateHeard, options: { now: Date; timeZone: string }, trust: number): SpokenDateTime | undefined {
  const value = instantOf({ ...date.day, hour: defaultHour, minute: 0 }, options.timeZone);
  if (value > options.now) return moment(value, options.timeZone, date.sure * 0.5 * trust, true);
  return undefined;
}

function moment(
  value: Date,
  timeZone: string,
  confidence: number,
  guessedHour: boolean,
  bound?: Bound,
): SpokenDateTime {
  const local = localTime(value, timeZone);
  return {
    value,
    local: `${isoDay(local)}T${two(local.hour)}:${two(local.minute)}`,
    confidence: round(confidence),
    guessedHour,
    ...(bound && { bound }),
  };
}

function covers(date: DateHeard, index: number): boolean {
  return index >= date.at && index < date.at + date.length;
}

/** "tonight" and "this afternoon" say the day and a part of it. */
function isPart(word: string): boolean {
  return /^(?:tonight|morning|afternoon|evening|night)$/.test(word);
}

function withoutBlanks(words: readonly string[]): string[] {
  return words.filter((word) => word !== '');
}

const unitsMs: Record<string, number> = {
  second: 1000,
  seconds: 1000,
  minute: 60_000,
  minutes: 60_000,
  min: 60_000,
  mins: 60_000,
  hour: hourMs,
  hours: hourMs,
};

/** "in an hour", "half an hour", "an hour and a half", "twenty minutes from now". */
function durationIn(words: readonly string[]): { at: number; length: number; ms: number; sure: number } | undefined {
  for (let start = 0; start < words.length; start++) {
    const span = spanAt(words, start);
    if (!span) continue;
    const before = words[start - 1];
    const lead = before === 'in' || before === 'within' ? 1 : 0;
    const tail = /^(?:from now|later)\b/.exec(words.slice(start + span.length, start + span.length + 2).join(' '));
    if (/^(?:ago|before|after|past|to|late)$/.test(words[start + span.length] ?? '') || before === 'for')
      return undefined;
    const rest = words.slice(start + span.length + (tail ? tail[0].split(' ').length : 0));
    if (rest.some((_, index) => spanAt(rest, index))) return undefined;
    const sure = span.sure * (lead || tail ? 1 : 0.75);
    return { at: start - lead, length: span.length + lead + (tail ? tail[0].split(' ').length : 0), ms: span.ms, sure };
  }
  return undefined;
}

function spanAt(words: readonly string[], at: number): { ms: number; length: number; sure: number } | undefined {
  const text = words.slice(at, at + 6).join(' ');
  const fixed =
    /^(?:half (?:an|a) hour|(?:a |one )?half hour|(?:a )?quarter (?:of )?an hour|three quarters of an hour|an? hour and a half|one hour and a half)\b/.exec(
      text,
    );
  if (fixed) {
    const hours = fixed[0].includes('quarters')
      ? 0.75
      : fixed[0].includes('quarter')
        ? 0.25
        : fixed[0].includes('and a half')
          ? 1.5
          : 0.5;
    return { ms: hours * hourMs, length: fixed[0].split(' ').length, sure: 0.95 };
  }
  const count = countAt(words, at);
  const unit = count && unitsMs[words[at + count.length] ?? ''];
  if (!count || unit === undefined) return undefined;
  const end = at + count.length + 1;
  const isHours = unit === hourMs;
  if (isHours && /^and a half\b/.test(words.slice(end, end + 3).join(' '))) {
    return { ms: (count.value + 0.5) * hourMs, length: end + 3 - at, sure: count.sure };
  }
  const and = words[end] === 'and' ? 1 : 0;
  const minutes = isHours ? countAt(words, end + and) : undefined;
  if (minutes && /^min(?:ute)?s?$/.test(words[end + and + minutes.length] ?? '')) {
    return {
      ms: count.value * hourMs + minutes.value * 60_000,
      length: end + and + minutes.length + 1 - at,
      sure: count.sure,
    };
  }
  return { ms: count.value * unit, length: end - at, sure: count.sure };
}

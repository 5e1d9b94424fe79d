import { isDate, monthNames, monthOf } from './calendar.ts';
import { chunkAt, digitOf, numberAt } from './spoken-number.ts';
import { addDays, addMonths, compareDays, type Day } from './zoned-time.ts';

/** A day, and how many words said it. */
export interface DayHeard {
  day: Day;
  length: number;
  sure: number;
}

/** What a date is read with: the answer, and the day it was given on. */
export interface DateContext {
  words: readonly string[];
  today: Day;
  prefer: 'future' | 'past';
  monthFirst: boolean;
}

interface YearHeard {
  year: number;
  length: number;
  short: boolean;
}

export function numericDate({ words, today, monthFirst, prefer }: DateContext, at: number): DayHeard | undefined {
  const match = /^(\d{1,4})x(\d{1,2})x(\d{1,4})$/.exec(words[at] ?? '');
  if (!match) return undefined;
  const [first = '', second = '', third = ''] = match.slice(1);
  if (first.length === 4) return exact(Number(first), Number(second), Number(third), 1, 1);
  if (third.length === 3 || first.length > 2) return undefined;
  return ordered(Number(first), Number(second), fullYear(Number(third), third.length, today, prefer), monthFirst, 1);
}

export function monthAndDay(context: DateContext, at: number): DayHeard | undefined {
  const { words } = context;
  const monthFirst = fullMonth(words[at]);
  if (monthFirst !== undefined) {
    const the = words[at + 1] === 'the' ? 1 : 0;
    const day = chunkAt(words, at + 1 + the);
    if (!day || day.value < 1 || day.value > 31) return undefined;
    const end = at + 1 + the + day.length;
    const year = yearAt(context, end);
    // "March twenty twenty six" is the month of a year, unless a whole year follows the day.
    const whole = numberAt(words, at + 1 + the);
    if (!day.ordinal && year?.short !== false && whole && whole.value >= 1900 && whole.value <= 2099) return undefined;
    if (!day.ordinal && !year && /^(?:people|of|or|times|percent|%|dollars)$/.test(words[end] ?? '')) return undefined;
    return dated(context, monthFirst, day.value, year, end - at, day.ordinal ? 0.97 : 0.9);
  }
  const the = words[at] === 'the' ? 1 : 0;
  const day = chunkAt(words, at + the);
  if (!day || day.value < 1 || day.value > 31) return undefined;
  const of = /^(?:of|in)$/.test(words[at + the + day.length] ?? '') ? 1 : 0;
  if (!day.ordinal && of === 1 && words[at + the + day.length] === 'in') return undefined;
  const month = fullMonth(words[at + the + day.length + of]);
  if (month === undefined) return undefined;
  const end = at + the + day.length + of + 1;
  return dated(context, month, day.value, yearAt(context, end), end - at, day.ordinal ? 0.97 : 0.9);
}

/** "the fifth": of this month if it is still to come (or has been), else of the next (or last). */
export function dayOfMonth({ words, today, prefer }: DateContext, at: number): DayHeard | undefined {
  if (words[at] !== 'the') return undefined;
  const day = chunkAt(words, at + 1);
  if (!day?.ordinal || day.value > 31) return undefined;
  const after = words[at + 1 + day.length];
  if (after !== undefined && /^(?:one|time|of|floor|person|option|half|quarter|week|day|thing|two|three)$/.test(after))
    return undefined;
  const step = prefer === 'past' ? -1 : 1;
  for (let months = 0; months <= 12; months++) {
    const month = addMonths({ ...today, day: 1 }, step * months);
    const candidate = { ...month, day: day.value };
    if (isDate(candidate.year, candidate.month, candidate.day) && compareDays(candidate, today) * step >= 0) {
      return { day: candidate, length: 1 + day.length, sure: 0.6 };
    }
  }
  return undefined;
}

/** "oh three fifteen eighty five", "three fifteen nineteen eighty five", "zero three one five one nine eight five". */
export function spokenDigitsDate({ words, today, monthFirst, prefer }: DateContext, at: number): DayHeard | undefined {
  const eight = words
    .slice(at, at + 8)
    .map((word) => (word.length > 1 && /^\d/.test(word) ? undefined : digitOf(word)));
  if (eight.length === 8 && eight.every((digit) => digit !== undefined) && digitOf(words[at + 8]) === undefined) {
    const digits = eight.join('');
    return ordered(Number(digits.slice(0, 2)), Number(digits.slice(2, 4)), Number(digits.slice(4)), monthFirst, 8);
  }
  const written = /^(\d{2})(\d{2})(\d{4})$/.exec(words[at] ?? '');
  if (written) return ordered(Number(written[1]), Number(written[2]), Number(written[3]), monthFirst, 1);
  const first = partAt(words, at);
  const second = first && partAt(words, at + first.length);
  if (!first || !second) return undefined;
  const start = at + first.length + second.length;
  const year = numberAt(words, start);
  const short = partAt(words, start);
  const whole = year && year.value >= 1900 && year.value <= 2100 && !year.ordinal ? year : undefined;
  if (!whole && !short) return undefined;
  const value = whole ? whole.value : fullYear(short?.value ?? 0, 2, today, prefer);
  const length = first.length + second.length + (whole?.length ?? short?.length ?? 0);
  if (/^(?:am|pm|a|p|o'clock)$/.test(words[at + length] ?? '')) return undefined;
  const date = ordered(first.value, second.value, value, monthFirst, length);
  return date && { ...date, sure: date.sure * (whole ? 0.9 : 0.8) };
}

const holidays: [RegExp, number, number][] = [
  [/^christmas eve\b/, 12, 24],
  [/^christmas(?: day)?\b(?! eve)/, 12, 25],
  [/^new years? eve\b/, 12, 31],
  [/^new years?(?: day)?\b(?! eve)/, 1, 1],
  [/^halloween\b/, 10, 31],
  [/^valentines?(?: day)?\b/, 2, 14],
  [/^independence day\b/, 7, 4],
];

export function holiday(context: DateContext, at: number): DayHeard | undefined {
  const text = context.words.slice(at, at + 3).join(' ');
  if (text.startsWith('new year') && !/^new years?(?: day| eve)/.test(text)) return undefined;
  for (const [pattern, month, day] of holidays) {
    const match = pattern.exec(text);
    const nearestDay = match && nearestYear(context, month, day);
    if (match && nearestDay) return { day: nearestDay, length: match[0].split(' ').length, sure: 0.85 };
  }
  return undefined;
}

export function monthEnd({ words, today }: DateContext, at: number): DayHeard | undefined {
  const match = /^(?:the )?end of (?:the|this) month\b/.exec(words.slice(at, at + 5).join(' '));
  if (!match) return undefined;
  return { day: addDays(addMonths({ ...today, day: 1 }, 1), -1), length: match[0].split(' ').length, sure: 0.6 };
}

function ordered(
  first: number,
  second: number,
  year: number,
  monthFirst: boolean,
  length: number,
): DayHeard | undefined {
  const [month, day] = monthFirst ? [first, second] : [second, first];
  const both = first <= 12 && second <= 12 && first !== second;
  return exact(year, month, day, length, both ? 0.75 : 0.95) ?? exact(year, day, month, length, 0.6);
}

function exact(year: number, month: number, day: number, length: number, sure: number): DayHeard | undefined {
  return isDate(year, month, day) ? { day: { year, month, day }, length, sure } : undefined;
}

/** "eighty five" is 1985; a two-digit year up to ten years ahead is one of this century. */
function fullYear(value: number, digits: number, today: Day, prefer: 'future' | 'past'): number {
  if (digits > 2 || value >= 100) return value;
  const ahead = prefer === 'past' ? 0 : 10;
  return 2000 + value <= today.year + ahead ? 2000 + value : 1900 + value;
}

/** "may" and "march" count as months wherever a day stands beside them. Recognizers write months in full or with three letters. */
function fullMonth(word: string | undefined): number | undefined {
  if (word === undefined || word.length < 3) return undefined;
  return monthNames.some((name) => name.toLowerCase() === word) ||
    /^(?:jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)$/.test(word)
    ? monthOf(word)
    : undefined;
}

function yearAt(context: DateContext, at: number): YearHeard | undefined {
  const lead = /^(?:in|of)$/.test(context.words[at] ?? '') ? 1 : 0;
  const number = numberAt(context.words, at + lead);
  if (!number || number.ordinal) return undefined;
  if (Number.isInteger(number.value) && number.value >= 1900 && number.value <= 2100)
    return { year: number.value, length: number.length + lead, short: false };
  const next = context.words[at + lead + number.length] ?? '';
  if (lead === 1 || number.value < 10 || number.value > 99 || number.style === 'digits') return undefined;
  if (/^(?:am|pm|a|p|o'clock|minutes|hours|thirty|fifteen)$/.test(next)) return undefined;
  return { year: fullYear(number.value, 2, context.today, context.prefer), length: number.length, short: true };
}

function dated(
  context: DateContext,
  month: number,
  day: number,
  year: YearHeard | undefined,
  length: number,
  sure: number,
): DayHeard | undefined {
  if (year) {
    const full = exact(year.year, month, day, length + year.length, sure * (year.short ? 0.85 : 1));
    if (full) return full;
  }
  const nearest = nearestYear(context, month, day);
  return nearest ? { day: nearest, length, sure: sure * 0.95 } : undefined;
}

function nearestYear({ today, prefer }: DateContext, month: number, day: number): Day | undefined {
  const step = prefer === 'past' ? -1 : 1;
  for (let years = 0; years <= 8; years++) {
    const candidate = { year: today.year + step * years, month, day };
    if (isDate(candidate.year, month, day) && compareDays(candidate, today) * step >= 0) return candidate;
  }
  return undefined;
}

/** A part of a date: "oh three", "fifteen", "03". */
function partAt(words: readonly string[], at: number): { value: number; length: number } | undefined {
  const zero = /^(?:oh|o|zero|0)$/.test(words[at] ?? '') ? 1 : 0;
  const chunk = chunkAt(words, at + zero);
  if (!chunk || chunk.ordinal || (zero === 1 && (chunk.value < 1 || chunk.value > 9))) return undefined;
  return { value: chunk.value, length: chunk.length + zero };
}

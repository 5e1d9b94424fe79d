import { isDate, weekdayNames, weekdayOf } from './calendar.ts';
import { type DateContext, type DayHeard, dayOfMonth, monthAndDay, numericDate } from './calendar-days.ts';
import { numberAt } from './spoken-number.ts';
import { addDays, addMonths, compareDays, type Day, weekdayOfDay } from './zoned-time.ts';

export function weekdayDate(context: DateContext, at: number): DayHeard | undefined {
  const { words, today } = context;
  let start = at;
  const this_ = words[start] === 'this' ? 1 : 0;
  start += this_;
  const qualifier = /^(?:next|last|coming|past|following)$/.test(words[start] ?? '') ? (words[start] ?? '') : '';
  if (qualifier) start += 1;
  const weekday = fullWeekday(words[start]);
  if (weekday === undefined) return undefined;
  const length = start + 1 - at;
  const ahead = (weekday - weekdayOfDay(today) + 7) % 7;
  const rest = words.slice(start + 1, start + 4).join(' ');

  const exactDay = monthAndDay(context, start + 1) ?? dayOfMonth(context, start + 1) ?? numericDate(context, start + 1);
  if (exactDay && qualifier === '') {
    const agrees = agreeing(context, weekday, exactDay, start + 1);
    return agrees && { ...agrees, length: length + exactDay.length };
  }
  if (/^after next\b/.test(rest)) return { day: addDays(today, nearest(ahead) + 7), length: length + 2, sure: 0.6 };
  if (/^next week\b/.test(rest)) return { day: inNextWeek(today, weekday), length: length + 2, sure: 0.95 };
  if (/^this week\b/.test(rest)) return { day: addDays(inNextWeek(today, weekday), -7), length: length + 2, sure: 0.8 };
  if (/^week\b/.test(rest)) return { day: addDays(today, nearest(ahead) + 7), length: length + 1, sure: 0.8 };
  if (qualifier === 'last' || qualifier === 'past') {
    return { day: addDays(today, ahead === 0 ? -7 : ahead - 7), length, sure: 0.85 };
  }
  if (qualifier === 'next') {
    // Said on Wednesday, "next Friday" is in two days for some and in nine for others; the weekday
    // that has already been this week is the same for both.
    const later = inNextWeek(today, weekday);
    const sooner = addDays(today, nearest(ahead));
    return { day: later, length, sure: compareDays(later, sooner) === 0 ? 0.9 : 0.45 };
  }
  if (ahead === 0) {
    return context.prefer === 'past'
      ? { day: today, length, sure: 0.5 }
      : { day: addDays(today, this_ ? 0 : 7), length, sure: 0.5 };
  }
  const back = context.prefer === 'past' && !this_ && qualifier === '';
  return { day: addDays(today, back ? ahead - 7 : ahead), length, sure: 0.9 };
}

const relativeDays: [RegExp, number][] = [
  [/^(?:the )?day after tomorrow\b/, 2],
  [/^(?:the )?day before yesterday\b/, -2],
  [/^(?:a|one) week from tomorrow\b/, 8],
  [/^(?:today|tonight)\b/, 0],
  [/^this (?:morning|afternoon|evening)\b/, 0],
  [/^(?:tomorrow|tmrw)\b/, 1],
  [/^(?:yesterday|last night)\b/, -1],
];

export function relativeDay({ words, today }: DateContext, at: number): DayHeard | undefined {
  const text = words.slice(at, at + 4).join(' ');
  for (const [pattern, days] of relativeDays) {
    const match = pattern.exec(text);
    if (match) return { day: addDays(today, days), length: match[0].split(' ').length, sure: 0.98 };
  }
  const week = /^(next week|next month|(?:this |the |next )?weekend)\b/.exec(text);
  if (!week) return undefined;
  const length = week[0].split(' ').length;
  if (week[0].endsWith('weekend')) {
    const saturday = addDays(today, (6 - weekdayOfDay(today) + 7) % 7);
    return { day: week[0].startsWith('next') ? addDays(saturday, 7) : saturday, length, sure: 0.35 };
  }
  return {
    day: week[0] === 'next week' ? inNextWeek(today, 1) : addMonths({ ...today, day: 1 }, 1),
    length,
    sure: 0.3,
  };
}

/** "in two weeks", "ten days from now", "a week from Tuesday", "three days ago", "a fortnight". */
export function countedDays(context: DateContext, at: number): DayHeard | undefined {
  const { words, today } = context;
  const lead = /^(?:in|within|after)$/.test(words[at] ?? '') ? 1 : 0;
  const counted = countAt(words, at + lead);
  if (!counted) return undefined;
  const unit = words[at + lead + counted.length] ?? '';
  if (!/^(?:days?|weeks?|months?|years?|fortnights?)$/.test(unit)) return undefined;
  const end = at + lead + counted.length + 1;
  const move = (day: Day, sign: number) => moved(day, sign * counted.value, unit);
  const rest = words.slice(end, end + 2).join(' ');
  if (/^(?:ago|back)\b/.test(rest)) return { day: move(today, -1), length: end + 1 - at, sure: counted.sure };
  const from = /^(?:from|after) (?:now|today)\b/.exec(rest);
  if (from) return { day: move(today, 1), length: end + 2 - at, sure: counted.sure };
  if (/^(?:from|after|on)\b/.test(rest)) {
    const base = weekdayDate(context, end + 1) ?? relativeDay(context, end + 1) ?? monthAndDay(context, end + 1);
    if (base)
      return {
        day: move(base.day, 1),
        length: end + 1 + base.length - at,
        sure: Math.min(counted.sure, base.sure) * 0.9,
      };
  }
  if (lead === 0) return undefined;
  return { day: move(today, 1), length: end - at, sure: counted.sure * (words[at] === 'in' ? 1 : 0.6) };
}

/** "two", "a", "a couple of"; what is only about a number is less sure. */
export function countAt(
  words: readonly string[],
  at: number,
): { value: number; length: number; sure: number } | undefined {
  const couple = /^(?:a )?couple(?: of)?\b/.exec(words.slice(at, at + 3).join(' '));
  if (couple) return { value: 2, length: couple[0].split(' ').length, sure: 0.7 };
  if (/^an?$/.test(words[at] ?? '') && !/^(?:half|quarter|hundred|thousand|dozen)$/.test(words[at + 1] ?? ''))
    return { value: 1, length: 1, sure: 0.95 };
  const number = numberAt(words, at);
  if (!number || number.ordinal || number.value <= 0 || number.value > 1000) return undefined;
  return { value: number.value, length: number.length, sure: 0.95 };
}

function nearest(ahead: number): number {
  return ahead === 0 ? 7 : ahead;
}

/** A weekday and a date that do not belong together are one mistake or the other: hardly worth a guess. */
function agreeing(context: DateContext, weekday: number, date: DayHeard, at: number): DayHeard | undefined {
  if (weekdayOfDay(date.day) === weekday) return { ...date, sure: 0.98 };
  const onlyDay = context.words[at] === 'the' && date.sure <= 0.6;
  if (!onlyDay) return { ...date, sure: 0.3 };
  const step = context.prefer === 'past' ? -1 : 1;
  for (let months = 1; months <= 3; months++) {
    const month = addMonths({ ...date.day, day: 1 }, step * months);
    const candidate = { ...month, day: date.day.day };
    if (isDate(candidate.year, candidate.month, candidate.day) && weekdayOfDay(candidate) === weekday) {
      return { ...date, day: candidate, sure: 0.6 };
    }
  }
  return { ...date, sure: 0.3 };
}

function inNextWeek(today: Day, weekday: number): Day {
  const monday = addDays(today, 7 - ((weekdayOfDay(today) + 6) % 7));
  return addDays(monday, (weekday + 6) % 7);
}

function fullWeekday(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  const singular = word.replace(/days$/, 'day');
  return weekdayNames.some((name) => name.toLowerCase() === singular) || /^(?:mon|tues?|wed|thurs?|fri)$/.test(singular)
    ? weekdayOf(singular)
    : undefined;
}

function moved(day: Day, count: number, unit: string): Day {
  if (unit.startsWith('day')) return addDays(day, Math.round(count));
  if (unit.startsWith('week')) return addDays(day, Math.round(count * 7));
  if (unit.startsWith('fortnight')) return addDays(day, Math.round(count * 14));
  return addMonths(day, Math.round(unit.startsWith('month') ? count : count * 12));
}

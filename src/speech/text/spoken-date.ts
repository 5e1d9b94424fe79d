import {
  type DateContext,
  type DayHeard,
  dayOfMonth,
  holiday,
  monthAndDay,
  monthEnd,
  numericDate,
  spokenDigitsDate,
} from './calendar-days.ts';
import { heardWords, isCorrection, isNegation, round, trustBeside, type Understood } from './heard-words.ts';
import { countedDays, relativeDay, weekdayDate } from './relative-days.ts';
import { compareDays, isoDay, localTime } from './zoned-time.ts';

export interface DateOptions {
  now: Date;
  timeZone: string;
  /** Which year "March third" means: the coming one (an appointment) or the last one (something that happened). */
  prefer?: 'future' | 'past';
  /** Whether "three four" is the fourth of March or the third of April. */
  monthFirst?: boolean;
}

export interface DateHeard extends DayHeard {
  at: number;
}

type Rule = (context: DateContext, at: number) => DayHeard | undefined;

const rules: Rule[] = [
  numericDate,
  monthAndDay,
  dayOfMonth,
  weekdayDate,
  relativeDay,
  countedDays,
  spokenDigitsDate,
  holiday,
  monthEnd,
];

/** "next Tuesday", "the fifth of March", "oh three fifteen eighty five" → `2026-03-05`. */
export function parseSpokenDate(text: string, options: DateOptions): Understood<string> | undefined {
  const words = dateWords(text);
  if (words.some(isNegation)) return undefined;
  const found = datesIn(words, options);
  const first = found[0];
  const last = found.at(-1);
  if (!first || !last) return undefined;
  const beside = words.filter((_, index) => !found.some((date) => index >= date.at && index < date.at + date.length));
  const trust = trustBeside(beside);
  if (found.every((date) => compareDays(date.day, first.day) === 0)) {
    return { value: isoDay(first.day), confidence: round(Math.max(...found.map((date) => date.sure)) * trust) };
  }
  const between = words.slice(first.at + first.length, last.at);
  if (between.some(isCorrection)) return { value: isoDay(last.day), confidence: round(0.6 * last.sure * trust) };
  return { value: isoDay(first.day), confidence: round(0.3 * trust) };
}

/** Words, with "3/15/1985" kept as one. */
export function dateWords(text: string): string[] {
  const dates = text.replace(/(\d{1,4})[/-](\d{1,2})[/-](\d{1,4})/g, '$1x$2x$3');
  return heardWords(dates).map((word) => word.replace(/'s$/, ''));
}

/** Every date of an answer, from left to right, the longest at each place. */
export function datesIn(words: readonly string[], options: DateOptions): DateHeard[] {
  const { year, month, day } = localTime(options.now, options.timeZone);
  const context: DateContext = {
    words,
    today: { year, month, day },
    prefer: options.prefer ?? 'future',
    monthFirst: options.monthFirst ?? true,
  };
  const found: DateHeard[] = [];
  let at = 0;
  while (at < words.length) {
    let best: DayHeard | undefined;
    for (const rule of rules) {
      const match = rule(context, at);
      if (match && (!best || match.length > best.length)) best = match;
    }
    if (best) found.push({ at, ...best });
    at += best?.length ?? 1;
  }
  return found;
}

import { monthNames, weekdayNames } from '../../speech/text/calendar.ts';
import { parseSpokenDateTime, type SpokenDateTime } from '../../speech/text/spoken-date-time.ts';
import { addDays, compareDays, type Day, localTime, weekdayOfDay } from '../../speech/text/zoned-time.ts';
import type { Clock } from './questions.ts';

/** The time of a callback in an utterance that may say much else. */
export function callbackTime(text: string, clock: Clock): SpokenDateTime | undefined {
  const asked = text.replace(/\b(?:until|till|til)\b/gi, 'after');
  const clauses = asked.split(/[,.;!?]+(?=\s|$)|\b(?:but|so|because|and)\b/i).filter((part) => part.trim() !== '');
  const fromCall = /\b(?:call|try|ring|phone|reach|available|free|back)\b.*$/is.exec(asked)?.[0];
  const candidates = [asked, ...(fromCall === undefined ? [] : [fromCall]), ...clauses];
  let best: SpokenDateTime | undefined;
  for (const candidate of candidates) {
    const heard = parseSpokenDateTime(candidate, clock);
    if (heard && (!best || (best.guessedHour && !heard.guessedHour))) best = heard;
  }
  return best;
}

/** "tomorrow at 3 PM", "on Tuesday, July 7, after 10:30 AM". */
export function sayWhen(moment: SpokenDateTime, clock: Clock): string {
  const local = localTime(moment.value, clock.timeZone);
  const day = sayDay(local, localTime(clock.now, clock.timeZone));
  if (moment.guessedHour) return day;
  const hour = local.hour % 12 === 0 ? 12 : local.hour % 12;
  const minute = local.minute === 0 ? '' : `:${String(local.minute).padStart(2, '0')}`;
  const bound = moment.bound === undefined ? 'at' : moment.bound;
  return `${day} ${bound} ${hour}${minute} ${local.hour < 12 ? 'AM' : 'PM'}`;
}

function sayDay(day: Day, today: Day): string {
  if (compareDays(day, today) === 0) return 'today';
  if (compareDays(day, addDays(today, 1)) === 0) return 'tomorrow';
  return `on ${weekdayNames[weekdayOfDay(day)]}, ${monthNames[day.month - 1]} ${day.day}`;
}

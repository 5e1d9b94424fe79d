/** A day of the calendar, counted without any time zone. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

export interface LocalTime extends Day {
  hour: number;
  minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/** What the clock on the wall shows at this instant. */
export function localTime(instant: Date, timeZone: string): LocalTime {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map((part) => [part.type, Number(part.value)]),
  );
  return {
    year: parts.get('year') ?? 0,
    month: parts.get('month') ?? 0,
    day: parts.get('day') ?? 0,
    hour: parts.get('hour') ?? 0,
    minute: parts.get('minute') ?? 0,
  };
}

/** The instant at which that clock shows this time; an hour that daylight saving skips comes out one later. */
export function instantOf(local: LocalTime, timeZone: string): Date {
  const wanted = wallClock(local);
  const day = 86_400_000;
  const offsets = [wanted - day, wanted + day].map((at) => wallClock(localTime(new Date(at), timeZone)) - at);
  const candidates = offsets.map((offset) => wanted - offset);
  const exact = candidates.find((at) => wallClock(localTime(new Date(at), timeZone)) === wanted);
  return new Date(exact ?? Math.max(...candidates));
}

function wallClock(local: LocalTime): number {
  return Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute);
}

export function addDays(day: Day, days: number): Day {
  return dayOf(new Date(Date.UTC(day.year, day.month - 1, day.day + days)));
}

/** The same day of another month, or that month's last. */
export function addMonths(day: Day, months: number): Day {
  const first = new Date(Date.UTC(day.year, day.month - 1 + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return { year: first.getUTCFullYear(), month: first.getUTCMonth() + 1, day: Math.min(day.day, last) };
}

function dayOf(date: Date): Day {
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Sunday 0 to Saturday 6. */
export function weekdayOfDay(day: Day): number {
  return new Date(Date.UTC(day.year, day.month - 1, day.day)).getUTCDay();
}

export function isoDay(day: Day): string {
  return `${String(day.year).padStart(4, '0')}-${two(day.month)}-${two(day.day)}`;
}

export function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Negative, zero or positive as the first day is before, the same as or after the second. */
export function compareDays(a: Day, b: Day): number {
  return Date.UTC(a.year, a.month - 1, a.day) - Date.UTC(b.year, b.month - 1, b.day);
}

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The month 1 to 12 that a name or its abbreviation means. */
export function monthOf(name: string): number | undefined {
  const lower = name.toLowerCase().replace(/\.$/, '');
  if (lower.length < 3) return undefined;
  const index = monthNames.findIndex((month) => month.toLowerCase() === lower || isShortFor(lower, month));
  return index < 0 ? undefined : index + 1;
}

/** The weekday, Sunday 0 to Saturday 6. */
export function weekdayOf(name: string): number | undefined {
  const lower = name.toLowerCase().replace(/\.$/, '');
  if (lower.length < 3) return undefined;
  const index = weekdayNames.findIndex((day) => day.toLowerCase() === lower || isShortFor(lower, day));
  return index < 0 ? undefined : index;
}

function isShortFor(short: string, name: string): boolean {
  return short.length <= 5 && name.toLowerCase().startsWith(short);
}

export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

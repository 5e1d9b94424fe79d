import { isDate, monthNames, monthOf, weekdayNames, weekdayOf } from './calendar.ts';
import { ordinal, year } from './number-words.ts';

// "may" and "march" are words before they are months, so those two count with a capital only.
const month = String.raw`(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|January|February|March|April|June|July|August|September|October|November|December|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|SEPT|OCT|NOV|DEC|january|february|april|june|july|august|september|october|november|december)\b\.?`;
const suffix = '(?:st|nd|rd|th)?';
const leapYear = 2024;
const monthFirstRegions = new Set(['US', 'PH', 'PR', 'GU', 'VI', 'AS', 'MP']);

/** Every date as people say it in English: "November fifteenth, twenty twenty-six". */
export function sayDates(text: string, region: string): string {
  const monthFirst = monthFirstRegions.has(region);
  return text
    .replace(
      /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])(?:T(?=\d{2}:\d{2}))?/g,
      (whole, y: string, m: string, d: string) => {
        const said = sayDate(Number(y), Number(m), Number(d));
        return said === undefined ? whole : whole.endsWith('T') ? `${said}, ` : said;
      },
    )
    .replace(
      /(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-]|\.\d)/g,
      (whole, first: string, separator: string, second: string, y: string) => {
        // Two digits with dots or dashes are as likely a version, a sort code or a clock.
        if (y.length === 2 && separator !== '/') return whole;
        const dayFirst = separator === '.' || Number(first) > 12 || (!monthFirst && Number(second) <= 12);
        const [m, d] = dayFirst ? [second, first] : [first, second];
        return sayDate(fullYear(y), Number(m), Number(d)) ?? whole;
      },
    )
    .replace(
      new RegExp(String.raw`${month} (\d{1,2})${suffix} ?- ?(\d{1,2})${suffix}(?![\d-])`, 'g'),
      (whole, name: string, from: string, to: string) => {
        const m = monthOf(name);
        if (m === undefined || !isDate(leapYear, m, Number(from)) || !isDate(leapYear, m, Number(to))) return whole;
        return `${monthNames[m - 1]} ${ordinal(from)} to ${ordinal(to)}`;
      },
    )
    .replace(
      new RegExp(String.raw`\b${month} (\d{1,2})${suffix}\b(?:,? (\d{4})(?!\d))?(?![:%\d]|[.,]\d)`, 'g'),
      (whole, name: string, d: string, y: string | undefined) =>
        sayDate(y === undefined ? undefined : Number(y), monthOf(name) ?? 0, Number(d)) ?? whole,
    )
    .replace(
      new RegExp(
        String.raw`(?<![\d.,:/-])(?:(the) )?(\d{1,2})${suffix}(?: of)?[ -]${month}(?:(?:,? |-)(\d{4})(?!\d))?`,
        'g',
      ),
      (whole, the: string | undefined, d: string, name: string, y: string | undefined) => {
        const said = sayDate(y === undefined ? undefined : Number(y), monthOf(name) ?? 0, Number(d));
        if (said === undefined) return whole;
        return the === undefined ? said : said.replace(/^(\w+) (\S+)/, (_, m: string, day: string) => swap(m, day));
      },
    )
    .replace(
      new RegExp(String.raw`\b${month},? (1[0-9]\d\d|2\d\d\d)(?![\d.,]\d|\d)`, 'g'),
      (_, name: string, y: string) => {
        return `${monthNames[(monthOf(name) ?? 1) - 1]} ${year(Number(y))}`;
      },
    )
    .replace(
      /(?<=(?:\b(?:on|by|until|till|from|since|before|after|due|dated)|day,?) )(\d{1,2})\/(\d{1,2})(?![\d/])/gi,
      (whole, first: string, second: string) => {
        const dayFirst = Number(first) > 12 || (!monthFirst && Number(second) <= 12);
        const [m, d] = dayFirst ? [second, first] : [first, second];
        return sayDate(undefined, Number(m), Number(d)) ?? whole;
      },
    )
    .replace(/\b(Jan|Feb|Aug|Sept|Sep|Oct|Nov|Dec)\b(\.)?/g, (whole, name: string, dot: string | undefined) =>
      dot || name !== 'Jan' ? (monthNames[(monthOf(name) ?? 1) - 1] ?? whole) : whole,
    );
}

function swap(monthName: string, day: string): string {
  const comma = day.endsWith(',') ? ',' : '';
  return `the ${day.replace(',', '')} of ${monthName}${comma}`;
}

function sayDate(y: number | undefined, m: number, d: number): string | undefined {
  if (!isDate(y ?? leapYear, m, d)) return undefined;
  const dayOfMonth = `${monthNames[m - 1]} ${ordinal(d)}`;
  if (y === undefined) return dayOfMonth;
  return y < 1000 || y > 2999 ? undefined : `${dayOfMonth}, ${year(y)}`;
}

function fullYear(written: string): number {
  if (written.length === 4) return Number(written);
  return Number(written) < 50 ? 2000 + Number(written) : 1900 + Number(written);
}

const surelyWeekday = 'Mon|Tues|Tue|Wed|Thurs|Thur|Thu|Fri|MON|TUE|WED|THU|FRI';
const anyWeekday = `${surelyWeekday}|Sat|Sun|SAT|SUN`;

/** "Mon-Fri" → "Monday to Friday". "Sat" and "Sun" alone are words and stay as they are. */
export function sayWeekdays(text: string): string {
  const full = (name: string) => weekdayNames[weekdayOf(name) ?? 0] ?? name;
  return text
    .replace(
      new RegExp(String.raw`\b(${anyWeekday})\b\.? ?- ?(${anyWeekday})\b(\.)?`, 'g'),
      (_, from: string, to: string, dot: string | undefined, at: number, all: string) =>
        `${full(from)} to ${full(to)}${dot && at + _.length === all.length ? '.' : ''}`,
    )
    .replace(new RegExp(String.raw`\b(${surelyWeekday})\b(?:\.(?= [a-z\d]|,))?`, 'g'), (_, name: string) => full(name))
    .replace(/\b(Sat|Sun)\.?,(?= (?:[A-Z][a-z]{2,8}\.? )?\d)/g, (_, name: string) => `${full(name)},`)
    .replace(/\b(Sat|Sun)(?= \d{1,2}(?::\d\d|[ap]m)| at \d)/g, (name) => full(name));
}

import { cardinal } from './number-words.ts';

const zones: Record<string, string> = {
  EST: 'Eastern Standard Time',
  EDT: 'Eastern Daylight Time',
  ET: 'Eastern Time',
  CST: 'Central Standard Time',
  CDT: 'Central Daylight Time',
  CT: 'Central Time',
  MST: 'Mountain Standard Time',
  MDT: 'Mountain Daylight Time',
  MT: 'Mountain Time',
  PST: 'Pacific Standard Time',
  PDT: 'Pacific Daylight Time',
  PT: 'Pacific Time',
  BST: 'British Summer Time',
  CET: 'Central European Time',
  CEST: 'Central European Summer Time',
  GMT: 'G M T',
  UTC: 'U T C',
  Z: 'U T C',
};
const zone = '(?:( ?)(EST|EDT|ET|CST|CDT|CT|MST|MDT|MT|PST|PDT|PT|BST|CET|CEST|GMT|UTC|Z)(?![A-Za-z]))?';
const half = String.raw`(?: ?([AaPp])(?:\.[Mm]\.?|[Mm](?![A-Za-z])))?`;
const sameSentence =
  /^(?: (?:[a-z\d]|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*day\b|[A-Z][a-z]+ time\b|Eastern|Central|Mountain|Pacific|EST|EDT|ET|CST|CDT|CT|MST|MDT|PST|PDT|PT|UTC|GMT|BST|CET|(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)|[,;:?!)])/;

/** "14:30" → "two thirty P M", "9am EST" → "nine A M Eastern Standard Time". */
export function sayTimes(text: string): string {
  return text
    .replace(
      new RegExp(
        String.raw`(?<![\d:.,])(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?![\d:]|\.\d)${half}${zone}`,
        'g',
      ),
      (
        whole,
        hours: string,
        minutes: string,
        seconds: string | undefined,
        meridiem: string | undefined,
        _gap: string | undefined,
        zoneCode: string | undefined,
        at: number,
        all: string,
      ) => {
        if (Number(hours) > 24 || (meridiem !== undefined && Number(hours) > 12)) return whole;
        const said = clock(Number(hours), Number(minutes), meridiem, hours.startsWith('0'));
        const exact = seconds && Number(seconds) > 0 ? ` and ${cardinal(seconds)} seconds` : '';
        return `${said}${exact}${zoneName(zoneCode)}${stop(whole, all, at)}`;
      },
    )
    .replace(
      new RegExp(String.raw`(?<![\d:.,])(\d{1,2}) ?([AaPp])(?:\.[Mm]\.?|[Mm](?![A-Za-z]))${zone}`, 'g'),
      (
        whole,
        hours: string,
        meridiem: string,
        _gap: string | undefined,
        zoneCode: string | undefined,
        at: number,
        all: string,
      ) => {
        if (Number(hours) > 12 || Number(hours) === 0) return whole;
        return `${clock(Number(hours), 0, meridiem, false)}${zoneName(zoneCode)}${stop(whole, all, at)}`;
      },
    )
    .replace(
      /\b([AaPp])\.[Mm]\.?(?![A-Za-z])/g,
      (whole, meridiem: string, at: number, all: string) => `${meridiem.toUpperCase()} M${stop(whole, all, at)}`,
    )
    .replace(/(?<![\d:.])(\d{1,3}):(\d{1,3})(?![\d:])/g, '$1 to $2');
}

/** The full stop of "p.m." is also the sentence's where a new sentence, or nothing, follows. */
function stop(whole: string, all: string, at: number): string {
  if (!whole.endsWith('.')) return '';
  const after = all.slice(at + whole.length, at + whole.length + 20);
  return sameSentence.test(after) ? '' : '.';
}

function zoneName(zoneCode: string | undefined): string {
  return zoneCode === undefined ? '' : ` ${zones[zoneCode] ?? zoneCode}`;
}

function clock(hours: number, minutes: number, meridiem: string | undefined, leadingZero: boolean): string {
  if (meridiem === undefined && hours % 24 === 0) {
    return minutes === 0 ? 'midnight' : `twelve${sayMinutes(minutes)} A M`;
  }
  const twelve = hours % 12 === 0 ? 12 : hours % 12;
  const said = `${cardinal(twelve)}${minutes === 0 ? '' : sayMinutes(minutes)}`;
  if (meridiem !== undefined) return `${said} ${meridiem.toUpperCase()} M`;
  if (hours > 12) return `${said} P M`;
  if (leadingZero) return `${said} A M`;
  return minutes === 0 ? `${said} o'clock` : said;
}

function sayMinutes(minutes: number): string {
  return minutes < 10 ? ` oh ${cardinal(minutes)}` : ` ${cardinal(minutes)}`;
}

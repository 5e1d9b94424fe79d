import {
  type CountryCode,
  findPhoneNumbersInText,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import { digitsApart } from './number-words.ts';

const candidate = /(?<![\w$£€¥₹.,+-])(?:\+ ?|\()?\d(?:[().\- /]{0,3}\d){6,17}(?![\w%]|[.,:/-]\d)/g;
const extension = String.raw`(?:,? ?(?:ext\.?|extension|x) ?(\d{1,6})(?!\d))?`;
const local = new RegExp(String.raw`(?<![\w$£€.,/-])(\d{3})-(\d{4})(?![\w%/-]|[.,]\d)${extension}`, 'gi');
const telephoneContext = /\b(?:call|phone|dial|number|reach|text|tel|fax|mobile|cell|line)\b[^.!?]{0,15}$/i;
const otherNumber =
  /\b(?:order|account|acct|invoice|reference|ref|confirmation|ticket|case|policy|tracking|member|customer|card|routing|serial|booking|reservation|code|pin|id)\b[^.!?\d]{0,20}$/i;

/** Digit by digit, in the groups the country writes, with a comma for the pause between them. */
export function sayPhoneNumbers(text: string, region: CountryCode): string {
  return text
    .replace(candidate, (written, at: number, all: string) =>
      otherNumber.test(all.slice(Math.max(0, at - 40), at)) ? written : (sayCandidate(written, region) ?? written),
    )
    .replace(local, (whole, first: string, second: string, ext: string | undefined, at: number, all: string) => {
      const isNumber =
        second.startsWith('0') || first === '555' || telephoneContext.test(all.slice(Math.max(0, at - 30), at));
      return isNumber ? `${digitsApart(first)}, ${digitsApart(second)}${sayExtension(ext)}` : whole;
    })
    .replace(/,? ?\b(?:ext\.?|extension|x)[ :#]{0,2}(\d{1,6})(?![\w])/gi, (_, digits: string) => sayExtension(digits));
}

function sayCandidate(written: string, region: CountryCode): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}|^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}/.test(written)) return undefined;
  const whole = parsePhoneNumberFromString(written, region);
  if (whole && isTelephone(whole, written)) return sayNumber(whole, written);
  let found = false;
  let said = '';
  let at = 0;
  for (const match of findPhoneNumbersInText(written, region)) {
    said += `${written.slice(at, match.startsAt)}${sayNumber(match.number, written.slice(match.startsAt, match.endsAt))}`;
    at = match.endsAt;
    found = true;
  }
  return found ? said + written.slice(at) : undefined;
}

function isTelephone(number: PhoneNumber, written: string): boolean {
  return number.isValid() || (number.isPossible() && (written.startsWith('+') || /^\(?0/.test(written)));
}

function sayNumber(number: PhoneNumber, written: string): string {
  const international = written.trimStart().startsWith('+');
  const groups = (international ? number.formatInternational() : number.formatNational()).match(/\d+/g) ?? [];
  const country = !international && /^1\D?\d{3}/.test(written) && number.countryCallingCode === '1' ? ['1'] : [];
  return (international ? 'plus ' : '') + [...country, ...groups].map(digitsApart).join(', ');
}

function sayExtension(digits: string | undefined): string {
  return digits === undefined ? '' : `, extension ${digitsApart(digits)}`;
}

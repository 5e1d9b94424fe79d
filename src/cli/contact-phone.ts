import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Digits with the country code, or why the text cannot be a number of that kind. */
export function toContactPhone(text: string, country: CountryCode): { phone: string } | { fault: string } {
  // Numbers copied out of address books carry invisible direction marks.
  const written = text.replace(/\p{Cf}/gu, '').replace(/^tel:/i, '');
  if (/^\d+([.,]\d+)?E\+?\d+$/i.test(written)) {
    return { fault: 'was shortened by a spreadsheet; format the column as text and export it again' };
  }
  const number = parsePhoneNumberFromString(written, { defaultCountry: country, extract: false });
  if (number?.ext) return { fault: 'has an extension, which cannot be dialled' };
  if (number?.isValid()) return { phone: number.number.slice(1) };
  const isDigits = /^\d{7,15}$/.test(written);
  const abroad = isDigits && parsePhoneNumberFromString(`+${written}`)?.isValid() === true;
  const meant = abroad ? `; if it has a country code, write "+${written}"` : '';
  return { fault: `is not a valid number${written.startsWith('+') ? '' : ` in ${country}`}${meant}` };
}

import type { CountryCode } from 'libphonenumber-js';
import { sayInitialisms } from './initialisms.ts';
import { toPlainLetters, withoutMarkup } from './plain-text.ts';
import { sayAbbreviations } from './say-abbreviations.ts';
import { sayAddresses } from './say-addresses.ts';
import { sayCodes, sayIdentifiers } from './say-codes.ts';
import { sayDates, sayWeekdays } from './say-dates.ts';
import { sayMoney } from './say-money.ts';
import { openRanges, sayFractions, sayNumbers } from './say-numbers.ts';
import { sayPhoneNumbers } from './say-phone-numbers.ts';
import { sayRomanNumerals } from './say-roman-numerals.ts';
import { saySignsOfNumbers, saySymbols, tidy } from './say-symbols.ts';
import { sayTimes } from './say-times.ts';
import { sayUnits } from './say-units.ts';

/** What is written becomes what is said: plain English words, with the punctuation that steers the pauses. */
export function speakable(text: string, options: { region?: CountryCode } = {}): string {
  const region = options.region ?? 'US';
  let said = say(text, region);
  // Scraps written together ("5Jan.") come apart in the first round and are read in the next.
  for (let round = 0; round < 4; round++) {
    const again = say(said, region);
    if (again === said) break;
    said = again;
  }
  return said;
}

function say(text: string, region: CountryCode): string {
  // The order is the meaning: each step reads what is surely its own and leaves words that no later step takes up.
  let said = withoutMarkup(toPlainLetters(text));
  said = sayAddresses(said);
  said = sayAbbreviations(said);
  said = saySignsOfNumbers(said);
  said = sayPhoneNumbers(said, region);
  said = sayIdentifiers(said);
  said = sayWeekdays(said);
  said = sayDates(said, region);
  said = openRanges(said);
  said = sayTimes(said);
  said = sayMoney(said);
  said = sayUnits(said);
  said = sayFractions(said);
  said = sayCodes(said);
  said = sayNumbers(said);
  said = sayRomanNumerals(said);
  said = sayInitialisms(said);
  return tidy(saySymbols(said));
}

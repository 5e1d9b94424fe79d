import { heardWords, isCorrection, isNegation, round, trustBeside, type Understood } from './heard-words.ts';
import { type NumberHeard, numbersIn, outside } from './spoken-number.ts';

export interface Money {
  amount: number;
  currency: string;
  approximate: boolean;
}

const currencyWords: Record<string, string> = {
  $: 'USD',
  dollar: 'USD',
  dollars: 'USD',
  buck: 'USD',
  bucks: 'USD',
  usd: 'USD',
  '€': 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  eur: 'EUR',
  '£': 'GBP',
  pound: 'GBP',
  pounds: 'GBP',
  quid: 'GBP',
  gbp: 'GBP',
  '¥': 'JPY',
  yen: 'JPY',
  '₹': 'INR',
  rupee: 'INR',
  rupees: 'INR',
};
const cents = new Set(['cent', 'cents', 'penny', 'pennies', 'pence', 'paise', 'paisa']);
const approximations = new Set(
  'about around roughly approximately maybe probably almost nearly ish perhaps like over under least most up somewhere'.split(
    ' ',
  ),
);

/** "about twenty five hundred dollars" → 2500 USD, approximately. A range is not an amount: undefined. */
export function parseSpokenMoney(text: string, options: { currency?: string } = {}): Understood<Money> | undefined {
  const words = heardWords(text);
  const numbers = numbersIn(words).filter((number) => !number.ordinal);
  const amounts = amountsOf(words, numbers);
  const first = amounts[0];
  const last = amounts.at(-1);
  if (!first || !last) return undefined;
  const beside = outside(words, amounts).filter((word) => !isCurrency(word));
  if (beside.some(isNegation) || beside.includes('%') || beside.includes('percent')) return undefined;
  const approximate = beside.some((word) => approximations.has(word));
  const trust = trustBeside(beside.filter((word) => !approximations.has(word)));
  const corrected = amounts.length > 1 && words.slice(first.at + first.length, last.at).some(isCorrection);
  if (amounts.length > 1 && !corrected && amounts.some((amount) => amount.value !== first.value)) return undefined;
  const chosen = corrected ? last : first;
  const currency = chosen.currency ?? options.currency ?? 'USD';
  const sure = chosen.sure * (corrected ? 0.65 : 1) * (chosen.currency ? 1 : 0.6);
  return { value: { amount: chosen.value, currency, approximate }, confidence: round(sure * trust) };
}

function isCurrency(word: string): boolean {
  return currencyWords[word] !== undefined || cents.has(word);
}

interface Amount {
  at: number;
  length: number;
  value: number;
  currency: string | undefined;
  sure: number;
}

function amountsOf(words: readonly string[], numbers: readonly NumberHeard[]): Amount[] {
  const amounts: Amount[] = [];
  for (const number of numbers) {
    const end = number.at + number.length;
    const isCents = cents.has(words[end] ?? '');
    const before = amounts.at(-1);
    const gap = before ? words.slice(before.at + before.length, number.at) : [];
    // "two dollars and fifty cents", "two dollars fifty", but not "two dollars or fifty".
    if (before?.currency && gap.every((word) => word === 'and') && Number.isInteger(before.value)) {
      if (number.value > 0 && number.value < 100 && Number.isInteger(number.value) && (isCents || gap.length === 0)) {
        before.value = (before.value * 100 + number.value) / 100;
        before.length = end + (isCents ? 1 : 0) - before.at;
        if (!isCents) before.sure *= 0.9;
        continue;
      }
    }
    const sign = currencyWords[words[number.at - 1] ?? ''];
    const word = currencyWords[words[end] ?? ''];
    const at = sign ? number.at - 1 : number.at;
    amounts.push({
      at,
      length: end + (word || isCents ? 1 : 0) - at,
      value: isCents ? number.value / 100 : number.value,
      currency:
        sign ??
        word ??
        (isCents ? centsOf(words[end] ?? '') : undefined) ??
        (words[end - 1] === 'grand' ? 'USD' : undefined),
      sure: number.style === 'pairs' ? 0.6 : number.style === 'digits' ? 0.7 : 1,
    });
  }
  return amounts.filter((amount) => amount.value >= 0);
}

function centsOf(word: string): string | undefined {
  if (word === 'pence') return 'GBP';
  return /^pais/.test(word) ? 'INR' : 'USD';
}

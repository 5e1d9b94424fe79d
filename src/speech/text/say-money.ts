import { cardinal, decimal } from './number-words.ts';
import { writtenNumber } from './say-numbers.ts';

interface Currency {
  one: string;
  many: string;
  cent?: string;
  cents?: string;
}

const dollar: Currency = { one: 'dollar', many: 'dollars', cent: 'cent', cents: 'cents' };
const currencies: Record<string, Currency> = {
  $: dollar,
  US$: dollar,
  USD: dollar,
  A$: { ...dollar, one: 'Australian dollar', many: 'Australian dollars' },
  AUD: { ...dollar, one: 'Australian dollar', many: 'Australian dollars' },
  C$: { ...dollar, one: 'Canadian dollar', many: 'Canadian dollars' },
  CAD: { ...dollar, one: 'Canadian dollar', many: 'Canadian dollars' },
  '€': { one: 'euro', many: 'euros', cent: 'cent', cents: 'cents' },
  EUR: { one: 'euro', many: 'euros', cent: 'cent', cents: 'cents' },
  '£': { one: 'pound', many: 'pounds', cent: 'penny', cents: 'pence' },
  GBP: { one: 'pound', many: 'pounds', cent: 'penny', cents: 'pence' },
  '¥': { one: 'yen', many: 'yen' },
  JPY: { one: 'yen', many: 'yen' },
  '₹': { one: 'rupee', many: 'rupees', cent: 'paisa', cents: 'paise' },
  INR: { one: 'rupee', many: 'rupees', cent: 'paisa', cents: 'paise' },
  CHF: { one: 'Swiss franc', many: 'Swiss francs' },
};
const scales: Record<string, string> = {
  k: 'thousand',
  thousand: 'thousand',
  m: 'million',
  mn: 'million',
  mm: 'million',
  million: 'million',
  b: 'billion',
  bn: 'billion',
  billion: 'billion',
  trillion: 'trillion',
};
const scale = String.raw`(?:(k|m|mn|mm|b|bn)\b| (thousand|million|billion|trillion)\b)?`;
const symbol = String.raw`(US\$|A\$|C\$|[$€£¥₹])`;
const code = '(USD|AUD|CAD|EUR|GBP|JPY|INR|CHF)';
const singularFollows =
  /^ (?:bill|note|coin|coupon|voucher|gift|discount|fee|credit|deposit|check|cheque|charge|fine)\b/;

/** "$5.50" → "five dollars and fifty cents"; also ranges, "£3bn", "5 EUR" and "$20/month". */
export function sayMoney(text: string): string {
  return text
    .replace(/\bRs\.? ?(?=\d)/g, '₹')
    .replace(/(?<![\d.,])\d{1,3}(?:\.\d{3}){1,4},\d{2}(?!\d)/g, (european) =>
      european.replaceAll('.', '').replace(',', '.'),
    )
    .replace(/(?<=€ ?\d{1,9}),(?=\d{2}(?!\d))|(?<=(?<![\d.,])\d{1,9}),(?=\d{2} ?(?:€|EUR\b))/g, '.')
    .replace(
      new RegExp(`${symbol} ?(${writtenNumber}) to ${symbol} ?(?=\\d)`, 'g'),
      (whole, sign: string, from: string, other: string) => (sign === other ? `${decimal(from)} to ${sign}` : whole),
    )
    .replace(new RegExp(`${symbol} ?(${writtenNumber}) to (${writtenNumber})${scale}(?![\\d:])`, 'gi'), sayRange)
    .replace(
      new RegExp(`(-)?(?<![A-Za-z\\d])${symbol} ?(-)?(${writtenNumber})${scale}(?!\\d)`, 'gi'),
      (
        whole,
        minus: string | undefined,
        sign: string,
        inner: string | undefined,
        amount: string,
        short: string | undefined,
        long: string | undefined,
        at: number,
        all: string,
      ) =>
        say(sign, amount, short ?? long, Boolean(minus ?? inner), all.slice(at + whole.length, at + whole.length + 12)),
    )
    .replace(
      new RegExp(`(?<![\\d.,\\w])(-)?(${writtenNumber})${scale} ?(?:([€£¥₹])|${code}\\b)`, 'g'),
      (
        _,
        minus: string | undefined,
        amount: string,
        short: string | undefined,
        long: string | undefined,
        sign: string | undefined,
        letters: string | undefined,
      ) => say(sign ?? letters ?? '$', amount, short ?? long, Boolean(minus), ''),
    )
    .replace(
      new RegExp(`\\b${code} ?(${writtenNumber})${scale}(?!\\d)`, 'g'),
      (_, letters: string, amount: string, short: string | undefined, long: string | undefined) =>
        say(letters, amount, short ?? long, false, ''),
    )
    .replace(/(?<![\d.,])(\d{1,4}) ?¢/g, (_, cents: string) => `${cardinal(cents)} ${cents === '1' ? 'cent' : 'cents'}`)
    .replace(
      /\b(dollars?|euros?|pounds?|yen|rupees?|cents?|pence)\/(?=[A-Za-z])/g,
      (_, unit: string) => `${unit} per `,
    );
}

function sayRange(
  _: string,
  sign: string,
  from: string,
  to: string,
  short: string | undefined,
  long: string | undefined,
): string {
  return `${decimal(from)} to ${say(sign, to, short ?? long, false, '')}`;
}

function say(sign: string, amount: string, scaled: string | undefined, minus: boolean, after: string): string {
  const currency = currencies[sign.toUpperCase()] ?? dollar;
  const lead = minus ? 'minus ' : '';
  if (scaled) return `${lead}${decimal(amount)} ${scales[scaled.toLowerCase()] ?? ''} ${currency.many}`;
  const [whole = '0', fraction = ''] = amount.replaceAll(',', '').split('.');
  if (singularFollows.test(after) && Number(fraction) === 0) return `${lead}${cardinal(whole)} ${currency.one}`;
  if (fraction.length > 2 || (fraction !== '' && !currency.cents)) return `${lead}${decimal(amount)} ${currency.many}`;
  const cents = Number(fraction.padEnd(2, '0'));
  const units = `${cardinal(whole)} ${Number(whole) === 1 ? currency.one : currency.many}`;
  if (cents === 0) return lead + units;
  const small = `${cardinal(cents)} ${cents === 1 ? currency.cent : currency.cents}`;
  return lead + (Number(whole) === 0 ? small : `${units} and ${small}`);
}

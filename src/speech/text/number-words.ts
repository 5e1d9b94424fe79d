const small = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const scales = ['', ' thousand', ' million', ' billion', ' trillion', ' quadrillion'];
const irregularOrdinals: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** Past this many digits nobody follows a quantity: such a number is said digit by digit. */
export const longestQuantity = 15;

/** `123` → "one hundred twenty-three". Takes the digits as written, so that nothing is rounded. */
export function cardinal(digits: string | number): string {
  const plain = String(digits).replace(/^0+(?=\d)/, '');
  if (plain.length > longestQuantity) return digitsApart(plain);
  if (plain === '0') return 'zero';
  const words: string[] = [];
  const groups = Math.ceil(plain.length / 3);
  for (let group = groups - 1; group >= 0; group--) {
    const end = plain.length - group * 3;
    const value = Number(plain.slice(Math.max(0, end - 3), end));
    if (value > 0) words.push(`${underThousand(value)}${scales[group] ?? ''}`);
  }
  return words.join(' ');
}

function underThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const parts: string[] = [];
  if (hundreds > 0) parts.push(`${small[hundreds]} hundred`);
  if (rest > 0) parts.push(underHundred(rest));
  return parts.join(' ');
}

function underHundred(value: number): string {
  if (value < 20) return small[value] ?? '';
  const unit = value % 10;
  const ten = tens[Math.floor(value / 10)] ?? '';
  return unit === 0 ? ten : `${ten}-${small[unit]}`;
}

/** `22` → "twenty-second". */
export function ordinal(digits: string | number): string {
  const words = cardinal(digits);
  const last = /[a-z]+$/.exec(words)?.[0] ?? '';
  const head = words.slice(0, words.length - last.length);
  const irregular = irregularOrdinals[last];
  if (irregular) return head + irregular;
  return head + (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
}

/** `0142` → "zero one four two". */
export function digitsApart(digits: string): string {
  return Array.from(digits, (digit) => small[Number(digit)] ?? digit).join(' ');
}

/** Long strings of digits get a small pause after every third, so that a listener can write along. */
export function digitsInGroups(digits: string): string {
  if (digits.length < 7) return digitsApart(digits);
  const groups: string[] = [];
  let at = 0;
  while (at < digits.length) {
    const size = digits.length - at === 4 ? 4 : 3;
    groups.push(digitsApart(digits.slice(at, at + size)));
    at += size;
  }
  return groups.join(', ');
}

/** `3.05` → "three point zero five". Thousands commas are taken as such. */
export function decimal(written: string): string {
  const [whole = '0', fraction] = written.replaceAll(',', '').split('.');
  const said = cardinal(whole === '' ? '0' : whole);
  return fraction ? `${said} point ${digitsApart(fraction)}` : said;
}

/** `1999` → "nineteen ninety-nine", `2005` → "two thousand five". Takes a year from 1000 to 2999. */
export function year(value: number): string {
  const century = Math.floor(value / 100);
  const rest = value % 100;
  if (century % 10 === 0 && rest < 10) return cardinal(value);
  if (rest === 0) return `${underHundred(century)} hundred`;
  return `${underHundred(century)} ${rest < 10 ? `oh ${small[rest]}` : underHundred(rest)}`;
}

import { cardinal, ordinal } from './number-words.ts';

const monarch =
  /\b(?:Henry|Louis|George|Edward|Richard|William|James|Charles|Elizabeth|Catherine|Mary|Napoleon|Philip|Francis|Frederick|Peter|Alexander|Ivan|Nicholas|Pius|Paul|John|Benedict|Gregory|Leo|Innocent|Clement|Urban|Victoria|Margrethe|Ramses|Rameses|Wilhelm|Otto|Felipe|Carlos|Malcolm|Robert)$/;
const numbered =
  /\b(?:War|Chapter|Part|Phase|Volume|Act|Type|Class|Level|Book|Section|Article|Title|Stage|Grade|Bowl|Apollo|Rocky|Schedule|Appendix|Unit|Tier)$/i;
const romanValues: Record<string, number> = { I: 1, V: 5, X: 10, L: 50 };

/** "Henry VIII" → "Henry the eighth", "World War II" → "World War two"; nothing else is taken for a numeral. */
export function sayRomanNumerals(text: string): string {
  return text.replace(
    /(?<=[A-Za-z]) ([IVXL]{1,7})(?![A-Za-z'.-]|\.[A-Za-z])|(?<=[A-Za-z]) ([IVXL]{2,7})(?=\.)/g,
    (whole, first: string | undefined, second: string | undefined, at: number, all: string) => {
      const numeral = first ?? second ?? '';
      if (!/^(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/.test(numeral)) return whole;
      const before = all.slice(Math.max(0, at - 16), at);
      const value = romanValue(numeral);
      if (numeral === 'I') return whole;
      if (monarch.test(before)) return ` the ${ordinal(value)}`;
      if (numbered.test(before)) return ` ${cardinal(value)}`;
      return numeral === 'III' || numeral === 'II'
        ? ` ${/[A-Z][a-z]+ [A-Z][a-z]+$/.test(before) ? `the ${ordinal(value)}` : cardinal(value)}`
        : whole;
    },
  );
}

function romanValue(numeral: string): number {
  let total = 0;
  for (let index = 0; index < numeral.length; index++) {
    const value = romanValues[numeral.charAt(index)] ?? 0;
    const next = romanValues[numeral.charAt(index + 1)] ?? 0;
    total += value < next ? -value : value;
  }
  return total;
}

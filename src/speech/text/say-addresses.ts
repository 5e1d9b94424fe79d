import { digitsApart } from './number-words.ts';
import { isPronounceable, lettersApart } from './pronounceable.ts';

const signs: Record<string, string> = {
  '.': 'dot',
  '-': 'dash',
  _: 'underscore',
  '+': 'plus',
  '/': 'slash',
  '?': 'question mark',
  '=': 'equals',
  '&': 'and',
  '#': 'hash',
  '%': 'percent',
  '~': 'tilde',
  ':': 'colon',
  '@': 'at',
};
const saidDomains = new Set(['com', 'net', 'org', 'gov', 'info', 'biz', 'app', 'dev', 'shop', 'store', 'online', 'co']);
// Without https:// or www. only these make "word.word" an address; "call.me" is a missing space.
const bareDomains =
  'com|org|net|edu|gov|mil|info|biz|app|dev|shop|store|online|io|ai|co|uk|ca|de|fr|es|nl|ch|eu|au|nz|ie|tv|tech|health|care|cloud|xyz';
const host = String.raw`[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,5}`;
const email = new RegExp(
  String.raw`(?<![A-Za-z0-9._%+-])(?:mailto:)?([A-Za-z0-9_%+-]{1,64}(?:\.[A-Za-z0-9_%+-]{1,64}){0,6})@(${host}\.[A-Za-z]{2,24})(?![A-Za-z0-9-])`,
  'g',
);
const path = String.raw`(?::\d{2,5})?(?:[/?#][\w\-./?=&%#~+:@]*)?`;
const url = new RegExp(
  String.raw`(?<![A-Za-z0-9@.-])(?:(?:https?:\/\/(?:www\.)?|www\.)(${host}\.[A-Za-z]{2,24}|localhost)|((?:[A-Za-z0-9-]{1,63}\.){1,5}(?:${bareDomains})))(?![A-Za-z0-9@-])(${path})`,
  'gi',
);

/** "john.smith@acme.com" → "john dot smith at acme dot com". */
export function sayAddresses(text: string): string {
  return text
    .replace(email, (_, local: string, domain: string) => `${sayParts(local)} at ${sayHost(domain)}`)
    .replace(url, (whole, named: string | undefined, bare: string | undefined, rest: string) => {
      const domain = named ?? bare ?? '';
      if (/^\d+\.\d+$/.test(domain)) return whole;
      const ending = /[.?!,:;&=%#~+@_-]*$/.exec(rest)?.[0] ?? '';
      const kept = rest.slice(0, rest.length - ending.length).replace(/\/$/, '');
      return `${sayHost(domain)}${kept === '' ? '' : ` ${sayParts(kept)}`}${ending}`;
    });
}

function sayHost(domain: string): string {
  const labels = domain.toLowerCase().split('.');
  return labels
    .map((label, index) => {
      if (index === labels.length - 1 || (index === labels.length - 2 && label === 'co')) {
        return saidDomains.has(label) || label.length > 3 ? label : lettersApart(label);
      }
      // The voice reads "gmail" as one syllable.
      return label === 'gmail' ? 'gee mail' : sayParts(label);
    })
    .join(' dot ');
}

function sayParts(text: string): string {
  const parts = text.match(/[A-Za-z]+|\d+|./g) ?? [];
  return parts
    .map((part) => {
      if (/^\d/.test(part)) return digitsApart(part);
      if (/^[A-Za-z]/.test(part))
        return part.length > 2 && isPronounceable(part) ? part.toLowerCase() : lettersApart(part);
      return signs[part] ?? ' ';
    })
    .join(' ');
}

import { digitsApart } from './number-words.ts';

const beforeName: Record<string, string> = {
  Mr: 'Mister',
  Mrs: 'Missus',
  Ms: 'Miz',
  Messrs: 'Messieurs',
  Prof: 'Professor',
  Rev: 'Reverend',
  Gen: 'General',
  Sgt: 'Sergeant',
  Capt: 'Captain',
  Lt: 'Lieutenant',
  Col: 'Colonel',
  Gov: 'Governor',
  Sen: 'Senator',
  Rep: 'Representative',
  Hon: 'Honorable',
  Mt: 'Mount',
  Ft: 'Fort',
};
const streets: Record<string, string> = {
  Ave: 'Avenue',
  Av: 'Avenue',
  Rd: 'Road',
  Blvd: 'Boulevard',
  Ln: 'Lane',
  Ct: 'Court',
  Pl: 'Place',
  Pkwy: 'Parkway',
  Hwy: 'Highway',
  Sq: 'Square',
  Ter: 'Terrace',
  St: 'Street',
  Dr: 'Drive',
};
// With or without their full stop; none of them is also a word.
const anywhere: Record<string, string> = {
  vs: 'versus',
  approx: 'approximately',
  dept: 'department',
  govt: 'government',
  mgmt: 'management',
  mgr: 'manager',
  asst: 'assistant',
  appt: 'appointment',
  appts: 'appointments',
  blvd: 'boulevard',
  pls: 'please',
  msg: 'message',
};
const withDot: Record<string, string> = {
  est: 'established',
  max: 'maximum',
  min: 'minimum',
  avg: 'average',
  misc: 'miscellaneous',
  incl: 'including',
  excl: 'excluding',
  tel: 'telephone',
  univ: 'university',
  assn: 'association',
  bros: 'brothers',
  vol: 'volume',
  fig: 'figure',
  pp: 'pages',
};
const companies: Record<string, string> = {
  Inc: 'Incorporated',
  Ltd: 'Limited',
  Corp: 'Corporation',
  Co: 'Company',
  Jr: 'Junior',
  Sr: 'Senior',
  Esq: 'Esquire',
};
const states: Record<string, string> = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'D C',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
};
const stateCode = Object.keys(states).join('|');
// ", OK?" and ", HI!" are not Oklahoma and Hawaii; these need their ZIP code.
const wordLikeStates = new Set(['OK', 'HI', 'ME', 'IN', 'OR', 'ID']);
const houseBefore = /(?:^|[^\d])\d{1,6}[A-Z]?(?: [NSEW]\.?)?(?: (?:[A-Z][a-z]{0,20}|\d{1,3}(?:st|nd|rd|th))){1,3} $/;
const nameBefore =
  /(?:\b(?:on|at|near|to|from|of|off|and|along|down) |[a-z,] )(?:[A-Z][a-z]{1,20}|\d{1,3}(?:st|nd|rd|th)) $/;
const capitalised = /^ [A-Z]/;

/** Titles, streets, companies, states with ZIP codes, and what is short for a word. */
export function sayAbbreviations(text: string): string {
  return text
    .replace(
      new RegExp(String.raw`(?<=[A-Za-z.])(,)? (${stateCode})\.?,? (\d{5})(?:-(\d{4}))?(?![\w-])`, 'g'),
      (_, _comma: string | undefined, code: string, zip: string, plus: string | undefined) =>
        `, ${states[code] ?? code}, ${digitsApart(zip)}${plus ? `, ${digitsApart(plus)}` : ''}`,
    )
    .replace(
      new RegExp(
        String.raw`(?<=[A-Z][a-z]{1,20}), (${stateCode})(?=[.,;]|$| (?:and|or|is|on|in|at|to|for|with|by)\b)`,
        'g',
      ),
      (whole, code: string) => (wordLikeStates.has(code) ? whole : `, ${states[code] ?? code}`),
    )
    .replace(/\b(Dr|St)\b(\.)?(?!')/g, sayDoctorOrStreet)
    .replace(
      /\b(Mr|Mrs|Ms|Messrs|Prof|Rev|Gen|Sgt|Capt|Lt|Col|Gov|Sen|Rep|Hon|Mt|Ft)\b(\.)?(?= [A-Z])/g,
      (whole, title: string, dot: string | undefined) =>
        dot || /^M[rs]|^Messrs/.test(title) ? (beforeName[title] ?? whole) : whole,
    )
    .replace(
      /(?<=(?:[A-Z][a-z]{0,20}|\d(?:st|nd|rd|th)) )(Ave|Av|Rd|Blvd|Ln|Ct|Pl|Pkwy|Hwy|Sq|Ter)\b(\.)?/g,
      (whole, short: string, dot: string | undefined, at: number, all: string) =>
        (streets[short] ?? whole) + sentenceStop(dot, all, at + whole.length),
    )
    .replace(
      /(?<=[A-Za-z],? )(Inc|Ltd|Corp|Jr|Sr|Esq)\b(\.)?|(?<=(?:[A-Z][a-z]{0,20}|&|and) )(Co)\./g,
      (whole, short: string | undefined, dot: string | undefined, co: string | undefined, at: number, all: string) =>
        (companies[short ?? co ?? ''] ?? whole) + sentenceStop(dot ?? (co && '.'), all, at + whole.length),
    )
    .replace(/\be\. ?g\.,?/gi, 'for example,')
    .replace(/\bi\. ?e\.,?/gi, 'that is,')
    .replace(
      /\betc\b(\.)?/gi,
      (whole, dot: string | undefined, at: number, all: string) =>
        `et cetera${sentenceStop(dot, all, at + whole.length)}`,
    )
    .replace(/\b(?:(?:Apt|APT)\b\.?|apt\.)(?= ?#?[A-Z\d])/g, 'Apartment')
    .replace(/\bSte\b\.?(?= ?#?\d)/g, 'Suite')
    .replace(/\bP\. ?O\. (?=Box\b)/g, 'P O ')
    .replace(/\bnos?\.(?= ?#?\d)/gi, (whole) => (whole.startsWith('N') ? 'Number' : 'number'))
    .replace(/\bw\/o\b/gi, 'without')
    .replace(/\bw\/(?= ?[a-z])/gi, 'with ')
    .replace(/\bn\/a\b/gi, 'not applicable')
    .replace(/\bc\/o\b/gi, 'care of')
    .replace(/\band\/or\b/gi, 'and or')
    .replace(/\bA\/C\b/g, 'A C')
    .replace(
      /(?<![A-Za-z'-])(vs|approx|dept|govt|mgmt|mgr|asst|appts?|blvd|pls|msg)\b(\.)?(?!')/gi,
      (whole, short: string, dot: string | undefined, at: number, all: string) =>
        matchCase(anywhere[short.toLowerCase()] ?? whole, short) + sentenceStop(dot, all, at + whole.length),
    )
    .replace(
      /(?<![A-Za-z'-])(est|max|min|avg|misc|incl|excl|tel|univ|assn|bros|vol|fig|pp)\.(?=:? ?[a-z\d])/gi,
      (whole, short: string) => matchCase(withDot[short.toLowerCase()] ?? whole, short),
    );
}

function matchCase(word: string, short: string): string {
  return /^[A-Z][a-z]/.test(short) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}

/** The full stop of an abbreviation is also the sentence's where a new sentence, or nothing, follows. */
function sentenceStop(dot: string | undefined, all: string, end: number): string {
  if (!dot) return '';
  if (/^ (?:Apt|Apartment|Suite|Ste|Unit)\b/.test(all.slice(end, end + 11))) return ',';
  return /^(?:["')\]]{0,2}$|["')]? [A-Z](?:[a-z']|\s))/.test(all.slice(end, end + 4)) ? '.' : '';
}

function sayDoctorOrStreet(whole: string, short: string, dot: string | undefined, at: number, all: string): string {
  const before = all.slice(Math.max(0, at - 50), at);
  const after = all.slice(at + whole.length, at + whole.length + 4);
  const street = streets[short] ?? whole;
  if (houseBefore.test(before))
    return street + sentenceStop(dot, all, at + whole.length).replace('.', /^ /.test(after) ? ',' : '.');
  if (capitalised.test(after) && !(nameBefore.test(before) && /^ [A-Z][a-z]* ?$/.test(after) && !dot)) {
    return short === 'Dr' ? 'Doctor' : 'Saint';
  }
  if (nameBefore.test(before) || /(?:^|\s)(?:[A-Z][a-z]{1,20}|\d{1,3}(?:st|nd|rd|th)) $/.test(before)) {
    return street + sentenceStop(dot, all, at + whole.length);
  }
  return short === 'Dr' && dot ? 'Doctor' : whole;
}

import { isTooLong, round, type Understood } from './heard-words.ts';

// Read before everything else, longest first: they hold "no" or "not" without meaning it, or leave the question open.
const open = [
  "i don't know",
  'i dont know',
  'i do not know',
  "don't know",
  'dunno',
  'no idea',
  'not sure',
  "i'm not certain",
  "can't say",
  'hard to say',
  'yes and no',
  'yes or no',
  'maybe',
  'perhaps',
  'possibly',
  'might be',
  'it depends',
  'depends',
  'not now',
  'not right now',
  'not yet',
  'not today',
  'not at the moment',
  'some other time',
  'call me later',
  'call back later',
  'let me think',
  'let me check',
  'i need to think',
  'what do you mean',
  'who is this',
  "who's this",
  'who are you',
  'what was the question',
  'can you repeat',
  'could you repeat',
  'say that again',
  'come again',
  'pardon',
  'excuse me',
  "i didn't understand",
  "i don't understand",
  "i didn't hear",
  "i can't hear you",
  "didn't catch that",
  'sometimes',
  'more or less',
  'kind of',
  'sort of',
  'so so',
  'neither',
];
const yesPhrases: [string, number][] = [
  ['no problem', 0.8],
  ['not a problem', 0.8],
  ['no worries', 0.75],
  ['no doubt', 0.85],
  ['no question about it', 0.85],
  ['without a doubt', 0.95],
  ['why not', 0.7],
  ["i don't mind", 0.65],
  ["i wouldn't mind", 0.75],
  ["don't see why not", 0.75],
  ["can't wait", 0.8],
  ['of course', 1],
  ['for sure', 1],
  ["that's right", 1],
  ['that is right', 1],
  ["that's correct", 1],
  ['that is correct', 1],
  ["that's true", 1],
  ["that's it", 0.8],
  ["that's me", 0.9],
  ['this is he', 0.9],
  ['this is she', 0.9],
  ['speaking', 0.75],
  ['you got it', 0.9],
  ['you bet', 0.95],
  ['go ahead', 0.85],
  ['sounds good', 0.9],
  ['sounds great', 0.9],
  ['works for me', 0.9],
  ["that's fine", 0.85],
  ['that is fine', 0.85],
  ["let's do it", 0.9],
  ['i guess so', 0.65],
  ['i think so', 0.7],
  ['i suppose so', 0.65],
  ['i believe so', 0.75],
  ['i hope so', 0.5],
  ['by all means', 0.95],
  ['i certainly do', 1],
  ['i would love to', 0.95],
  ["i'd love to", 0.95],
  ["i'd like that", 0.9],
  ['i would like that', 0.9],
  ["i'd be happy to", 0.95],
  ['very much so', 0.9],
  ['i do', 0.9],
  ['i am', 0.85],
  ['i have', 0.8],
  ['i can', 0.85],
  ['i will', 0.85],
  ['i did', 0.85],
  ['i would', 0.85],
  ['it is', 0.85],
  ['we do', 0.85],
  ['we are', 0.8],
];
const noPhrases: [string, number][] = [
  ['not really', 0.85],
  ['not at all', 0.85],
  ['not interested', 0.9],
  ['not anymore', 0.9],
  ['not any more', 0.9],
  ['not for me', 0.85],
  ['not that i know of', 0.75],
  ['not particularly', 0.8],
  ['not correct', 0.95],
  ['not right', 0.9],
  ['not true', 0.9],
  ['not okay', 0.9],
  ['not fine', 0.9],
  ['not quite', 0.7],
  ["isn't right", 0.9],
  ["isn't correct", 0.9],
  ["isn't true", 0.9],
  ['of course not', 1],
  ['certainly not', 1],
  ['absolutely not', 1],
  ['definitely not', 1],
  ['probably not', 0.7],
  ['i guess not', 0.65],
  ['i think not', 0.8],
  ['i hope not', 0.5],
  ['i suppose not', 0.65],
  ['no way', 1],
  ['no thanks', 1],
  ['no thank you', 1],
  ['no chance', 0.95],
  ['never mind', 0.5],
  ['never', 0.9],
  ["i don't think so", 0.85],
  ["don't think so", 0.85],
  ['i do not think so', 0.85],
  ["i don't believe so", 0.85],
  ["i don't", 0.9],
  ['i do not', 0.9],
  ["i'm not", 0.85],
  ['i am not', 0.85],
  ["i haven't", 0.85],
  ['i have not', 0.85],
  ["i can't", 0.8],
  ['i cannot', 0.8],
  ["i won't", 0.85],
  ["i wouldn't", 0.85],
  ["i didn't", 0.85],
  ["we don't", 0.85],
  ["it isn't", 0.85],
  ["it's not", 0.85],
  ["that's not right", 0.95],
  ["that's not correct", 0.95],
  ["that's wrong", 0.9],
  ["that's not me", 0.9],
  ["i'd rather not", 0.95],
  ['i would rather not', 0.95],
  ['rather not', 0.9],
  ["i'll pass", 0.85],
  ["i'm good", 0.55],
  ['no need', 0.8],
  ['nothing', 0.6],
  ['wrong number', 0.8],
  ['incorrect', 0.9],
  ['wrong', 0.8],
];
// Whole answers only: "I do" is a yes, "I do have a question" is not.
const wholeAnswers = new Set([
  'i do',
  'i am',
  'i have',
  'i can',
  'i will',
  'i did',
  'i would',
  'it is',
  'we do',
  'we are',
  'speaking',
  "i don't",
  'i do not',
  "i'm not",
  'i am not',
  "i haven't",
  'i have not',
  "i can't",
  'i cannot',
  "i won't",
  "i wouldn't",
  "i didn't",
  "we don't",
  "it isn't",
  "it's not",
  "that's it",
]);
// Said as often to show that one listens: beside more than a few other words they prove nothing.
const weakWords = new Set(['right', 'okay', 'ok', 'fine', 'alright', 'true', 'probably', 'nothing', 'wrong']);
const yesWords: Record<string, number> = {
  yes: 1,
  yeah: 1,
  yep: 1,
  yup: 1,
  yea: 0.9,
  ya: 0.8,
  aye: 0.9,
  'uh-huh': 0.85,
  'mm-hmm': 0.8,
  mhm: 0.8,
  sure: 0.95,
  absolutely: 1,
  definitely: 1,
  certainly: 1,
  correct: 1,
  exactly: 1,
  indeed: 1,
  affirmative: 1,
  right: 0.8,
  true: 0.85,
  okay: 0.75,
  ok: 0.75,
  fine: 0.7,
  alright: 0.75,
  totally: 0.95,
  gladly: 0.95,
  agreed: 0.95,
  probably: 0.6,
};
const noWords: Record<string, number> = {
  no: 1,
  nope: 1,
  nah: 1,
  naw: 0.95,
  negative: 0.9,
  'uh-uh': 0.85,
  'nuh-uh': 0.9,
  nay: 0.9,
};
// A bare "n't" further on turns an answer that began otherwise into something to ask about.
const negationInside = /\b(?:not|never|don't|dont|can't|cannot|won't|isn't|didn't|doesn't|haven't|wouldn't|couldn't)\b/;
const correction = /\b(?:i mean|sorry|actually|wait|rather|i meant)\b/;

interface Sign {
  value: 'yes' | 'no';
  sure: number;
  at: number;
  words: number;
}

/** Whether an answer means yes or no; undefined for neither, for both, and for "I don't know". */
export function parseSpokenYesNo(text: string): Understood<'yes' | 'no'> | undefined {
  if (isTooLong(text)) return undefined;
  const heard = normalise(text);
  if (heard === '' || open.some((phrase) => contains(heard, phrase) >= 0)) return undefined;
  const signs = signsIn(heard);
  const first = signs[0];
  const last = signs.at(-1);
  if (!first || !last) return undefined;
  const total = heard.split(' ').length;
  const counted = signs.reduce((sum, sign) => sum + sign.words, 0);
  // "Yes?" asks who is calling; "Why not?" does not ask.
  const question = /\?\s*$/.test(text) && contains(heard, 'why not') < 0 ? 0.4 : 1;
  if (
    total - counted > 2 &&
    signs.every(
      (sign) => sign.sure < 0.9 && sign.words === 1 && weakWords.has(heard.slice(sign.at).split(' ')[0] ?? ''),
    )
  ) {
    return undefined;
  }
  const length = Math.max(0.5, 1 - 0.04 * Math.max(0, total - counted));
  if (signs.every((sign) => sign.value === first.value)) {
    const rest = masked(heard, signs);
    if (first.value === 'yes' && negationInside.test(rest)) {
      return first.at === 0 && first.sure >= 0.9 ? { value: 'yes', confidence: 0.45 } : undefined;
    }
    if (first.value === 'no' && first.at > 0 && /\b(?:there|have|has|with|had)\b/.test(heard.slice(0, first.at)))
      return undefined;
    const before = heard.slice(0, first.at);
    const reported = /\b(?:he|she|they|who|if|told|says|somebody|someone)\b/.test(before);
    const place = reported ? 0.4 : before.split(' ').length > 4 ? 0.7 : 1;
    const best = Math.max(...signs.map((sign) => sign.sure));
    return { value: first.value, confidence: round(best * question * length * place) };
  }
  const between = heard.slice(first.at, last.at);
  if (correction.test(between)) return { value: last.value, confidence: round(0.6 * question) };
  return undefined;
}

function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\b(uh|mm|m|nuh)[ -]+(huh|hmm|hm|uh)\b/g, (_, a: string, b: string) =>
      b === 'uh' ? `${a}-uh` : a === 'uh' ? 'uh-huh' : 'mm-hmm',
    )
    .replace(/\b(?:i dont|don t|do n't)\b/g, (found) => (found.startsWith('i') ? "i don't" : "don't"))
    .replace(/(?<![a-z])-|-(?![a-z])/g, ' ')
    .replace(/[^a-z' -]+/g, ' ')
    .replace(/(?<!-)\b(?:uh|um|er|erm|hmm|hm|ah|oh|well|please)\b(?!-)/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

function contains(heard: string, phrase: string): number {
  const at = ` ${heard} `.indexOf(` ${phrase} `);
  return at;
}

/** The signs of yes and no from left to right; a longer phrase covers the words in it. */
function signsIn(heard: string): Sign[] {
  const signs: Sign[] = [];
  const covered = new Array<boolean>(heard.length).fill(false);
  const entries: [string, number, 'yes' | 'no'][] = [
    ...noPhrases.map(([phrase, sure]): [string, number, 'no'] => [phrase, sure, 'no']),
    ...yesPhrases.map(([phrase, sure]): [string, number, 'yes'] => [phrase, sure, 'yes']),
    ...Object.entries(noWords).map(([word, sure]): [string, number, 'no'] => [word, sure, 'no']),
    ...Object.entries(yesWords).map(([word, sure]): [string, number, 'yes'] => [word, sure, 'yes']),
  ];
  entries.sort((a, b) => b[0].length - a[0].length);
  for (const [phrase, sure, value] of entries) {
    const padded = ` ${heard} `;
    for (let at = padded.indexOf(` ${phrase} `); at >= 0; at = padded.indexOf(` ${phrase} `, at + 1)) {
      if (covered[at]) continue;
      if (wholeAnswers.has(phrase) && at + phrase.length < heard.length) continue;
      covered.fill(true, at, at + phrase.length);
      signs.push({ value, sure, at, words: phrase.split(' ').length });
    }
  }
  return signs.sort((a, b) => a.at - b.at);
}

function masked(heard: string, signs: readonly Sign[]): string {
  const words = heard.split(' ');
  const places = new Map<number, number>();
  let offset = 0;
  for (const [index, word] of words.entries()) {
    places.set(offset, index);
    offset += word.length + 1;
  }
  const covered = new Set<number>();
  for (const sign of signs) {
    const place = places.get(sign.at) ?? 0;
    for (let index = 0; index < sign.words; index++) covered.add(place + index);
  }
  return words.filter((_, index) => !covered.has(index)).join(' ');
}

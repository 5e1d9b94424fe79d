import { sentences } from '../speech/text/sentences.ts';

export type ReplyKind =
  /** Nothing was asked. */
  | 'statement'
  | 'go-ahead'
  | 'goodbye'
  | 'nothing-else'
  | 'presence'
  | 'small-talk'
  | 'identity'
  | 'yes'
  | 'choice'
  | 'again'
  | Topic;

export type Reply = { kind: ReplyKind; say: string };

type Topic =
  | 'email'
  | 'count'
  | 'phone'
  | 'code'
  | 'birth'
  | 'past'
  | 'when'
  | 'money'
  | 'scale'
  | 'age'
  | 'duration'
  | 'frequency'
  | 'opinion'
  | 'source'
  | 'address'
  | 'company'
  | 'name'
  | 'why'
  | 'where'
  | 'who'
  | 'open';

/**
 * What a friendly person answers, in words that the embedded recogniser understands of the voice `rms`. One
 * sentence each: whoever pauses after "Hello." is taken to have finished. Several ways take turns, so that
 * two questions of a kind get two answers.
 */
const ways: Record<ReplyKind, readonly [string, ...string[]]> = {
  statement: ['Yes, sure, go ahead.'],
  'go-ahead': ['Yes, sure, go ahead.'],
  goodbye: ['Goodbye.'],
  'nothing-else': ['No, nothing else, thank you.'],
  presence: ['Yes, I can hear you.'],
  'small-talk': ['I am fine, thank you.'],
  identity: ['Yes, speaking.'],
  yes: ['Yes, that is right.', 'Yes, certainly.'],
  choice: ['I prefer the first one.'],
  again: ['Sorry, could you say that again?'],
  email: ['My e-mail address is alex at example dot com.'],
  count: ['About twenty.', 'About fifteen.', 'About thirty.'],
  phone: ['It is two zero two, five five five, zero one four two.'],
  code: ['The number is four four one one.'],
  birth: ['The fifth of May, nineteen eighty.'],
  past: ['That was last Monday.'],
  when: ['Tuesday at ten would suit me well.', 'Next Monday at three in the afternoon would be fine.'],
  money: ['About five hundred dollars.'],
  scale: ['I would say seven.', 'Nine out of ten.'],
  age: ['I am forty two years old.'],
  duration: ['About three years.'],
  frequency: ['About twice a month.'],
  opinion: ['Very good, I am quite happy with it.'],
  source: ['A friend of mine told me about it.'],
  address: ['My address is twelve Main Street, Springfield.'],
  company: ['The company is called Miller and Sons.'],
  name: ['My name is Alex Miller.'],
  why: ['Because it saves me a lot of time.'],
  where: ['In Springfield, not far from here.'],
  who: ['I decide that myself.'],
  open: [
    'Mostly the price and the quality, I would say.',
    'I am looking for something simple and quick.',
    'We use it for our daily work.',
  ],
};

const scale = /\bscale\b|\bfrom (?:zero|one|0|1) to (?:five|ten|5|10)\b|\bhow likely\b/;

/** What is asked for, the more particular first; some of it as a recogniser mishears it. */
const topics: readonly [Topic, RegExp][] = [
  ['email', /\be ?mail\b|\bmail address\b/],
  ['count', /\bnumber of\b/],
  ['phone', /\b(?:phone|film|mobile|cell|callback|contact) ?number\b|\bnumber\b.*\b(?:reach|call) you\b/],
  ['code', /\b(?:number|code|pin)\b/],
  ['birth', /\bbirth|\bborn\b/],
  ['past', /\bwhen (?:did|was|were|have|has)\b|\b(?:what|which) (?:day|date|time) (?:did|was|were)\b/],
  ['when', /\bwhen\b|\b(?:what|which|best|better|preferred) (?:date|day|time|week|month)\b/],
  ['scale', scale],
  [
    'money',
    /\bhow much\b.*\b(?:pay|spend|cost|invest|charge|afford|worth)\b|\b(?:budget|price range|salary|income|revenue)\b/,
  ],
  ['age', /\bhow old\b|\byour age\b/],
  ['duration', /\bhow long\b/],
  ['frequency', /\bhow often\b|\bhow frequently\b/],
  ['count', /\bhow (?:many|much)\b/],
  ['source', /\bhow (?:did|have) you\b.*\b(?:hear|find|found|heard|learn|know|come)\b|\bhear(?:d)? (?:about|of)\b/],
  [
    'opinion',
    /\bhow (?:satisfied|happy|pleased|good|well|was|is|are|do you (?:like|feel|find))\b|\bhow would you (?:rate|describe)\b/,
  ],
  ['address', /\b(?:a |ad)dress\b|\bstreet\b|\bdo you live\b/],
  [
    'company',
    /\b(?:company|business|employer|organi[sz]ation|firm)\b.*\b(?:name|called)\b|\bname\b.*\b(?:company|business|employer|organi[sz]ation|firm)\b/,
  ],
  ['name', /\bname\b|\bspell\b|\bwho (?:am i|are you|is this)\b/],
  ['why', /\bwhy\b/],
  ['where', /\bwhere\b/],
  ['who', /\bwho\b/],
];

const polite: readonly [ReplyKind, RegExp][] = [
  ['presence', /\bstill there\b|\bhear me\b|\bare you there\b/],
  ['small-talk', /\bhow (?:are|do) you(?: do| doing| today| this \w+)*$/],
  [
    'identity',
    /\b(?:am i|i'm|i am) (?:speaking|talking) (?:to|with)\b|\b(?:may|can|could) i (?:please )?(?:speak|talk) (?:to|with)\b/,
  ],
  [
    'go-ahead',
    /\b(?:have|got|spare|take)(?: me| us)? (?:a |an |one |two |five |some |any |the |few |couple of |quick |short |brief |little )*(?:minutes?|moments?|seconds?|time)\b|\b(?:this|now|it) (?:is |be )?an? (?:good|convenient|okay) (?:time|moment)\b|\b(?:may|can|could|shall) (?:i|we) (?:please |just |quickly )*(?:ask|begin|start|continue|go on|proceed)\b|\bask you (?:a|some|two|three)\b|\bready to (?:begin|start)\b/,
  ],
];

const nothingElse =
  /\b(?:anything|something|what) else\b|\bany (?:other |further |more )?questions?\b|\banything (?:you|that you|to add|we)\b/;
const farewell =
  /\bgood ?by(?:e|es)?\b|\bbye\b|\bhave a (?:very )?(?:good|nice|great|lovely|wonderful|pleasant) (?:day|evening|one|afternoon|weekend|night|rest)\b/;
const thanks = /\bfor your time\b/;
const lead =
  /^(?:(?:and|so|now|also|okay|ok|then|first|next|finally|great|well|but|please|lastly|thanks|thank you|all right|alright|good|perfect|hello|hi|hey|yes|wonderful|sorry|once more|just|i see|of course|good to know|no problem) )+/;
const asksForValue =
  /^(?:what|what's|when|when's|how|how's|which|who|who's|whom|whose|where|where's|why|tell|give|spell|describe|let me know|your (?:e ?mail|phone|name|address)|i (?:need|would like|'d like|want) (?:your|to know))\b/;
const request =
  /^(?:can|could|would|will|may|might) (?:you|i|we)(?: please| kindly| also| just)* (?:tell|give|share|spell|have|get|provide|let|describe|explain|name|confirm your|say (?:it|that|your)|ask (?:you )?(?:what|how|when|which|who|where|why))\b/;
const yesNo =
  /^(?:did|do|does|are|is|was|were|am|would|will|can|could|have|has|had|should|shall|may|might|must|(?:do|does|did|is|are|was|wo|would|have|has|ca)n't|any) /;
/** Where a question may begin in the middle of what the recogniser took for one sentence. */
const openings = [
  /\b(?:how (?:many|much|old|long|often|likely|satisfied|happy|did|do|are)|when (?:would|do|did|can|is|are|will|was)|what(?:'s| is| are| was| do| did| would| kind| day| time| number)|which|why (?:do|did|is|are)|where (?:do|did|is|are)|who (?:is|am))\b/gi,
  /\b(?:(?:do|did|are|would|could|can|have|will) you|is (?:it|there)|(?:may|am) i)\b/gi,
];

/**
 * What a friendly person says to what was heard, by its last question. The same words at the same turn, the
 * first being 0, give the same answer.
 */
export function replyTo(text: string, turn: number): Reply {
  const kind = kindOf(text) ?? (text === '' && turn > 0 ? 'again' : 'statement');
  const all = ways[kind];
  // Questions begin at the turn after the introduction.
  return { kind, say: all[Math.max(0, turn - 1) % all.length] ?? all[0] };
}

/** "How many" as the recogniser mishears it behind another word. */
const misheardHowMany = /\b(?:can't you tell|tell|count)(?: me)? m?any\b/gi;

/** Undefined where nothing is asked. */
function kindOf(heard: string): ReplyKind | undefined {
  const text = heard.replace(misheardHowMany, 'how many');
  for (const sentence of sentences(text).reverse()) {
    const kind = kindOfSentence(sentence);
    if (kind) return kind;
  }
  const begins = openings.flatMap((opening) => [...text.matchAll(opening)].at(-1)?.index ?? []);
  return begins[0] === undefined ? undefined : kindOfSentence(text.slice(begins[0]));
}

function kindOfSentence(sentence: string): ReplyKind | undefined {
  const hasMark = /\?["']?$/.test(sentence);
  const plain = sentence.toLowerCase().replace(/[\u2018\u2019]/g, "'");
  const words = (plain.match(/[\p{L}\p{N}']+/gu) ?? []).join(' ').replace(lead, '');
  if (nothingElse.test(words)) return 'nothing-else';
  if (farewell.test(words)) return 'goodbye';
  const wantsValue = asksForValue.test(words) || request.test(words) || scale.test(words);
  const politely = polite.find(([, pattern]) => pattern.test(words))?.[0];
  const isAsked = hasMark || wantsValue || yesNo.test(words) || politely === 'identity';
  if (!isAsked) return thanks.test(words) ? 'goodbye' : undefined;
  const topic = topics.find(([, pattern]) => pattern.test(words))?.[0];
  if (wantsValue) return topic === 'opinion' && politely === 'small-talk' ? politely : (topic ?? 'open');
  if (politely) return politely;
  if (yesNo.test(words)) return / or (?!not\b|no\b|any)/.test(words) ? 'choice' : 'yes';
  return topic ?? 'yes';
}

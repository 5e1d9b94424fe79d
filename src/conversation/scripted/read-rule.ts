import { sentences } from '../../speech/text/sentences.ts';
import type { Intent } from './meaning.ts';
import type { Order, Rule, Trigger } from './rules.ts';
import { asSentence, contentStems, wordsIn } from './words.ts';

/** Names each rule that this mind cannot follow, for the one who gave it. */
export function ruleWarnings(rules: readonly string[]): string[] {
  return rules.flatMap((text) => {
    const { orders } = readRule(text);
    const quoted = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
    if (orders.some(({ kind }) => kind === 'refused'))
      return [`Rule ${quoted} cannot be followed: it is against the safeguards of every call.`];
    if (orders.some(({ kind }) => kind === 'unknown')) return [`Rule ${quoted} can only be followed with an LLM.`];
    return [];
  });
}

/** One text may give several orders. */
export function readRule(text: string): Rule {
  const parts = sentences(text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"'))
    .flatMap((sentence) => (/^if\b|"/i.test(sentence) ? [sentence] : sentence.split(nextOrder)))
    .map((part) => part.trim().replace(/[\s.;,]+$/, ''))
    .filter((part) => wordsIn(part).length > 0);
  const orders = parts.map(readOrder);
  return { text, orders: orders.length > 0 ? orders : [{ kind: 'unknown' }] };
}

const nextOrder =
  /(?:[,;]\s*(?:and |but )?|\s+(?:and|but)\s+)(?=(?:never|always|do not|don't|please|speak|talk|be|keep|transfer|end|hang up|mention|avoid|thank|press)\b)/i;

const person =
  "(?:they|he|she|you are|you're|someone|somebody|anyone|people|(?:the |a |your )?(?:customer|client|person|callee|caller|lead|user|contact|patient|prospect|other side|other person|recipient|homeowner)s?)";
const condition = `(?:if|when|whenever|once|as soon as|in case|should)`;

function readOrder(part: string): Order {
  const bare = part.replace(/^(?:please|kindly|also|and|but|then)\s+/i, '');
  for (const reader of readers) {
    const order = reader(bare);
    if (order) return order;
  }
  return { kind: 'unknown' };
}

const machineWords =
  /\b(?:robot|bot|ai|a\.i\.|artificial|automated|machine|computer|assistant is|human|real person|not a person)\b/i;

const readers: ((part: string) => Order | undefined)[] = [
  safeguards,
  transfer,
  menu,
  conditional,
  endWhen,
  minutes,
  noQuestion,
  forbid,
  manner,
  pace,
  saying,
];

function safeguards(part: string): Order | undefined {
  const denies =
    /\b(?:never|do not|don't|avoid)\b.*\b(?:say|admit|reveal|mention|disclose|tell|saying|revealing)\b/i.test(part) &&
    /\b(?:robot|bot|ai|a\.i\.|automated|artificial|machine|computer)\b/i.test(part);
  const poses =
    /\b(?:say|claim|pretend|insist|tell them|act)\b.*\b(?:you are|you're|to be|like) (?:a |an )?(?:human|real|person)/i.test(
      part,
    ) ||
    /\b(?:robot|bot|ai|human|real person)\b.*\bsay (?:no\b|that you are (?:a )?(?:human|real)|you are (?:a )?(?:human|real)|yes,? (?:i am )?(?:a )?human)/i.test(
      part,
    );
  const persists =
    /\b(?:ignore|disregard)\b.*\b(?:stop|opt|do not call|requests? not)/i.test(part) ||
    /\b(?:keep|continue) (?:calling|trying|asking|pushing)\b.*\b(?:even if|after|when) (?:they|he|she|the)\b/i.test(
      part,
    ) ||
    /\bdo not (?:hang up|end the call)\b.*\b(?:even|if|when)\b/i.test(part);
  return denies || poses || persists ? { kind: 'refused' } : undefined;
}

function transfer(part: string): Order | undefined {
  const number = /\+\d[\d ().-]{5,20}\d/.exec(part);
  if (
    !number ||
    !/\b(?:transfer|forward|connect|put (?:them|the call) through|hand (?:them|the call)? ?over|route|pass)\b/i.test(
      part,
    )
  )
    return undefined;
  const to = `+${number[0].replace(/\D/g, '')}`;
  const when = new RegExp(`\\b${condition}\\s+(.+)$`, 'i').exec(part.replace(number[0], ' '))?.[1] ?? '';
  const bare = when.replace(/[,\s]*(?:then )?\b(?:please )?(?:transfer|forward|connect|put|hand|route|pass)\b.*$/i, '');
  if (bare.trim() === '')
    return { kind: 'transfer', trigger: { intents: ['human'], topics: [], onlyInQuestions: false }, to };
  const trigger = readTrigger(bare);
  return trigger ? { kind: 'transfer', trigger, to } : { kind: 'unknown' };
}

const keyWords: Record<string, string> = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  star: '*',
  asterisk: '*',
  pound: '#',
  hash: '#',
};
const key = `(?:\\d{1,8}|[*#]|${Object.keys(keyWords).join('|')})`;

export function keysIn(text: string): string[] {
  return [...text.matchAll(new RegExp(`(?<![\\w+])${key}(?![\\w])`, 'gi'))].map(
    ([word]) => keyWords[word.toLowerCase()] ?? word,
  );
}

function menu(part: string): Order | undefined {
  const pressed = new RegExp(
    `\\b(?:press|dial|choose|select|hit|push|enter|pick)(?: (?:the )?(?:option|key|number|button|extension))? (${key}(?:(?:,| and| then|, then| and then)+ (?:press |dial )?${key})*)`,
    'i',
  ).exec(part);
  const isMenu = /\b(?:menu|ivr|phone tree|automated system|switchboard)\b/i.test(part);
  if (!pressed?.[1]) {
    const reach = isMenu
      ? /\b(?:choose|select|ask for|go to|pick|reach|press(?: the (?:key|option|number))? for)\s+(?:the )?(.+?)(?: (?:at|in|from|on) (?:the |a |an )?(?:menu|ivr|phone tree).*)?$/i.exec(
          part,
        )
      : null;
    return reach?.[1] ? { kind: 'menu', keys: [], topic: topicStems(reach[1]) } : undefined;
  }
  const topic =
    /\b(?:for|to reach|to get to|to speak (?:to|with)|to talk to)\s+(?:the )?([\p{L} ]+?)(?:$|,| (?:if|when|at|in) )/iu.exec(
      part,
    );
  const about = topic?.[1] ?? '';
  return { kind: 'menu', keys: keysIn(pressed[1]), topic: /\bmenu|options?\b/i.test(about) ? [] : topicStems(about) };
}

function topicStems(text: string): string[] {
  return contentStems(text).filter(
    (word) => !/^(?:department|team|option|menu|key|person|line|desk|office)$/.test(word),
  );
}

/** "if they ask about the price, say that …". */
function conditional(part: string): Order | undefined {
  const found = new RegExp(
    `^${condition}\\s+(.+?)(?:,\\s*(?:then\\s+)?|\\s+then\\s+|\\s+(?=(?:say|tell|answer|reply|respond|explain|end|hang up|politely|apologi[sz]e)\\b))(?:please |always |just |simply |you should |you can )*(.+)$`,
    'i',
  ).exec(part);
  const turned = found
    ? undefined
    : new RegExp(`^((?:say|tell|answer|reply|respond|explain)\\b.+?),?\\s+(?:only )?${condition}\\s+(.+)$`, 'i').exec(
        part,
      );
  const [when, then] = found ? [found[1], found[2]] : [turned?.[2], turned?.[1]];
  if (when === undefined || then === undefined) return undefined;
  const trigger = readTrigger(when);
  if (!trigger) return { kind: 'unknown' };
  // What every call does anyway: it promises to call again, and honours "stop calling".
  const isAnyway =
    trigger.intents.includes('opt-out') ||
    (trigger.intents.includes('callback') &&
      /\b(?:call(?:ing)? (?:them |him |her )?(?:back|again|later)|callback|reschedule|another time)\b/i.test(then));
  if (isAnyway && !/^say\b/i.test(then)) return { kind: 'manner' };
  if (
    /^(?:(?:politely|immediately|kindly|then|apologi[sz]e|thank (?:them|him|her)|and|,) ?)*(?:end|hang up|finish|stop|terminate|close|say goodbye)\b/i.test(
      then,
    )
  )
    return { kind: 'end', trigger };
  const say = wordsToSay(then);
  return say === undefined ? { kind: 'unknown' } : { kind: 'reply', trigger, say };
}

function endWhen(part: string): Order | undefined {
  const found = new RegExp(
    `^(?:politely |immediately )?(?:end|hang up|finish|stop|terminate|close)(?: (?:the|this) (?:call|conversation)| up)?(?: politely| immediately| at once)?\\s+${condition}\\s+(.+)$`,
    'i',
  ).exec(part);
  if (!found?.[1]) return undefined;
  const trigger = readTrigger(found[1]);
  return trigger ? { kind: 'end', trigger } : { kind: 'unknown' };
}

const known: [RegExp, Intent[]][] = [
  [
    /\b(?:human|real person|live person|representative|agent|manager|supervisor|operator|colleague|transferred|be transferred|speak to (?:someone|somebody)|talk to (?:someone|somebody))\b/i,
    ['human'],
  ],
  [/\bnot interested\b|\bdeclin|\brefus|\bno interest\b|\bsays? no\b/i, ['refuse-call']],
  [/\b(?:busy|no time|bad time|driving|call(?:ed)? (?:back )?later|callback)\b/i, ['busy', 'callback']],
  [/\bwrong (?:number|person)\b|\bnot the right person\b/i, ['wrong-person']],
  [/\b(?:not to be called|stop calling|opt(?:s|ed)? out|do not call|removed)\b/i, ['opt-out']],
  [/\bwho (?:you are|is calling|this is|are you)\b|\byour name\b/i, ['who']],
  [/\bwhat (?:this|it) is about\b|\bwhy (?:you|we) (?:are )?call|\breason for the call\b/i, ['about']],
  [/\b(?:got|have|found|get) (?:their|his|her|my|the) (?:phone )?number\b/i, ['source']],
  [/\b(?:goodbye|bye|has to go|have to go)\b/i, ['goodbye']],
];
// What only a listener with feelings or knowledge can tell.
const needsJudgement =
  /\b(?:angry|upset|rude|confused|hesitant|hesitates?|frustrated|uncomfortable|annoyed|seems?|sounds?|feels?|appears?|qualified|eligible|qualif(?:y|ies)|suitable|under \d+|over \d+|younger|older|less than|more than|at least|unsure|happy|unhappy|satisfied|dissatisfied|aggressive|abusive|voicemail|answering machine|speaks? (?:another|spanish|french|german)|language|questions? (?:that )?you|know the answer|relevant|necessary|appropriate|possible|needed|doubt)\b/i;

function readTrigger(text: string): Trigger | undefined {
  const intents = known.find(([pattern]) => pattern.test(text))?.[1];
  if (intents) return { intents, topics: [], onlyInQuestions: false };
  if (machineWords.test(text)) return { intents: ['robot'], topics: [], onlyInQuestions: false };
  if (needsJudgement.test(text)) return undefined;
  const asks = new RegExp(
    `^(?:${person} )?(?:asks?|asked|asking|inquires?|enquires?|wants? to know|wonders?)(?: (?:you|us|me))?(?: (?:about|for|if|whether|why|how|what|who|when|where|to))?\\s+`,
    'i',
  ).exec(`${text} `);
  const says = new RegExp(
    `^${person} (?:says?|mentions?|brings? up|talks? about|tells? (?:you|us)|speaks? of|uses? the words?|swears?|is|are|has|have|wants?|needs?|can not|cannot|do not|does not|complains? about)?\\s*`,
    'i',
  ).exec(text);
  const rest = text.slice(asks ? asks[0].length : says ? says[0].length : text.length).trim();
  const topics = topicsOf(rest);
  return topics.length === 0 ? undefined : { intents: [], topics, onlyInQuestions: asks !== null };
}

/** "prices, discounts or the contract" are three. */
export function topicsOf(text: string): string[][] {
  return text
    .replace(/["']/g, ' ')
    .split(/,|\bor\b|\band\b|\//i)
    .map((topic) =>
      contentStems(
        topic.replace(
          /\b(?:the (?:word|topic|subject)s?(?: of)?|anything (?:about|related to)|any|during the call|to the (?:customer|client|person|caller)|in the call|on the call|with the customer|at all|ever|until asked|unless asked.*)\b/gi,
          ' ',
        ),
      ),
    )
    .filter((topic) => topic.length > 0);
}

function minutes(part: string): Order | undefined {
  if (
    !/\b(?:keep|limit|finish|under|below|within|max|maximum|at most|no more|no longer|not (?:talk|take|be) (?:for )?(?:longer|more)|shorter|less than|wrap up|up to)\b/i.test(
      part,
    )
  )
    return undefined;
  const found =
    /\b(\d{1,2}(?:\.5)?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|a|an|half a|thirty)[ -]?(minutes?|mins?|seconds?|secs?)\b/i.exec(
      part,
    );
  if (!found?.[1]) return undefined;
  const numbers: Record<string, number> = { a: 1, an: 1, 'half a': 0.5, ten: 10, fifteen: 15, twenty: 20, thirty: 30 };
  const word = found[1].toLowerCase();
  const value = numbers[word] ?? Number(keyWords[word] ?? word);
  if (!(value > 0)) return undefined;
  return { kind: 'minutes', minutes: /^sec/i.test(found[2] ?? '') ? value / 60 : value };
}

function noQuestion(part: string): Order | undefined {
  const found =
    /^(?:never|do not|don't|avoid)(?: ever)? (?:ask(?:ing)?|request(?:ing)?|collect(?:ing)?|inquir(?:e|ing)|enquir(?:e|ing))(?: (?:them|him|her|the customer|the person|customers|people|the client))?(?: any)?(?: questions?)?(?: (?:for|about|to give|on|regarding))?\s+(.+)$/i.exec(
      part,
    );
  if (!found?.[1]) return undefined;
  const topics = topicsOf(found[1].replace(/\b(?:their|his|her|your)\b/gi, ' '));
  return topics.length === 0 || /\b(?:more than|twice|again|too many|at once)\b/i.test(found[1])
    ? { kind: 'manner' }
    : { kind: 'no-question', topics };
}

function forbid(part: string): Order | undefined {
  const found =
    /^(?:never|do not|don't|avoid|no)(?: ever)? (?:mention(?:s|ing)?(?: of)?|talk(?:ing)? about|discuss(?:ing)?|bring(?:ing)? up|say(?:ing)?|speak(?:ing)? (?:about|of)|reveal(?:ing)?|disclos(?:e|ing)|use the words?|using the words?|the (?:topic|subject|word)s?(?: of)?|refer(?:ring)? to|name|touch(?:ing)? on|share|sharing)\s+(.+)$/i.exec(
      part,
    );
  if (!found?.[1]) return undefined;
  const topics = topicsOf(found[1].replace(/^(?:that|to)\s+/i, ''));
  return topics.length === 0 ? undefined : { kind: 'forbid', topics };
}

const mannerWords =
  /^(?:friendly|polite|politely|brief|briefly|short|concise|concisely|professional|professionally|warm|kind|respectful|respectfully|patient|natural|naturally|calm|calmly|helpful|courteous|clear|clearly|simple|plain|honest|nice|truthful|and|or|but|very|always|a|an|the|in|at|all|times|with|to|tone|language|words|sentences|english|it|things|your|answers|replies|responses|voice|manner|way|them|him|her|customer|person|as|possible|both|please|point|pushy|rude|not|never|too|long|be|call|conversation|everyone|people|is|on|one|time|question|questions|ask|listen|carefully|interrupt|argue|lie|invent|anything|make|up|facts|guess|promises|promise|speak|use|keep|stay|remain|sound|act|do|don't|callee|caller|short,|when|speaking|remember)$/;
const keptAnyway =
  /^(?:never|do not|don't|avoid)(?: ever)? (?:promis(?:e|ing)|guarantee(?:ing)?|negotiat(?:e|ing)|giv(?:e|ing) (?:any )?(?:medical|legal|financial|tax|investment|professional)? ?advice|quot(?:e|ing)|invent(?:ing)?|mak(?:e|ing) (?:up|any promises|promises|commitments)|argu(?:e|ing)|interrupt(?:ing)?|li(?:e|ying)|guess(?:ing)?|be (?:pushy|rude|aggressive|impolite)|pressur(?:e|ing)|push(?:ing)?|sell(?:ing)?|rush(?:ing)?|swear(?:ing)?|insult(?:ing)?|raise)\b/i;

function manner(part: string): Order | undefined {
  if (keptAnyway.test(part)) return { kind: 'manner' };
  if (
    /^(?:introduce yourself|identify yourself|say (?:that )?you are (?:an? )?(?:ai|automated|virtual)|be honest about being)\b.*$/i.test(
      part,
    ) &&
    !/"/.test(part) &&
    /^introduce yourself(?: (?:first|politely|at the (?:start|beginning)))?$/i.test(part)
  )
    return { kind: 'manner' };
  const words = wordsIn(part);
  return /^(?:please |always )*(?:be|stay|remain|sound|keep|speak|act|use|listen|do not|don't|never|ask)\b/i.test(
    part,
  ) &&
    words.every((word) => mannerWords.test(word)) &&
    !/\bslow/i.test(part)
    ? { kind: 'manner' }
    : undefined;
}

function pace(part: string): Order | undefined {
  if (!/^(?:please |always )*(?:speak|talk|go|be)\b/i.test(part) || wordsIn(part).length > 9) return undefined;
  if (/\b(?:slow|slowly|slower)\b/i.test(part)) return { kind: 'pace', pace: 0.85 };
  return /\b(?:fast|faster|quickly)\b/i.test(part) ? { kind: 'pace', pace: 1.15 } : undefined;
}

const atStart =
  /\s*\b(?:at the (?:very )?(?:beginning|start)(?: of (?:the|every|each) (?:call|conversation))?|first|before (?:asking )?(?:the |your |any )?(?:first )?questions?|right away|after the (?:introduction|greeting))\b\s*/i;
const atEnd =
  /\s*\b(?:(?:at|by|before|in) the (?:very )?end(?: of (?:the|every|each) (?:call|conversation))?|before (?:hanging up|you hang up|saying goodbye|ending(?: the call)?)|when (?:the call ends|you say goodbye)|as the last thing|in closing|to finish|lastly|finally)\b\s*/i;

function saying(part: string): Order | undefined {
  const at = atStart.test(outsideQuotes(part)) || /^(?:start|begin|open)\b/i.test(part) ? 'start' : 'end';
  const bare = part
    .replace(
      /^(?:always|make sure (?:to|you)|be sure to|remember to|don't forget to|do not forget to|you must|you should|must)\s+/i,
      '',
    )
    .replace(atEnd, (match, offset: number, whole: string) => (insideQuotes(whole, offset) ? match : ' '))
    .replace(atStart, (match, offset: number, whole: string) => (insideQuotes(whole, offset) ? match : ' '))
    .trim();
  const closing =
    /^(?:end|close|finish|start|begin|open)(?: the (?:call|conversation))? (?:with|by saying|by mentioning|saying)\s+(.+)$/i.exec(
      bare,
    );
  const wish = /^wish (?:them|him|her|the \w+|everyone) (.+)$/i.exec(bare);
  const thank = /^thank (?:them|him|her|the \w+|everyone|people)(?: (for .+))?$/i.exec(bare);
  if (wish?.[1]) return { kind: 'say', at, text: asSentence(`I wish you ${wish[1]}`) };
  if (thank)
    return thank[1] ? { kind: 'say', at, text: asSentence(`Thank you ${toYou(thank[1])}`) } : { kind: 'manner' };
  const text = wordsToSay(closing?.[1] === undefined ? bare : `say ${closing[1]}`);
  return text === undefined ? undefined : { kind: 'say', at, text };
}

function outsideQuotes(text: string): string {
  return text.replace(/"[^"]*"/g, ' ');
}

function insideQuotes(text: string, offset: number): boolean {
  return (text.slice(0, offset).match(/"/g) ?? []).length % 2 === 1;
}

/** What an order to say something wants said: quoted words as they are, reported ones turned to the person. */
function wordsToSay(order: string): string | undefined {
  const found =
    /^(?:politely |kindly |just |simply |please |you )*(?:say|tell|answer|reply|respond|explain|mention|state|let|inform|note|point out|remind|highlight)\b(?: back)?(?: (?:to )?(?:them|him|her|the (?:customer|client|person|callee|caller|lead|user)|people|everyone))?(?: know)?(?: (?:with|of|about))?\s*(that\b|:)?\s*(.*)$/i.exec(
      order,
    );
  if (!found) return undefined;
  const rest = (found[2] ?? '').trim();
  const quoted = /^"(.+)"[.!?]?$/.exec(rest) ?? /^'(.+)'[.!?]?$/.exec(rest);
  if (quoted?.[1]) return asSentence(quoted[1]);
  if (rest === '') return undefined;
  const isMention = /^(?:\w+ly |please )*(?:mention|highlight|note|point out|remind|inform|tell|explain|state)\b/i.test(
    order,
  );
  const spoken = toYou(rest);
  if (
    isMention &&
    found[1] === undefined &&
    !/\b(?:is|are|was|were|will|can|has|have|do|does|we|you|costs?|offers?|includes?|ends?|starts?)\b/i.test(spoken)
  )
    return asSentence(`I would also like to mention ${spoken}`);
  return asSentence(spoken);
}

function toYou(text: string): string {
  return text
    .replace(/\b(?:they|the customer|the client|the person)\b/gi, 'you')
    .replace(/\b(?:them|him)\b/gi, 'you')
    .replace(/\btheir\b/gi, 'your');
}

export type PhraseKind = 'person' | 'voicemail' | 'screener' | 'menu' | 'intercept';

export interface PhraseEvidence {
  /** From 1 on, what was said is hardly said by anybody else. */
  weights: Record<PhraseKind, number>;
  /** The heaviest phrases, for the log and for people who wonder. */
  heard: string[];
}

type Phrase = [weight: number, pattern: RegExp];

const digit = '(?:zero|one|two|three|four|five|six|seven|eight|nine)';
const key = `(?:the )?(?:number )?(?:${digit}|pound|star|hash)`;
const calling = "(?:call|calling|called|reach|reached|trying to reach|trying to call|dialed|you're calling|you called)";

/**
 * Said by those who answer telephones and hardly by anybody else. A weight of 1 decides alone, lower ones
 * together. Written against text without punctuation, in small letters, digits as words.
 */
const phrases: Record<PhraseKind, Phrase[]> = {
  voicemail: [
    [
      1,
      /\b(?:leave|leaving|believe|drop|record)(?: me| us| him| her)? (?:a|an|your|the|any|one)(?: \w+){0,3}? (?:messages?|massage|methods?|number|details|voicemail)\b/,
    ],
    [1, /\bleave(?: me| us)? (?:your|a|their)(?: full)? name\b/],
    [1, /\b(?:please|you can|may|just|and|here|busy|hi|hey|hello|so|or) leave(?: me| us)? (?:a|one|your)\b/],
    [1, /^(?:\w+ ){0,3}leave (?:me |us )?(?:a message|one|your)\b/],
    [
      1,
      /\b(?:message|messages|number|name|talk|speak|record|details)(?: \w+){0,2} (?:after|at) the (?:tone|beep|signal|sound|beat|bee|pee|p|peep|dome)\b/,
    ],
    [1, /\b(?:after|at|hear) the (?:tone|beep|peep|beat|dome)\b/],
    [1, /\bmessage(?: \w+){0,2} beep\b/],
    [1, /\bvoice ?mail(?:box)?\b/],
    [1, /\bvoice mail|\b(?:mail|male) ?box\b/],
    [1, /\banswering machine|\bvoice messag|\bmessaging (?:system|service)\b/],
    [
      1,
      /\b(?:can ?not|can't|couldn't|could not|unable to|not able to)(?: \w+)? (?:come to|get to|answer|take|pick up)(?: \w+){0,2} (?:phone|call|calls)\b/,
    ],
    [1, /\b(?:i'm|i am|we're|we are) (?:not|currently)? ?(?:un)?available\b/],
    [1, /\bmissed (?:you|your call)\b/],
    [1, /\breturn your call\b/],
    [1, /\b(?:get|got|call|ring|phone)(?: right)? back to you\b/],
    // A person in a meeting says so, too.
    [0.6, /\b(?:will|i'll|we'll)(?: \w+)? (?:call|ring|phone|text) you(?: right)? back\b/],
    [1, /\bcall has been forwarded|\bforwarded to\b/],
    [0.5, /\b(?:is|are) full\b/],
    [1, /\boffices?(?: is| are)?(?: \w+){0,2} closed\b/],
    [0.7, /\b(?:store|shop|we|we're)(?: is| are)?(?: \w+){0,2} closed\b/],
    [1, /\b(?:please|you may) (?:try|call)(?: your call| us)? again (?:later|during|tomorrow)\b/],
    [1, /\bout of (?:the |my )?office\b|\baway from (?:my|the) (?:desk|phone|office)\b/],
    [1, /\byou know what to do\b|\b(?:nobody|no one) (?:is )?(?:at )?home\b|\b(?:we're|we are) not (?:at )?home\b/],
    [0.7, /\b(?:not|isn't) (?:currently |presently )?available\b|\bunavailable\b|\bnot around\b/],
    [0.6, /\b(?:person|party|customer|subscriber)(?: at| you| that you)\b/],
    [0.6, /\b(?:our|business|office|opening) hours (?:are|of)\b|\bwe (?:re)?open (?:again )?(?:at|on|tomorrow)\b/],
    [0.5, /\b(?:you've|you have) (?:got|called)\b|\byou(?:'ve| have)? reached?\b/],
    [0.5, /\bon (?:vacation|holiday|the other line|another call)\b/],
    [0.5, /\b(?:thank you|thanks) for (?:your call|calling)\b.*\b(?:right now|at the moment|at this time)\b/],
    [0.4, /\b(?:we are|we're) sorry\b/],
    [0.3, /\bright now\b|\bat the moment\b|\bat this time\b|\bas soon as\b/],
    [0.3, /\bgood ?bye$/],
  ],
  screener: [
    [
      1,
      /\bscreen(?:ing|ed)\b|\bcall screen\b|\bscreens? (?:(?:all|my|your|his|her|their|the|these|unknown) )*calls?\b/,
    ],
    [0.5, /\bscreens?\b/],
    [1, /\bgoogle\b|\bcall assist\b|\bbixby\b/],
    [1, /\brecord your (?:full )?name\b/],
    [1, /(?<!\b(?:can|could|would) you )\b(?:say|state|give|tell|provide)(?: us| me)? your (?:full )?name\b/],
    [1, /\b(?:see|find out|check) if (?:this|the|that|your) (?:person|party|caller)\b/],
    [1, /\b(?:say|state|tell)(?: me| us)? (?:who you are|who is calling|who's calling)\b/],
    [1, /\bcall (?:blocker|guard|filter|protect)\w*\b/],
    [1, /\b(?:not|doesn't|don't) accept(?:ing)? (?:calls|unknown|anonymous|unwanted|unidentified)\b/],
    [1, /\bprove (?:that )?(?:you are|you're|you)\b/],
    [1, /\bto be connected\b|\bbefore i (?:try to )?connect you\b/],
    [0.6, /\bunknown (?:caller|callers|number|numbers)\b|\bunwanted calls\b/],
    [
      0.6,
      /\b(?:name|and|the) (?:and )?(?:the )?(?:reason|purpose|why) (?:for|of|you)(?:'re| are| your)? ?(?:call|calling)\b/,
    ],
    [0.6, /\brecording th(?:is|e)\b/],
    [0.6, /\bvirtual assistant\b/],
    [0.6, /\bcopy of (?:this|the)\b/],
    [1, /\b(?:your|her|a) name after the (?:tone|beep)\b/],
    [0.6, /\b(?:person|party|subscriber) (?:you|you're|you are|that you|that you're)\b/],
    [0.4, /\bthis person\b|\bstay on the line\b/],
  ],
  menu: [
    [
      1,
      new RegExp(
        `\\b(?:press|push|dial|select|choose|hit|enter) ${key}\\b(?! (?:zero|one|two|three|four|five|six|seven|eight|nine))`,
      ),
    ],
    [1, /\boprima\b|\bmarque\b|\bpresione\b|\bpara (?:espa\S+|continuar|ingl\S+)/],
    [1, /\blisten (?:carefully|closely|to (?:all|the))\b/],
    [
      1,
      /\b(?:menu|options|option) (?:options )?(?:have|has)(?: \w+){0,2} changed\b|\bmain menu\b|\bfollowing (?:menu|options)\b/,
    ],
    [
      1,
      /\bextension (?:number )?of the\b|\b(?:party|party's|parties|person's|their|your) extension\b|\b(?:know|enter|dial) the extension\b/,
    ],
    [1, /\byou (?:can|may) (?:say|dial)\b|\bsay (?:\w+ ){1,3}or press\b|\bin a few words\b/],
    [
      1,
      /\b(?:enter|key in|say) your (?!name)(?:\w+ ){0,3}(?:number|code|pin|id|date)\b|\bfollowed by (?:the )?(?:pound|hash)\b/,
    ],
    [1, /\bin the order (?:it was|they were|in which|that)\b|\bcall is important\b/],
    [1, /\bdial (?:it|the extension|your party)\b/],
    [0.7, /\btell me (?:what|why|how|in)\b/],
    [0.7, /\bcalls? (?:may|will|might|is|are|can)(?: be| being)?(?: \w+){0,2} (?:monitored|recorded)\b/],
    [0.7, /\b(?:agents|representatives|operators|associates)(?: \w+){0,2} (?:busy|assisting|helping)\b/],
    [0.7, /\bemergency (?:please )?(?:hang up|dial)\b|\bdial nine one one\b/],
    [
      0.6,
      /\bfor (?:sales|billing|service|support|english|appointments|customer service|technical support|directions)\b/,
    ],
    [0.7, /\bhold while (?:we|i) (?:try|connect|transfer)\b/],
    [0.5, /\bstay on the line\b|\bnext available\b/],
    // Said by people as well, but rarely as the last words.
    [0.3, /\bwelcome to\b|\b(?:thank you|thanks) for calling\b/],
  ],
  intercept: [
    [1, /\bcircuits are busy\b/],
    [1, /\b(?:not|no longer) in service\b|\b(?:been|is) disconnected\b/],
    [1, /\b(?:can ?not|could not|can't) be (?:completed|connected|reached)\b/],
    [1, /\b(?:check|verify) the number\b|\bno further information\b/],
    [
      1,
      /\bnumber (?:that )?(?:you|you've|you're)(?: \w+){0,4} (?:is|was|has been) (?:not|in)(?:valid| reachable| allocated| assigned| correct|correct| working| active)\b/,
    ],
    [0.6, new RegExp(`\\bnumber (?:that )?(?:you|you've|you're)(?: have| are)? ${calling}\\b`)],
    [0.5, /\bnot reachable\b|\bnumber has (?:been )?changed\b/],
  ],
  person: [
    [1, /\b(?:can|may|could) (?:i|we) (?:help|assist|be of)\b/],
    [1, /\bcan (?:i|we) do for\b|\bhow (?:can|may|could) (?:i|we)\b/],
    [1, /\bwho(?:'s| is|s| are| am) (?:this|calling|speaking|it|that|there|you|i)\b|\bwho would you\b/],
    [1, /\bspeaking\b/],
    [1, /\b(?:can|could) you (?:hear|hold|speak|repeat|call|make|say)\b/],
    [1, /\b(?:hold on|one (?:moment|second|sec|minute)|just a (?:moment|second|sec|minute))\b/],
    [1, /\b(?:can't|cannot|can barely|can hardly|barely) (?:really )?hear\b/],
    [1, /\b(?:anybody|anyone|somebody|someone|nobody) (?:is )?(?:there|on the)\b|\bare you there\b/],
    [1, /\bwhat(?:'s| is) (?:this about|this regarding|up|it about|your name)\b|\bwhat do you want\b/],
    [1, /\bwould you like to\b|\bcan i take a message\b|\bdo you want\b|\bis that you\b|\bnot interested\b/],
    [0.7, /\bgo ahead\b|\bon speaker\b|\bi'm here\b|\bi am here\b/],
    [
      0.5,
      /^(?:uh |um |oh |yes |yeah |hi |hey )?(?:hello|hi|hey|yes|yeah|yep|good (?:morning|afternoon|evening)|morning)(?: hello| hi| yes| there)?$/,
    ],
  ],
};

/** Offers of a receptionist, which hold the words of a machine. */
const offers = /\b(?:like|want|wish|care) to leave (?:a|him a|her a|them a) message\b|\btake a message\b/g;
/** What mailboxes offer at the end of their greeting, and menus of mailboxes. */
const mailboxKeys = new RegExp(
  `\\b(?:hang up|finished|recording|done)?(?: or| simply)? ?press ${key} (?:for|to) (?:more|further|other|send|page|leave a call)\\b.*|\\bnotification press ${key}.*`,
  'g',
);
const menuMessages = new RegExp(`\\bto leave (?:a|us a|your) (?:\\w+ )?message(?: \\w+){0,4} press ${key}\\b`, 'g');

export function weighPhrases(text: string): PhraseEvidence {
  const said = normalise(text);
  const heard: string[] = [];
  const weigh = (kind: PhraseKind, within: string) => {
    let sum = 0;
    for (const [weight, pattern] of phrases[kind]) {
      const match = pattern.exec(within);
      if (!match) continue;
      sum += weight;
      heard.push(match[0].trim());
    }
    return sum;
  };
  const forMenu = said.replace(mailboxKeys, ' ');
  const forVoicemail = said.replace(offers, ' ').replace(menuMessages, ' ');
  const weights = {
    person: weigh('person', said),
    screener: weigh('screener', said),
    menu: weigh('menu', forMenu),
    intercept: weigh('intercept', said),
    voicemail: weigh('voicemail', forVoicemail),
  };
  return { weights: settle(weights, said), heard };
}

/** Whose words these are when they fit more than one. */
function settle(weights: PhraseEvidence['weights'], said: string): PhraseEvidence['weights'] {
  const settled = { ...weights };
  const asksToLeave = /\b(?:leave|voice ?mail|(?:mail|male) ?box|record (?:your|a) message|forwarded)\b/.test(said);
  // "Leave your name and the reason for your call" is a mailbox, "say your name after the tone" is not.
  if (settled.screener >= 1 && asksToLeave && !/\bgoogle\b|\bscreen/.test(said)) settled.screener = 0;
  if (settled.screener >= 1) settled.voicemail = settled.menu = 0;
  if (settled.intercept >= 1 && !asksToLeave) settled.voicemail = settled.menu = 0;
  if (settled.voicemail >= 1 && settled.menu >= 1 && asksToLeave) settled.menu = 0;
  if (settled.menu >= 1) settled.voicemail = 0;
  return settled;
}

/** Words that open a call and wait for an answer. */
const openings = new Set(
  'hello hi hey yes yeah yep yup hiya good morning afternoon evening there uh um oh who this is please howdy right sorry ok okay'.split(
    ' ',
  ),
);

/** Whether nothing but "Hello?" or the like was said. */
export function isBareHello(text: string): boolean {
  const words = normalise(text).split(' ');
  return words.length <= 5 && words.every((word) => openings.has(word));
}

/** "This is Dave": the beginning of a person as well as of a greeting on a machine. */
export function isIntroduction(text: string): boolean {
  return /\b(?:this is|it's|it is|my name is|you(?:'ve| have) (?:reached|got))\b|\bhere$/.test(normalise(text));
}

/** Different ones: out of noise, recognisers make the same few again and again. */
export function countWords(text: string): number {
  const said = normalise(text);
  return said === '' ? 0 : new Set(said.split(' ')).size;
}

const digitNames = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function normalise(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll('#', ' pound ')
    .replace(/\d/g, (found) => ` ${digitNames[Number(found)]} `)
    .replace(/[^\p{L}']+/gu, ' ')
    .trim();
}

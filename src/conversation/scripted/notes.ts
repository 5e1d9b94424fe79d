import { sentences } from '../../speech/text/sentences.ts';
import { asSentence, shortName, stemsIn, withoutBraces } from './words.ts';

/** What notes say that can be told to the person they are about. */
export interface Told {
  /** Sentences, the person addressed as "you". */
  sentences: string[];
  /** What the call is about as it stands after "about", if the notes name it. */
  topic: string | undefined;
  /** What the notes forbid to speak of. */
  avoided: string[];
}

const role =
  '(?:customer|client|lead|prospect|contact|patient|caller|callee|user|buyer|homeowner|candidate|applicant|member|guest|tenant|subscriber|person)';
const anyone = `(?:them|him|her|you|(?:the |this |our )?${role})`;
const verbAfterRole =
  '(?:\\w{2,}ed|wants?|needs?|has|had|have|is|was|were|are|will|would|may|might|can|could|should|does|did|said|says|likes?|lives?|owns?|bought|got|wrote|paid|left|made|chose|sent|prefers?|uses?|asks?|requires?|came|went|spoke|took|gave|told|knows?|thinks?|works?|runs?|plans?|hopes?|saw|found|built|rents?|also)';
const elidedByPerson =
  /^(?:works|wants?|needs|has|had|asked|requested|ordered|bought|purchased|signed|submitted|downloaded|registered|filled|prefers?|lives|owns|said|mentioned|complained|inquired|enquired|applied|subscribed|booked|was|is)\b/i;
const elidedByUs = /^(?:sent|called|emailed|e-mailed|spoke|met|visited|shipped|delivered|quoted|offered)\b/i;
const purposes =
  'confirm|check|verify|schedule|reschedule|book|arrange|set up|discuss|review|introduce|collect|get|find out|learn|gather|invite|welcome|congratulate|apologi[sz]e|survey|present|renew|cancel|update|notify|announce|request|propose|deliver|return|help|explore|understand|see|determine|clarify|talk|speak|touch base|go over|answer|resolve|complete|finish|close|offer|thank|sell|pitch|qualify|obtain|organi[sz]e|plan|extend|replace|repair|collect|settle|refund|demonstrate|show';
const purpose = new RegExp(`^(${purposes})\\b(?!ed\\b)`, 'i');
const told =
  /^(?:mention|highlight|emphasi[sz]e|stress|note|point out|explain|say|tell|inform|let|share|advise|announce|state)\b/i;
const tone =
  /^(?:be|stay|remain|sound|act|keep|use|avoid|try|never|always|don'?t|do not|no need|make it|smile|wait|listen|speak|talk|go easy|focus|ensure|leave (?:a |out)|sell hard|push|greet|introduce yourself|identify|adopt|assume|pretend|consider|hang up|end the|transfer|if |when they|in a \w+ (?:tone|voice|manner)|with a \w+ (?:tone|voice)|tone\b|style\b|voice\b)\b/i;
const leadIn =
  /^(?:and|but|also|then|so|please|kindly|just|now|first|finally|secondly|lastly|plus|(?:please )?(?:make sure|be sure|remember|don'?t forget|try|need|want|we need|we want|i need you|i want you|you should|you need|the goal is|goal is|the aim is|purpose is|the purpose is|in order)(?: that you)? to|should|you should|we should|calling (?:back )?to|call(?: back)? to|reach out to|reaching out to|call and|this is a call to)[\s,]+/i;
const plainLabel =
  /^(?:goals?|context|reason(?: for (?:the )?call)?|purpose|topic|subject|notes?|background|info|information|about|summary|task|objective|details|re|intro|script|call)\s*:\s*/i;
const finite =
  /\b(?:is|are|was|were|will|has|have|had|can|could|would|should|may|might|must|does|did|expires?|ends?|starts?|begins?|costs?|opens?|closes?|moved|changed|offers?|includes?|provides?|comes?|takes?|recommends?|suggests?|advises?|expects?|needs?|wants?|asked|requested|signed|ordered)\b/i;
const determiner =
  /^(?:the|a|an|this|that|these|those|your|our|their|his|her|my|its|any|some|all|no|if|whether|how|what|when|where|why|which|who|about|for|on|in|at|to|with|by|of|up|out|over|back|you|them|him|us|it|and|off|from|regarding|new|every|each)\b/i;

const mostSentences = 7;
const mostWords = 75;

/** Reads notes as a colleague would: what is an order to the assistant is obeyed or left out, what is a fact is told. */
export function tellNotes(notes: string, calleeName: string): Told {
  const avoided: string[] = [];
  const said: { text: string; weight: number }[] = [];
  let topic: string | undefined;
  for (const raw of clausesOf(notes)) {
    const clause = bareOf(raw);
    if (clause === '' || isName(clause, calleeName)) continue;
    const avoid =
      /^(?:don'?t|do not|never|avoid)\s+(?:ever )?(?:mention(?:ing)?|discuss(?:ing)?|talk(?:ing)? about|bring(?:ing)? up|say(?:ing)?|reveal(?:ing)?|speak(?:ing)? about|the topic of)\s+(.+)$/i.exec(
        clause,
      );
    if (avoid?.[1]) avoided.push(avoid[1]);
    if (tone.test(clause) && !/^(?:talk|speak) (?:to \w+ |with \w+ )?about\b/i.test(clause)) continue;
    const found = sentenceOf(clause, calleeName, said.length === 0);
    if (!found) continue;
    topic ??= found.topic;
    said.push({ text: asSentence(found.text.replace(/^Also, (?=you\b)/, '')), weight: weightOf(clause) });
  }
  return { sentences: chosen(said), topic, avoided };
}

/** All that fits; of too much, what holds numbers and names before the rest, in its own order. */
function chosen(said: readonly { text: string; weight: number }[]): string[] {
  const ranked = said
    .map((one, index) => ({ ...one, index, weight: one.weight + (index === 0 ? 10 : 0) }))
    .sort((a, b) => b.weight - a.weight || a.index - b.index);
  let words = 0;
  const kept = ranked.filter(({ text }, rank) => {
    const length = text.split(/\s+/).length;
    if (rank >= mostSentences || (rank > 0 && words + length > mostWords)) return false;
    words += length;
    return true;
  });
  return kept.sort((a, b) => a.index - b.index).map(({ text }) => text);
}

function weightOf(clause: string): number {
  return (clause.match(/\d+|(?<=\s)\p{Lu}\p{L}+/gu) ?? []).length;
}

const elided =
  'wants|needs|has|works|lives|owns|asked|requested|ordered|bought|prefers|interested in|looking for|is|was';

function clausesOf(notes: string): string[] {
  const flat = withoutBraces(notes)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/["\u201c\u201d*_`~|<>\\^[\]]+/g, ' ')
    .replace(/^\s*(?:[-•+>]|\d{1,2}[.)])\s+/gm, '')
    .replace(/\s*[\r\n]+\s*/g, ' ; ')
    .replace(/\s+[-–—]+\s+|[–—]+/g, ' ; ')
    .replace(/\s*\(([^()]*)\)/g, ', $1,')
    .replace(/[()]/g, ' ')
    .replace(/\s*&\s*/g, ' and ')
    .replace(/(?<![\p{L}\p{N}])#\s*(?=[\p{L}\p{N}])/gu, 'number ')
    .replace(/#/g, ' ')
    .replace(/\b(quote|order|invoice|ticket|case|number|policy|account) number number\b/gi, '$1 number')
    .replace(/\b(number|no\.?) number (?=\S)/gi, 'number ');
  const newClause = new RegExp(
    `(?:,|\\band\\b|\\bbut\\b)\\s+(?=(?:and |but |then |also |please )*(?:(?:the |this |our )?${role} ${verbAfterRole}\\b|(?:he|she|they|we) ${verbAfterRole}\\b|(?<=, )(?:${elided})\\b|(?:asked|wants|requested|prefers|needs) |(?:don'?t|do not|never|be (?!\\w+ed\\b)|make sure|remember to|try to|mention|tell (?:them|him|her|the)|let (?:them|him|her)|ask (?:them|him|her|if|whether|about|for)|keep (?:it|the)|remind|follow up|confirm|thank|invite|offer them|avoid|stay|sound)\\b))`,
    'gi',
  );
  return sentences(flat)
    .flatMap((sentence) => sentence.split(/\s*;\s*/))
    .flatMap((part) => part.split(newClause));
}

function bareOf(raw: string): string {
  let clause = raw.trim().replace(/^[\s,.;:!?'-]+|[\s,.;:!?'-]+$/g, '');
  for (let before = ''; before !== clause; ) {
    before = clause;
    clause = clause.replace(plainLabel, '').replace(leadIn, '').trim();
  }
  const label = /^(\p{L}[\p{L} ]{1,24}?)\s*:\s+(?=\S)/u.exec(clause);
  if (!label) return clause.replace(/\s+/g, ' ');
  const value = clause.slice(label[0].length).trim();
  const [, name = ''] = label;
  return /^(?:name|customer|client|caller|callee|phone|tone|style|voice|language|rules?|instructions?)$/i.test(name)
    ? /^(?:name|customer|client|callee)$/i.test(name)
      ? ''
      : `tone ${value}`
    : /^(?:product|service|item|products|services|items|offer|interest)$/i.test(name)
      ? value
      : `the ${name.toLowerCase()} is ${value}`.replace(/\s+/g, ' ');
}

function isName(clause: string, calleeName: string): boolean {
  return stemsIn(clause).join(' ') === stemsIn(calleeName).join(' ');
}

interface Sentence {
  text: string;
  topic?: string;
}

function sentenceOf(clause: string, calleeName: string, isFirst: boolean): Sentence | undefined {
  const you = (text: string) => toYou(text, calleeName);
  const follow =
    /^follow(?:ing)?[ -]?up(?: call)?(?: with \S+(?: \p{Lu}\S+)?)?(?: (?:on|about|regarding|to|after|for))?\s*/iu.exec(
      clause,
    );
  if (follow) {
    const rest = thing(you(clause.slice(follow[0].length)));
    if (rest === '') return { text: 'I am following up with you' };
    return { text: `I am following up on ${rest}`, topic: rest };
  }
  const person = `(?:${anyone}|${escaped(calleeName)}|${escaped(shortName(calleeName))})`;
  const remind = new RegExp(`^(?:reminder|remind)(?: ${person})?\\s*(about|of|that|to|for)?\\s*`, 'i').exec(clause);
  if (remind) {
    const rest = you(clause.slice(remind[0].length));
    const link = /^(?:that|to)$/i.test(remind[1] ?? '') ? (remind[1] ?? '').toLowerCase() : 'about';
    if (rest === '') return undefined;
    return link === 'about'
      ? { text: `This is a reminder about ${thing(rest)}`, topic: thing(rest) }
      : { text: `This is a reminder ${link} ${rest}` };
  }
  const ask = new RegExp(`^ask\\b(?: ${person})?\\s*(.*)$`, 'i').exec(clause);
  if (ask) return ask[1] ? { text: `I would like to ask you ${you(ask[1])}` } : undefined;
  const about =
    /^(?:call(?:ing)?|calls|phone|ring|contact|reach out|talk|speak)(?: (?:to|with))?(?: (?:them|him|her|you|the \w+|\p{Lu}\S+))?(?: back)? (?:about|regarding|concerning|re|on)\s+(.+)$/iu.exec(
      clause,
    );
  if (about?.[1]) return { text: `I am calling about ${thing(you(about[1]))}`, topic: thing(you(about[1])) };
  if (told.test(clause)) return toldOf(clause, calleeName, isFirst);
  const aim = purpose.exec(clause);
  const isThing =
    /^\w+ (?:about|on|for|of|from|regarding|call|reminder|request)\b/i.test(clause) &&
    /^(?:survey|update|request|offer|return|review|help|plan|show|answer|close)\b/i.test(clause);
  if (aim?.[1] && !isThing) {
    const rest = you(clause.slice(aim[0].length).trim());
    const object = /^(?:offer|thank|invite|congratulate|welcome|show|help|notify)$/i.test(aim[1])
      ? `you ${rest.replace(/^you\b\s*/i, '')}`
      : thing(rest);
    return {
      text: `I would like to ${aim[1].toLowerCase()} ${object}`,
      ...(/^(?:confirm|discuss|schedule|reschedule|review|renew|book|arrange|verify|cancel)$/i.test(aim[1]) && {
        topic: object,
      }),
    };
  }
  if (/^(?:interested|looking)\b/i.test(clause)) return { text: `You are ${lowered(you(clause))}` };
  if (elidedByPerson.test(clause)) return { text: agreed(`you ${you(clause)}`) };
  if (elidedByUs.test(clause)) return { text: `we ${you(clause)}` };
  const spoken = you(clause);
  if (/^you\b/i.test(spoken)) return { text: spoken };
  if (finite.test(spoken)) return { text: isFirst ? spoken : `Also, ${lowered(spoken)}` };
  return { text: `${isFirst ? 'I am calling' : 'It is also'} about ${thing(spoken)}`, topic: thing(spoken) };
}

/** "mention the discount", "tell them that we moved": what is to be told, without the order to tell it. */
function toldOf(clause: string, calleeName: string, isFirst: boolean): Sentence | undefined {
  const rest = clause
    .replace(told, '')
    .trim()
    .replace(new RegExp(`^(?:${anyone}|${escaped(calleeName)}|${escaped(shortName(calleeName))})\\b\\s*`, 'i'), '')
    .replace(/^know\b\s*/i, '')
    .replace(/^(?:about|of|that|:)\s+/i, '')
    .trim();
  if (rest === '') return undefined;
  const spoken = toYou(rest, calleeName);
  if (finite.test(spoken)) return { text: isFirst ? spoken : `Also, ${lowered(spoken)}` };
  return { text: `${isFirst ? 'I am calling' : 'It is also'} about ${thing(spoken)}`, topic: thing(spoken) };
}

// Words that open a note with a capital without being a name.
const commonStart =
  /^(?:annual|monthly|yearly|free|payment|delivery|appointment|quote|order|invoice|survey|reminder|renewal|callback|meeting|demo|feedback|interested|looking|overdue|unpaid|missed|upcoming|shipping|service|pricing|price|discount|contract|update|request|offer|review)\b/i;

function lowered(text: string): string {
  return determiner.test(text) || commonStart.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}

/** "quote number 4411 sent on March 3" → "the quote number 4411 that was sent on March 3". */
function thing(text: string): string {
  const bare = lowered(text.trim().replace(/^(?:about|regarding|concerning)\s+/i, ''));
  if (bare === '') return '';
  const linked = bare
    .replace(
      /(?<=[\p{L}\p{N}] )(sent|submitted|placed|scheduled|ordered|received|signed|booked|requested|made|issued|delivered|shipped|planned|filed|due) (?=(?:on|for|by|in|at|last|from|to|yesterday|today|tomorrow|next)\b)/giu,
      (match, _verb, at: number) =>
        /\b(?:was|were|is|are|be|been|has|have|had|you|we|i)\s$/i.test(bare.slice(0, at)) ? match : `that was ${match}`,
    )
    .replace(/that was due /gi, 'that is due ');
  return determiner.test(linked) || /^[\p{Lu}\p{N}$€£]/u.test(linked) ? linked : `the ${linked}`;
}

/** Whoever the notes are about is who hears them. */
function toYou(text: string, calleeName: string): string {
  const names = [calleeName.trim(), shortName(calleeName)].filter((name) => name.length > 1).map(escaped);
  const named = names.length > 0 ? `|${names.join('|')}` : '';
  const who = `(?:(?:the |this |our )?${role}${named})`;
  return agreed(
    text
      .replace(new RegExp(`\\b${who}'s\\b`, 'gi'), 'your')
      .replace(
        new RegExp(
          `(?<=^|[,;] |\\b(?:that|if|whether|because|since|and|but|when) )${who}(?= ${verbAfterRole}\\b)`,
          'gi',
        ),
        'you',
      )
      .replace(
        new RegExp(
          `\\b(?:(?:the|this|our) ${role}${named})(?=$|[.,;]| (?:about|for|to|on|of|that|if|whether|in|with|and|at|by)\\b)`,
          'gi',
        ),
        'you',
      )
      .replace(/\b(?:they|he|she|them|him)\b/gi, 'you')
      .replace(/\b(?:their|his)\b|\bher(?= \p{Ll})/giu, 'your')
      .replace(/\btheirs\b/gi, 'yours')
      .replace(/\bher\b/gi, 'you'),
  );
}

const plural: Record<string, string> = { is: 'are', was: 'were', has: 'have', does: 'do' };

function agreed(text: string): string {
  return text.replace(
    /\byou (also )?(is|was|has|does|wants|needs|likes|lives|owns|says|prefers|uses|asks|requires|knows|thinks|works|runs|plans|hopes|rents)\b/gi,
    (_, also: string | undefined, verb: string) =>
      `you ${also ?? ''}${plural[verb.toLowerCase()] ?? verb.toLowerCase().replace(/s$/, '')}`,
  );
}

function escaped(text: string): string {
  return (
    text
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\s+/g, '\\s+') || '\\u0000'
  );
}

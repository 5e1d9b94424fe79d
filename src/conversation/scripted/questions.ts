import { sentences } from '../../speech/text/sentences.ts';
import { parseSpokenDate } from '../../speech/text/spoken-date.ts';
import { parseSpokenDateTime } from '../../speech/text/spoken-date-time.ts';
import { parseSpokenEmail } from '../../speech/text/spoken-email.ts';
import { parseSpokenMoney } from '../../speech/text/spoken-money.ts';
import { parseSpokenNumber } from '../../speech/text/spoken-number.ts';
import { parseSpokenPhone } from '../../speech/text/spoken-phone.ts';
import { parseSpokenYesNo } from '../../speech/text/spoken-yes-no.ts';
import type { Intent, Meaning } from './meaning.ts';
import { contentStems, wordsIn } from './words.ts';

/** What kind of answer a question asks for. */
export type QuestionKind = 'yes-no' | 'number' | 'money' | 'date' | 'phone' | 'email' | 'open';

export interface Clock {
  now: Date;
  timeZone: string;
}

/** What an utterance is as an answer. */
export type Reading =
  | { status: 'answered'; value: unknown; confidence: number }
  | { status: 'refused' }
  | { status: 'unclear' };

const request =
  /^(?:can|could|would|will|may|might) (?:you|i|we)(?: please| kindly| also)? (?:tell|give|share|spell|have|get|provide|let|ask|know|describe|explain|say|note|take|confirm your|name)\b/;
const yesNo =
  /^(?:(?:did|do|does|are|is|was|were|am|would|will|can|could|have|has|had|should|shall|may|might|must|don't|doesn't|didn't|isn't|aren't|wasn't|won't|wouldn't|haven't|hasn't|can't) |any(?:thing| other| further| more)? )/;

/** From the last question in it: "We have a slot on Tuesday. Does that suit you?" asks for a yes or a no. */
export function kindOf(question: string): QuestionKind {
  const all = sentences(question);
  const asked = all.findLast((sentence) => sentence.includes('?')) ?? all.at(-1) ?? '';
  const plain = wordsIn(asked)
    .join(' ')
    .replace(/^(?:(?:and|so|now|also|okay|ok|then|first|next|finally|great|well|but|please|lastly|secondly) )+/, '');
  const isRequest = request.test(plain);
  if (!isRequest && yesNo.test(plain)) return / or (?!not\b|no\b|any)/.test(` ${plain} `) ? 'open' : 'yes-no';
  if (/\be-? ?mail(?: address)?\b/.test(plain)) return 'email';
  if (
    /\b(?:phone|telephone|mobile|cell|callback|contact) number\b|\b(?:best|which|what) number\b.*\b(?:reach|call)\b/.test(
      plain,
    )
  )
    return 'phone';
  if (
    /\bwhen\b|\b(?:what|which|best|preferred) (?:date|day|time)\b|\bdate of birth\b|\bbirthday\b|\bborn\b/.test(plain)
  )
    return 'date';
  if (
    /\bhow much\b.*\b(?:pay|spend|cost|budget|money|invest|charge|owe|earn|afford|worth|bill)\b|\b(?:budget|income|salary|price range|revenue|turnover)\b/.test(
      plain,
    )
  )
    return 'money';
  if (
    /\bhow (?:many|much|old|likely)\b|\bwhat (?:is your )?age\b|\bscale (?:of|from)\b|\bfrom (?:one|1|zero|0) to\b|\bnumber of\b/.test(
      plain,
    )
  )
    return 'number';
  if (/^(?:what|how|which|where|who|whom|whose|why|please|tell|describe)\b/.test(plain) || isRequest) return 'open';
  return /\b(?:right|correct|true|is that so|isn't it|aren't you|don't you)$/.test(plain) ? 'yes-no' : 'open';
}

// Below this the recognizer itself says that it guessed.
const leastRecognition = 0.3;
// A value less sure than this is not worth a machine's trust; the person's words still are.
const leastValue = 0.4;
// How sure it is that words are an answer when no value says so.
const wordsAlone = 0.9;
const wordsWithoutValue = 0.5;

const politeness =
  /\b(?:yes|yeah|yep|no|nope|okay|ok|sure|thanks|thank|you|please|hello|hi|hey|right|mmhm|i|see|the|a|an|it|is|that|this|so|and|hm|very|much|sorry|good|fine)\b/g;
const roughTime =
  /\b(?:morning|afternoon|evening|night|noon|weekend|weekday|week|weeks|month|months|year|years|spring|summer|autumn|fall|winter|any ?time|whenever|soon|later|asap|now|day|days|hour|hours|ago|never|always|january|february|march|april|june|july|august|september|october|november|december|next|holidays|christmas|lunch|dinner|work)\b/;
const roughNumber =
  /\b(?:few|several|many|none|lots|couple|dozens?|hundreds|thousands|plenty|nobody|no one|everyone|all|nothing|a lot|not many|some|between|or)\b/;

const aboutSaying =
  /\b(?:say|answer|tell|share|disclose|reveal|discuss|talk|private|personal|confidential|business|comment|comfortable|skip|pass|next)\b/;

/** Reads an utterance as the answer to a question of this kind. */
export function readAnswer(
  question: { kind: QuestionKind; text: string },
  text: string,
  meaning: Meaning,
  recognition: number,
  clock: Clock,
): Reading {
  const { intents, plain } = meaning;
  if (recognition < leastRecognition) return { status: 'unclear' };
  const value = valueIn(question.kind, question.text, text, clock);
  // "I would rather not" declines an offer, "I would rather not say" the question.
  const isPlainNo = question.kind === 'yes-no' && value?.value === false && !aboutSaying.test(plain);
  if (intents.has('refuse-question') && !isPlainNo) return { status: 'refused' };
  if (value && value.confidence >= leastValue) {
    return { status: 'answered', value: value.value, confidence: round(value.confidence * recognition) };
  }
  const content = plain
    .replace(politeness, ' ')
    .trim()
    .split(/ +/)
    .filter((word) => word !== '').length;
  if (intents.has('unsure') && !saysMore(plain)) return { status: 'unclear' };
  if (has(intents, 'back-channel', 'greeting') || content === 0) return { status: 'unclear' };
  const words = (sure: number): Reading => ({ status: 'answered', value: null, confidence: round(sure * recognition) });
  switch (question.kind) {
    case 'open':
      return words(wordsAlone);
    case 'yes-no':
      return content >= 2 ? words(wordsWithoutValue) : { status: 'unclear' };
    case 'date':
      return roughTime.test(plain) || value ? words(wordsWithoutValue) : { status: 'unclear' };
    case 'number':
    case 'money':
      return roughNumber.test(plain) || value ? words(wordsWithoutValue) : { status: 'unclear' };
    default:
      return { status: 'unclear' };
  }
}

function has(intents: ReadonlySet<Intent>, ...wanted: Intent[]): boolean {
  return wanted.some((intent) => intents.has(intent));
}

/** "I am not sure, I think a friend of mine told me" says something after all. */
function saysMore(plain: string): boolean {
  const rest = plain
    .replace(
      /\b(?:i|do|not|know|sure|certain|really|quite|so|it|that|depends|depend|maybe|perhaps|possibly|hard|difficult|to|say|no|idea|clue|can|remember|recall|tell|might|could|be|have|need|think|about|am|is|yet|decided|sorry|honest|good|question|at|the|moment|right|now|a|and|but|on|very|what|you|me|would|of|for|how|forgot)\b/g,
      ' ',
    )
    .trim();
  return rest.split(/ +/).filter((word) => word !== '').length >= 3;
}

interface Value {
  value: unknown;
  confidence: number;
}

/** The value of the answer as a machine reads it, where it has one. */
export function valueIn(kind: QuestionKind, question: string, text: string, clock: Clock): Value | undefined {
  switch (kind) {
    case 'yes-no': {
      const heard = parseSpokenYesNo(text) ?? parseSpokenYesNo(firstClause(text));
      return heard && { value: heard.value === 'yes', confidence: heard.confidence };
    }
    case 'number': {
      const heard = parseSpokenNumber(text);
      return heard && { value: heard.value, confidence: heard.confidence };
    }
    case 'money': {
      const heard = parseSpokenMoney(text);
      return (
        heard && { value: { amount: heard.value.amount, currency: heard.value.currency }, confidence: heard.confidence }
      );
    }
    case 'date':
      return momentOf(question, text, clock);
    case 'phone': {
      const heard = parseSpokenPhone(text);
      const isEnough = heard && (heard.kind === 'number' || heard.value.length >= 7);
      return isEnough ? { value: heard.value, confidence: heard.confidence } : undefined;
    }
    case 'email':
      return parseSpokenEmail(text);
    case 'open':
      return undefined;
  }
}

/** "Yes, we got it on Monday": the clause before the comma says yes. */
function firstClause(text: string): string {
  return /^[^,.;!?]*/.exec(text.trim())?.[0] ?? '';
}

/** A date, or with the hour said a date and time with the offset of the person's clock. */
function momentOf(question: string, text: string, clock: Clock): Value | undefined {
  const isPast = /\b(?:did|was|were|have you|has|had|born|birth|birthday|last|ago)\b/i.test(question);
  const moment = isPast ? undefined : parseSpokenDateTime(text, clock);
  if (moment && !moment.guessedHour)
    return { value: withOffset(moment.local, moment.value), confidence: moment.confidence };
  const date = parseSpokenDate(text, { ...clock, prefer: isPast ? 'past' : 'future' });
  return date ?? (moment && { value: moment.local.slice(0, 10), confidence: moment.confidence });
}

function withOffset(local: string, instant: Date): string {
  const minutes = Math.round((Date.parse(`${local}:00Z`) - instant.getTime()) / 60_000);
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local}:00${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The part of an utterance that answers another question as well, if one plainly does. */
export function alsoAnswers(
  question: { kind: QuestionKind; text: string },
  text: string,
  clock: Clock,
): { words: string; value: unknown; confidence: number } | undefined {
  const parts = text
    .split(/[,.;!?]+(?=\s|$)|\band\b/i)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length < 2) return undefined;
  for (const part of parts.slice(1)) {
    const found = valueIn(question.kind, question.text, part, clock);
    if (!found || found.confidence < leastShared[question.kind] || wordsIn(part).length > 8) continue;
    if (question.kind === 'number' && !sharesWord(question.text, part)) continue;
    return { words: part, ...found };
  }
  return undefined;
}

// A day is a day; a number or a word may mean much else.
const leastShared: Record<QuestionKind, number> = {
  date: 0.5,
  number: 0.75,
  money: 0.75,
  phone: 0.75,
  email: 0.75,
  'yes-no': 1,
  open: 1,
};

function sharesWord(question: string, part: string): boolean {
  const asked = new Set(contentStems(question));
  return contentStems(part).some((word) => asked.has(word));
}

export function round(confidence: number): number {
  return Math.round(Math.min(1, Math.max(0, confidence)) * 100) / 100;
}

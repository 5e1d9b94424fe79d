import { sentences } from '../../speech/text/sentences.ts';
import type { Brief } from '../mind.ts';
import { tellNotes } from './notes.ts';
import { fillPlaceholders, placeholdersOf } from './placeholders.ts';
import { type OwnWords, ownWordsFor } from './verbatim.ts';
import { asSentence, hasRun, joined, shortName, stemsIn, withoutBraces } from './words.ts';

/** The texts by which the assistant says who it is and why it calls. */
export interface Introductions {
  introduction: string;
  /** Whether the introduction is the caller's own wording. */
  isGiven: boolean;
  voicemail: string;
  screener: string;
  /** "This is Robin from Acme." */
  who: string;
  /** The reason in a sentence or more, empty where none is known. */
  why: string;
}

export type MayBeSaid = (text: string) => boolean;

/** From what was given, else from the notes, else from the form. */
export function introductionsOf(brief: Brief, mayBeSaid: MayBeSaid = () => true): Introductions {
  const known = placeholdersOf(brief);
  const fill = (text: string | undefined) => fillPlaceholders(text ?? '', known);
  const notes = fill(brief.introNotes);
  const told = tellNotes(notes, brief.calleeName);
  const own = ownWordsFor(notes);
  const avoided = told.avoided.map(stemsIn);
  const isAllowed = (text: string) =>
    mayBeSaid(text) && !avoided.some((topic) => hasRun(stemsIn(text), topic)) && !own.repeats(text);
  const reasons = told.sentences
    .map((sentence) => own.reworded(sentence) ?? '')
    .filter((sentence) => sentence !== '' && isAllowed(sentence));
  const fromForm = reasons.length === 0 ? formReason(brief) : '';
  if (fromForm !== '' && isAllowed(fromForm)) reasons.push(fromForm);

  const name = shortName(brief.calleeName);
  const who = whoCalls(brief);
  const hasQuestions = brief.questions.length > 0;
  const bare = hasQuestions ? 'I have a few short questions for you.' : '';
  const body = reasons.length > 0 ? reasons : [bare];
  const compose = (parts: readonly string[]) => firstAllowed(parts, own, isAllowed);

  const introMessage = fill(brief.introMessage);
  const introVoicemail = fill(brief.introVoicemail);
  const hello = name === '' ? 'Hello.' : `Hello ${name}.`;
  return {
    introduction:
      introMessage.trim() !== ''
        ? introMessage
        : compose([hello, who, ...body, hasQuestions ? 'Do you have a minute?' : '']),
    isGiven: introMessage.trim() !== '',
    voicemail:
      introVoicemail.trim() !== ''
        ? introVoicemail
        : compose([hello, who, ...(reasons.length > 0 ? reasons : []), 'We will try to reach you again. Goodbye.']),
    screener: screenerOf(brief, told.topic, own, isAllowed),
    who,
    why: compose(reasons),
  };
}

/** All parts together if that repeats nothing, else without those that do. */
function firstAllowed(parts: readonly string[], own: OwnWords, isAllowed: MayBeSaid): string {
  let said = '';
  for (const part of parts) {
    if (part === '') continue;
    const allowed = sentences(part)
      .filter((sentence) => isAllowed(sentence))
      .join(' ');
    const longer = joined(said, allowed);
    const next = own.reworded(longer);
    if (next !== undefined && (next === longer || isAllowed(next))) said = next;
  }
  return said;
}

function whoCalls({ agent }: Brief): string {
  const name = withoutBraces(agent.name).trim();
  const company = withoutBraces(agent.company).trim();
  return asSentence(company === '' ? `This is ${name}` : `This is ${name} from ${company}`);
}

function screenerOf(brief: Brief, topic: string | undefined, own: OwnWords, isAllowed: MayBeSaid): string {
  const name = withoutBraces(brief.agent.name).trim();
  const company = withoutBraces(brief.agent.company).trim();
  const caller = company === '' ? name : `${name} from ${company}`;
  const person = withoutBraces(brief.calleeName).trim();
  const about = topic ?? formTopic(brief);
  const short = about !== undefined && about.split(/\s+/).length <= 20 ? about : undefined;
  const line = (reason: string) => asSentence(`This is ${caller}, calling for ${person}${reason}`);
  const candidates = [
    ...(short === undefined ? [] : [line(` about ${short}`)]),
    ...(brief.questions.length > 0 ? [line(' with a few short questions')] : []),
    line(''),
    asSentence(`This is ${name}`),
  ];
  for (const candidate of candidates) {
    const said = own.reworded(candidate);
    if (said !== undefined && isAllowed(said)) return said;
  }
  return '';
}

// Keys of a form that say why somebody is called, the plainest first.
const reasonKeys =
  /^(?:reason|reason for call|purpose|topic|subject|about|interest|interested in|product|service|course|treatment|event)$/;
const thingKeys =
  /^(?:order|order number|order id|appointment|appointment date|quote|quote number|request|plan|policy|booking|reservation|invoice|invoice number|delivery|delivery date|application|claim|subscription|contract|vehicle|car|property|ticket|case|renewal|renewal date|loan|test drive|inquiry|enquiry|demo)$/;

function formTopic({ form }: Brief): string | undefined {
  const entries = form
    .map(({ key, value }) => ({ key: spokenKey(key), value: withoutBraces(value).trim() }))
    .filter(({ value }) => value !== '' && value.length <= 100);
  const reason = entries.find(({ key }) => reasonKeys.test(key));
  if (reason) return reason.value.replace(/[.!?]+$/, '');
  const thing = entries.find(({ key }) => thingKeys.test(key));
  return thing && `your ${thing.key}, ${thing.value.replace(/[.!?]+$/, '')}`;
}

function formReason(brief: Brief): string {
  const topic = formTopic(brief);
  return topic === undefined ? '' : asSentence(`I am calling about ${topic}`);
}

/** "orderNumber" and "order_number" are both an order number. */
export function spokenKey(key: string): string {
  return withoutBraces(key)
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .replace(/[\s_-]+/g, ' ')
    .trim()
    .toLowerCase();
}

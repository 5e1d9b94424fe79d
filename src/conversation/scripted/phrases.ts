import { sentences } from '../../speech/text/sentences.ts';
import type { Brief } from '../mind.ts';
import { type Introductions, spokenKey } from './introduction.ts';
import type { QuestionKind } from './questions.ts';
import { asSentence, withoutBraces } from './words.ts';

/** Said before the next question, by how the answer was. One after the other, so that none wears out. */
export const acknowledgements = {
  positive: ['Great.', 'Good to know.', 'Wonderful.'],
  neutral: ['Thank you.', 'All right.', 'Thanks, I have noted that.'],
  negative: ['I see.', 'I understand.', 'All right, thank you.'],
  refused: ['That is fine.', 'No problem at all.', 'Of course, that is up to you.'],
  unclear: ['No problem.', 'That is all right.', 'Let us leave that one open.'],
  sad: ['I am sorry to hear that.'],
  begin: ['Thank you.', 'Great, thank you.'],
} as const;

export type Mood = keyof typeof acknowledgements;

const sad =
  /\b(?:died|dead|death|funeral|passed away|hospital|ill|sick|cancer|accident|lost my|fired|laid off|divorce|terrible|awful|unfortunately|sadly|not (?:feeling )?well|in pain|broken)\b/i;

export function moodOf(text: string, value: unknown): Mood {
  if (sad.test(text)) return 'sad';
  if (value === true) return 'positive';
  return value === false ? 'negative' : 'neutral';
}

/** The truth, in words of which one set is surely not forbidden. */
export const truths: readonly [string, ...string[]] = [
  'I am an automated assistant.',
  'I am a computer program, not a person.',
  'I am a machine with a voice.',
];

/** Asks the same once more, so that answering it becomes easier. */
export function rephrased(kind: QuestionKind, wasHeard: boolean): string {
  if (!wasHeard) return 'Sorry, I did not catch that.';
  switch (kind) {
    case 'yes-no':
      return 'Let me put it differently: a simple yes or no is enough.';
    case 'number':
    case 'money':
      return 'Let me put it differently: a rough number is enough.';
    case 'date':
      return 'Let me put it differently: a rough day or time is enough.';
    case 'phone':
      return 'Sorry, I did not catch that. Please say it digit by digit.';
    case 'email':
      return 'Sorry, I did not catch that. Please spell it for me.';
    case 'open':
      return 'Let me put it differently: a few words are enough.';
  }
}

const sourceKeys =
  /^(?:source|lead source|form|website|site|page|campaign|referrer|referral|referred by|event|channel)$/;

/** Where the number is from: what the form says of it, else what is true of every call. */
export function sourceOf({ agent, form }: Brief): string {
  const found = form.find(({ key, value }) => sourceKeys.test(spokenKey(key)) && value.trim() !== '');
  if (found)
    return asSentence(`According to our records, your number came to us through ${withoutBraces(found.value)}`);
  const company = withoutBraces(agent.company).trim();
  return asSentence(
    `Your number is in the records that ${company === '' ? 'I' : company} ${company === '' ? 'was given' : 'gave me'} for this call`,
  );
}

const greeting = /^(?:hello|hi|hey|good \w+)\b[^.]{0,40}$/i;

/** What the call is about, to somebody who asks: the reason that is known, else what was already said of it. */
export function reasonOf(brief: Brief, { why, introduction, isGiven }: Introductions): string {
  if (why !== '') return why;
  const told = sentences(introduction).filter((sentence) => !sentence.endsWith('?') && !greeting.test(sentence));
  if (isGiven && told.length > 0) return told.at(-1) ?? '';
  const company = withoutBraces(brief.agent.company).trim();
  const whom = company === '' ? '' : ` on behalf of ${company}`;
  return `I am calling${whom}${brief.questions.length > 0 ? ' with a few short questions' : ''}.`;
}

import { sentences } from '../../speech/text/sentences.ts';
import type { Brief } from '../mind.ts';
import type { Introductions } from './introduction.ts';
import type { Meaning } from './meaning.ts';
import { reasonOf, rephrased, sourceOf } from './phrases.ts';
import { fillPlaceholders, type Placeholders } from './placeholders.ts';
import type { QuestionKind } from './questions.ts';
import { type Rule, sets } from './rules.ts';
import type { Wording } from './wording.ts';
import { joined } from './words.ts';

/** What replies are made of. */
export interface Ground {
  brief: Brief;
  texts: Introductions;
  known: Placeholders;
  rules: readonly Rule[];
  wording: Wording;
}

/** To somebody who asks back: what the rules say, and who calls why. Empty where nothing of that was asked. */
export function replyTo(meaning: Meaning, ground: Ground): { say: string; setOff: Rule[] } {
  const { brief, texts, known, rules, wording } = ground;
  const { intents } = meaning;
  const parts: string[] = [];
  const setOff: Rule[] = [];
  for (const rule of rules) {
    for (const order of rule.orders) {
      if (order.kind === 'refused' && intents.has('robot')) setOff.push(rule);
      if (order.kind !== 'reply' || !sets(order.trigger, meaning)) continue;
      setOff.push(rule);
      parts.push(wording.allowed(fillPlaceholders(order.say, known)));
    }
  }
  const isRuled = parts.length > 0;
  if (intents.has('robot')) parts.unshift(wording.truth());
  if (!isRuled && intents.has('who')) parts.push(wording.allowed(texts.who));
  if (!isRuled && intents.has('source')) parts.push(wording.allowed(sourceOf(brief)));
  if (!isRuled && intents.has('about')) parts.push(wording.allowed(reasonOf(brief, texts)));
  return { say: joined(...parts), setOff };
}

export interface SmallReply {
  say: string;
  /** The pace that was asked for. */
  pace?: number;
  /** What was said before is to be said again. */
  isAgain: boolean;
}

const slower = 0.8;
const faster = 1.15;
// A longer sentence that holds "slowly" or "repeat" is about something else.
const mostWords = 12;

/** To somebody who did not understand, or talks of something else; undefined where it is neither. */
export function smallReplyTo(
  { intents, plain }: Meaning,
  question: { kind: QuestionKind; isAnswered: boolean; isYesOrNo: boolean } | undefined,
  wording: Wording,
): SmallReply | undefined {
  const say = (...ways: string[]): SmallReply => ({ say: wording.allowed(...ways), isAgain: false });
  if (question?.isAnswered || plain.split(' ').length > mostWords) return undefined;
  if (intents.has('slower'))
    return { ...say('Of course, I will speak more slowly.', 'Of course.'), pace: slower, isAgain: true };
  if (intents.has('faster')) return { ...say('Of course.'), pace: faster, isAgain: true };
  if (intents.has('louder')) return { ...say('I am sorry about the line.', 'Sorry.'), isAgain: true };
  if (intents.has('meaning') && question) return say(rephrased(question.kind, true));
  if (intents.has('repeat')) return { ...say('Of course.'), isAgain: true };
  if (intents.has('hold')) return undefined;
  if (intents.has('small-talk')) return say(smallTalk(plain), 'Thank you.');
  if (question && intents.has('greeting') && !question.isYesOrNo) return say('Yes, I am here.');
  if (question && intents.has('question'))
    return say('I am afraid I cannot answer that, but I have noted your question.', 'I have noted that.');
  return undefined;
}

function smallTalk(plain: string): string {
  if (/\bhow (?:are|is|do|have|was|you)\b/.test(plain)) return 'I am doing well, thank you for asking.';
  if (/\bto (?:meet|hear|talk|speak)\b/.test(plain)) return 'It is nice to talk to you too.';
  if (/\bvoice|you sound\b/.test(plain)) return 'That is kind of you, thank you.';
  return /\bhappy|merry\b/.test(plain) ? 'Thank you, the same to you.' : 'Yes, indeed.';
}

/** The introduction once more, shorter. */
export function shortIntroduction({ introduction, isGiven, who, why }: Introductions, wording: Wording): string {
  const all = sentences(introduction);
  if (isGiven) return introduction.split(/\s+/).length <= 25 ? introduction : all.slice(0, 2).join(' ');
  const asked = introduction.endsWith('?') ? (all.at(-1) ?? '') : '';
  return joined(wording.allowed(who), sentences(why)[0] ?? '', asked);
}

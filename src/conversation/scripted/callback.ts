import { parseSpokenYesNo } from '../../speech/text/spoken-yes-no.ts';
import type { Meaning } from './meaning.ts';
import type { Question } from './script.ts';

type Understood = Pick<Meaning, 'intents' | 'plain'>;

const strongBusy =
  /\b(?:driving|in a meeting|bad time|(?:good|right|best|great|convenient) (?:time|moment)|can not (?:talk|speak|chat)|no time|too busy|very busy|busy right now|in the middle of|(?:another|other) (?:call|line)|not have (?:the |any |much )?time)\b/;
const asksForTime = /\b(?:call|contact|reach|time|when|appointment|visit|meet)\b/i;
const asksForMinute = /\b(?:minute|moment|good time|time to talk|second)\b[^?]*\?\s*$/i;

/** Whether somebody wants to be called at another time; to a question about a time, a time is an answer. */
export function wantsCallback(
  { intents, plain }: Understood,
  text: string,
  { question, introduction }: { question: Question | undefined; introduction: string },
): boolean {
  const isCallback = intents.has('callback');
  if (!question) {
    if (refuses({ intents, plain }) && !isCallback) return false;
    if (intents.has('absent') || intents.has('busy') || isCallback) return true;
    return asksForMinute.test(introduction) && parseSpokenYesNo(text)?.value === 'no';
  }
  const isPressed = isPressedForTime({ intents, plain });
  if (isCallback && !isPressed)
    return question.kind !== 'date' && question.kind !== 'phone' && !asksForTime.test(question.text);
  return isPressed && (isCallback || question.kind !== 'date');
}

export function isPressedForTime({ intents, plain }: Understood): boolean {
  return intents.has('busy') && strongBusy.test(plain);
}

/** "No, thank you" to an introduction is no answer to anything in it. */
export function refuses({ intents, plain }: Understood): boolean {
  return intents.has('refuse-call') || /^(?:no )+(?:thank you|thanks)\b/.test(plain);
}

import type { Heard } from '../mind.ts';
import { meaningOf } from '../scripted/meaning.ts';
import { type Clock, type Reading, readAnswer, round, valueIn } from '../scripted/questions.ts';
import type { Question } from '../scripted/script.ts';
import { hasRun, stemsIn } from '../scripted/words.ts';

// How far a value is trusted that the model gives and the words alone do not.
const modelTrust = 0.7;

export type Given = string | number | boolean;

/** The utterance that holds the words a model gives as an answer; its own latest one where nobody said them. */
export function groundedIn(words: string, heard: readonly Heard[], latest: Heard): Heard {
  const wanted = stemsIn(words);
  const source = heard.findLast(({ text }) => hasRun(stemsIn(text), wanted));
  return source ? { ...source, text: words.trim() } : latest;
}

/** An answer that the model heard: its value from the person's words where they have one, else as the model understood it. */
export function readGiven(
  question: Question,
  heard: Heard,
  given: Given | undefined,
  calleeName: string,
  clock: Clock,
): Reading {
  const read = readAnswer(question, heard.text, meaningOf(heard.text, calleeName), heard.confidence, clock);
  if (read.status === 'answered' && read.value !== null) return read;
  const value = given === undefined ? null : understood(question, given, clock);
  if (read.status === 'answered' && value === null) return read;
  return { status: 'answered', value, confidence: round(modelTrust * heard.confidence) };
}

function understood(question: Question, given: Given, clock: Clock): unknown {
  const text = String(given).trim();
  switch (question.kind) {
    case 'yes-no':
      return /^(?:yes|true)$/i.test(text) ? true : /^(?:no|false)$/i.test(text) ? false : null;
    case 'number':
      return text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
    case 'date':
      if (
        /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text) &&
        !Number.isNaN(Date.parse(text))
      )
        return text;
      break;
    default:
  }
  return valueIn(question.kind, question.text, text, clock)?.value ?? null;
}

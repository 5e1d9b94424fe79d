import type { Answer } from '../../domain/call-result.ts';
import type { Ending, Turn } from '../mind.ts';
import { asSentence, joined } from './words.ts';

export interface Ended {
  calleeName: string;
  ending: Ending | undefined;
  transferredTo: string | undefined;
  /** Why the call ended before it was through. */
  brokenOff: string | undefined;
  /** The time of a callback in words. */
  callbackAt: string | undefined;
}

const longestAnswer = 120;
const mostAnswers = 3;

/** Who was reached, what was answered, what comes next: only what happened, in at most three sentences. */
export function summarise(answers: readonly Answer[], transcript: readonly Turn[], ended: Ended): string {
  return joined(reached(transcript, ended), answered(answers, ended), next(ended));
}

function reached(transcript: readonly Turn[], { calleeName, ending }: Ended): string {
  const spoke = transcript.some(({ speaker, text }) => speaker === 'callee' && text.trim() !== '');
  if (ending?.kind === 'wrong_person') return asSentence(`${calleeName} cannot be reached at this number`);
  if (ending?.kind === 'machine_no_message') return asSentence(`A menu answered instead of ${calleeName}`);
  if (!spoke && ending?.kind === 'silent') return 'Somebody answered but said nothing.';
  if (!spoke) return asSentence(`${calleeName} did not speak in this call`);
  return asSentence(`${calleeName} was reached`);
}

function answered(answers: readonly Answer[], { ending }: Ended): string {
  if (answers.length === 0 || ending?.kind === 'wrong_person' || ending?.kind === 'machine_no_message') return '';
  const given = answers.filter(({ status }) => status === 'answered');
  const counts = `${given.length} of ${answers.length} ${answers.length === 1 ? 'question' : 'questions'} ${given.length === 1 ? 'was' : 'were'} answered`;
  if (given.length === 0)
    return asSentence(`None of ${answers.length} ${answers.length === 1 ? 'question' : 'questions'} was answered`);
  const told = given
    .slice(0, mostAnswers)
    .map(({ question, answer }) => `to "${question.trim()}" the answer was "${shortened(answer ?? '')}"`);
  return asSentence(`${counts}: ${told.join('; ')}${given.length > mostAnswers ? '; and more' : ''}`);
}

function shortened(text: string): string {
  const flat = text.trim().replace(/\s+/g, ' ').replace(/"/g, "'");
  return flat.length > longestAnswer ? `${flat.slice(0, longestAnswer).trimEnd()}…` : flat;
}

function next({ ending, transferredTo, callbackAt, brokenOff }: Ended): string {
  if (transferredTo !== undefined) return asSentence(`The call was transferred to ${transferredTo}`);
  switch (ending?.kind) {
    case 'opted_out':
      return 'They asked not to be called again.';
    case 'callback_requested':
      return callbackAt === undefined
        ? 'They asked to be called another time.'
        : asSentence(`They asked to be called ${callbackAt}`);
    case 'completed':
      return brokenOff ?? '';
    default:
      return '';
  }
}

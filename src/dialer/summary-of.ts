import type { Outcome } from '../domain/outcome.ts';

const machines = new Set<Outcome['kind']>(['voicemail_left', 'machine_no_message', 'screened', 'invalid_number']);

/** What came of a call, in a sentence or two. Where there was a conversation, the mind that held it knows best. */
export function summaryOf(
  { kind, reason }: Outcome,
  { name, wasAnswered, ofConversation }: { name: string; wasAnswered: boolean; ofConversation: string },
): string {
  if (wasAnswered && !machines.has(kind)) return ofConversation;
  return `${name} was not reached. ${/[.!?]$/.test(reason) ? reason : `${reason}.`}`;
}

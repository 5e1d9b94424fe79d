import type { Ending } from '../conversation/mind.ts';
import { type Outcome, outcome } from '../domain/outcome.ts';
import type { VoiceCallEnd } from '../telephone/voice-call.ts';
import type { StopReason } from './call-control.ts';

const unanswered: Record<Exclude<VoiceCallEnd['kind'], 'answered'>, Outcome['kind']> = {
  busy: 'busy',
  declined: 'declined',
  'no-answer': 'no_answer',
  'invalid-number': 'invalid_number',
  'carrier-failure': 'carrier_failed',
  'network-failure': 'carrier_failed',
  cancelled: 'cancelled',
  failed: 'failed',
};

/** How a call ended, in one value: from the telephone, from what was said, and from outside. */
export function outcomeOf(end: VoiceCallEnd, said: Ending | undefined, stopped: StopReason | undefined): Outcome {
  const make = (kind: Outcome['kind'], endedBy: Outcome['endedBy'], reason: string) =>
    outcome(kind, endedBy, reason, end.sipStatus);
  if (end.kind === 'failed') return make('failed', 'platform', 'The call failed on our side.');
  if (end.endedBy === 'us' && stopped === 'operator') return make('cancelled', 'operator', 'Ended by the operator.');
  if (end.endedBy === 'us' && stopped === 'stopping')
    return make('interrupted', 'platform', 'The service was stopped during the call.');
  if (end.kind !== 'answered') return make(unanswered[end.kind], whoRefused(end), end.reason);
  if (!said || (end.endedBy === 'network' && said.kind === 'hung_up'))
    return make('carrier_failed', 'carrier', end.reason);
  return make(said.kind, whoHungUp(end), said.reason);
}

function whoRefused({ kind, endedBy }: VoiceCallEnd): Outcome['endedBy'] {
  if (kind === 'busy' || kind === 'declined') return 'callee';
  return endedBy === 'us' ? 'platform' : 'carrier';
}

function whoHungUp({ endedBy }: VoiceCallEnd): Outcome['endedBy'] {
  switch (endedBy) {
    case 'us':
      return 'assistant';
    case 'them':
      return 'callee';
    case 'network':
      return 'carrier';
  }
}

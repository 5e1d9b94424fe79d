import type { Ending } from '../conversation/mind.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { VoiceCallEnd } from '../telephone/voice-call.ts';
import type { StopReason } from './call-control.ts';

type Kind = Outcome['kind'];

/** Whose doing each ending is, and whether calling again may end otherwise. */
const nature: Record<Kind, { side: Outcome['side']; retryable: boolean }> = {
  completed: { side: 'callee', retryable: false },
  voicemail_left: { side: 'callee', retryable: false },
  machine_no_message: { side: 'callee', retryable: true },
  no_answer: { side: 'callee', retryable: true },
  busy: { side: 'callee', retryable: true },
  declined: { side: 'callee', retryable: false },
  invalid_number: { side: 'carrier', retryable: false },
  carrier_failed: { side: 'carrier', retryable: true },
  hung_up: { side: 'callee', retryable: false },
  opted_out: { side: 'callee', retryable: false },
  wrong_person: { side: 'callee', retryable: false },
  callback_requested: { side: 'callee', retryable: true },
  silent: { side: 'callee', retryable: true },
  screened: { side: 'callee', retryable: true },
  transferred: { side: 'callee', retryable: false },
  blocked: { side: 'policy', retryable: false },
  cancelled: { side: 'platform', retryable: false },
  interrupted: { side: 'platform', retryable: true },
  failed: { side: 'platform', retryable: true },
};

const unanswered: Record<Exclude<VoiceCallEnd['kind'], 'answered'>, Kind> = {
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
  const make = (kind: Kind, endedBy: Outcome['endedBy'], reason: string): Outcome => ({
    kind,
    ...nature[kind],
    endedBy,
    sipStatus: end.sipStatus,
    reason,
  });
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

import { z } from 'zod';

/** How a call ended: one value of a closed list, never an exception. */
export const outcomeKinds = [
  'completed',
  'voicemail_left',
  'machine_no_message',
  'no_answer',
  'busy',
  'declined',
  'invalid_number',
  'carrier_failed',
  'hung_up',
  'opted_out',
  'wrong_person',
  'callback_requested',
  'silent',
  'screened',
  'transferred',
  'blocked',
  'cancelled',
  'interrupted',
  'failed',
] as const;

export const outcomeSchema = z.object({
  kind: z.enum(outcomeKinds),
  side: z.enum(['callee', 'carrier', 'platform', 'policy']),
  retryable: z.boolean(),
  endedBy: z.enum(['assistant', 'callee', 'operator', 'carrier', 'platform']),
  sipStatus: z.number().int().nullable(),
  reason: z.string(),
});

export type Outcome = z.infer<typeof outcomeSchema>;

/** Whose doing each ending is, and whether calling again may end otherwise. */
const nature: Record<Outcome['kind'], Pick<Outcome, 'side' | 'retryable'>> = {
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

/** An ending with all that follows from its kind. */
export function outcome(
  kind: Outcome['kind'],
  endedBy: Outcome['endedBy'],
  reason: string,
  sipStatus: number | null = null,
): Outcome {
  return { kind, ...nature[kind], endedBy, sipStatus, reason };
}

export const cancelledBeforeDialling = outcome('cancelled', 'operator', 'Cancelled before it was dialled.');
export const accountClosed = outcome('cancelled', 'operator', 'The account was closed.');

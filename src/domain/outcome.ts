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

export const cancelledBeforeDialling: Outcome = {
  kind: 'cancelled',
  side: 'platform',
  retryable: false,
  endedBy: 'operator',
  sipStatus: null,
  reason: 'Cancelled before it was dialled.',
};

export const accountClosed: Outcome = { ...cancelledBeforeDialling, reason: 'The account was closed.' };

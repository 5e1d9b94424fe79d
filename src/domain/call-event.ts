import { z } from 'zod';
import { transcriptTurn } from './call-result.ts';
import { outcomeSchema } from './outcome.ts';

/** What those who watch a call are told, as it happens. */
export const callEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('dialing') }),
  z.object({ type: z.literal('ringing') }),
  z.object({ type: z.literal('answered') }),
  z.object({
    type: z.literal('answered_by'),
    kind: z.enum(['person', 'voicemail', 'screener', 'menu', 'silence', 'fax', 'intercept']),
  }),
  z.object({ type: z.literal('utterance'), turn: z.number().int(), ...transcriptTurn.shape }),
  z.object({ type: z.literal('keys'), keys: z.string(), atMs: z.number().int() }),
  z.object({ type: z.literal('note'), text: z.string() }),
  z.object({ type: z.literal('ended'), outcome: outcomeSchema }),
]);

export type CallEvent = z.infer<typeof callEventSchema>;

export type StoredCallEvent = { id: string; callId: string; at: Date; event: CallEvent };

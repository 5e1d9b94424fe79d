import { randomUUID } from 'node:crypto';
import { v7 as newId } from 'uuid';
import type { DatabasePool } from '../../src/store/database.ts';
import type { Tenant } from './service.ts';

/** A call as it may stand in the database; it is due so late that nobody dials it. */
export async function insertCall(
  db: DatabasePool,
  tenant: Tenant,
  columns: Record<string, unknown> = {},
): Promise<string> {
  const row = {
    id: newId(),
    account_id: tenant.accountId,
    agent_id: tenant.agentId,
    name: 'Ada Lovelace',
    to_phone_number: '+12025550100',
    from_phone_number: tenant.fromPhoneNumber,
    form_info: JSON.stringify([{ company: 'Acme' }]),
    due_at: '2100-01-01T00:00:00Z',
    ...columns,
  };
  const names = Object.keys(row);
  await db.query(
    `INSERT INTO calls (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(row),
  );
  return row.id;
}

/** The columns of a call that some node has. */
export function live(status: 'dialing' | 'ringing' | 'in_progress', nodeId: string = randomUUID()) {
  return {
    status,
    node_id: nodeId,
    dialed_at: new Date(),
    ...(status === 'in_progress' && { answered_at: new Date() }),
  };
}

export const completed = {
  kind: 'completed',
  side: 'callee',
  retryable: false,
  endedBy: 'assistant',
  sipStatus: 200,
  reason: 'The conversation came to its end.',
} as const;

/** The columns of a call that has ended, with everything that a conversation leaves. */
export function ended() {
  return {
    status: 'ended',
    attempts: 1,
    answered_at: '2026-03-01T12:01:52.310Z',
    ended_at: '2026-03-01T12:03:09.412Z',
    outcome: JSON.stringify(completed),
    transcript: JSON.stringify([
      { speaker: 'assistant', text: 'Hello Ada, this is', startMs: 400, endMs: 2_100, interrupted: true },
      { speaker: 'callee', text: 'Yes, hello?', startMs: 1_900, endMs: 2_800, interrupted: false },
      { speaker: 'assistant', text: 'How many seats do you need?', startMs: 3_400, endMs: 5_000, interrupted: false },
      { speaker: 'callee', text: 'Twelve, I think.', startMs: 63_000, endMs: 64_000, interrupted: false },
    ]),
    answers: JSON.stringify([
      {
        question: 'How many seats do you need?',
        status: 'answered',
        answer: 'Twelve, I think.',
        value: 12,
        turn: 3,
        confidence: 0.9,
      },
    ]),
    rule_verdicts: JSON.stringify([{ rule: 'Be kind.', kept: true, turn: null }]),
    summary: 'Ada needs twelve seats.',
    latency: JSON.stringify({
      introductionMs: 400,
      turns: [{ turn: 1, endOfSpeechMs: 350, textMs: 360, audioMs: 600 }],
      audioMs: { p50: 600, p95: 600 },
    }),
    quality: JSON.stringify({
      codec: 'PCMU',
      encrypted: false,
      lossPercent: 0,
      jitterMs: 0.4,
      roundTripMs: 1.2,
      peerLossPercent: 0,
      peerJitterMs: 0.5,
      concealedMs: 0,
    }),
    callback_at: '2026-03-02T09:00:00.000Z',
    notes: ['The voice of the vendor failed; the embedded one spoke instead.'],
  };
}

import { type Database, type DatabasePool, inTransaction } from './database.ts';

/**
 * Takes out of the database all that an ended call knows of the person; that there was a call, when, and how it
 * ended stays. So does an opt-out: without the number, the person would be called again.
 */
export async function eraseCall(
  pool: DatabasePool,
  accountId: string,
  callId: string,
): Promise<'erased' | 'not_found' | 'not_ended'> {
  return inTransaction(pool, async (db) => {
    const { rows } = await db.query(
      'SELECT status, created_at, erased_at FROM calls WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [accountId, callId],
    );
    const call = rows[0];
    if (!call) return 'not_found';
    if (call.status !== 'ended') return 'not_ended';
    if (call.erased_at) return 'erased';
    const erasedAt = await eraseRow(db, callId);
    await db.query('DELETE FROM call_events WHERE call_id = $1', [callId]);
    await db.query('DELETE FROM call_commands WHERE call_id = $1', [callId]);
    await eraseDeliveries(db, { accountId, callId, createdAt: call.created_at, erasedAt });
    return 'erased';
  });
}

async function eraseRow(db: Database, callId: string): Promise<Date> {
  const { rows } = await db.query(
    `UPDATE calls SET name = NULL, to_phone_number = NULL, form_info = '[]', intro_notes = NULL, intro_message = NULL,
       intro_voicemail = NULL, custom_questions = NULL, custom_rules = NULL, transcript = '[]', answers = '[]',
       rule_verdicts = '[]', summary = NULL, latency = NULL, callback_at = NULL, notes = '{}', erased_at = now()
     WHERE id = $1 RETURNING erased_at`,
    [callId],
  );
  return rows[0].erased_at;
}

/** What still waits is sent all the same: the receiver learns that there was an event, and that it was erased. */
async function eraseDeliveries(
  db: Database,
  call: { accountId: string; callId: string; createdAt: Date; erasedAt: Date },
): Promise<void> {
  await db.query(
    `UPDATE deliveries SET last_response = NULL,
       payload = json_build_object('type', type, 'timestamp', payload->'timestamp', 'data', $4::json)
     WHERE endpoint_id IN (SELECT id FROM webhook_endpoints WHERE account_id = $1)
       AND created_at >= $3 AND event_id LIKE $2::text || '-%'`,
    [
      call.accountId,
      call.callId,
      call.createdAt,
      JSON.stringify({ callId: call.callId, erasedAt: call.erasedAt.toISOString() }),
    ],
  );
}

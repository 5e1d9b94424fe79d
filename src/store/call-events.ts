import type { CallEvent, StoredCallEvent } from '../domain/call-event.ts';
import { type Database, type DatabasePool, inTransaction } from './database.ts';

/** Notified with the account and the call, separated by a space. */
export const callEventsChannel = 'call_events';

const keepFor = '7 days';

export type EventToTell = { accountId: string; callId: string; event: CallEvent };

export async function addCallEvent(pool: DatabasePool, event: EventToTell): Promise<void> {
  await inTransaction(pool, async (db) => {
    // An event is for those who watch now: it need not wait for the disk, least of all with the lock held.
    await db.query('SET LOCAL synchronous_commit = off');
    await writeCallEvent(db, event);
  });
}

/**
 * The same inside a transaction, as its last statements. Events of one account become visible in the order of
 * their ids: whoever has read up to one id has missed none before it. Hence the lock, which is held until the commit.
 */
export async function writeCallEvent(db: Database, { accountId, callId, event }: EventToTell): Promise<void> {
  const { type, ...data } = event;
  await db.query({
    name: 'lock-call-events',
    text: `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`,
    values: [`call events of ${accountId}`],
  });
  await db.query({
    name: 'write-call-event',
    text: `WITH written AS (
        INSERT INTO call_events (account_id, call_id, type, data) VALUES ($1, $2, $3, $4) RETURNING account_id, call_id)
      SELECT pg_notify('${callEventsChannel}', concat_ws(' ', account_id, call_id)) FROM written`,
    values: [accountId, callId, type, data],
  });
}

export type EventsWanted = {
  accountId: string;
  /** Without it, the events of all calls. */
  callId?: string | undefined;
  /** The id of the last one known. */
  after: string;
  limit: number;
};

export async function callEventsAfter(db: Database, wanted: EventsWanted): Promise<StoredCallEvent[]> {
  const { accountId, callId, after, limit } = wanted;
  const { rows } = await db.query(
    `SELECT id, call_id, type, data, created_at FROM call_events
     WHERE account_id = $1 AND id > $2 ${callId === undefined ? '' : 'AND call_id = $4'} ORDER BY id LIMIT $3`,
    [accountId, after, limit, ...(callId === undefined ? [] : [callId])],
  );
  return rows.map((row) => ({
    id: row.id,
    callId: row.call_id,
    at: row.created_at,
    event: { type: row.type, ...row.data },
  }));
}

/** Where a stream begins that tells only what is to come. */
export async function lastCallEventId(db: Database, accountId: string): Promise<string> {
  const { rows } = await db.query('SELECT coalesce(max(id), 0) AS id FROM call_events WHERE account_id = $1', [
    accountId,
  ]);
  return rows[0].id;
}

export async function forgetOldCallEvents(db: Database): Promise<void> {
  await db.query(`DELETE FROM call_events WHERE created_at < now() - interval '${keepFor}'`);
}

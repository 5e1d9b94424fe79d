import { type Call, toCallResource } from '../domain/call.ts';
import type { CallEvent } from '../domain/call-event.ts';
import type { CallResult } from '../domain/call-result.ts';
import type { DueCall } from '../domain/due-call.ts';
import { accountClosed, type Outcome, outcome } from '../domain/outcome.ts';
import { callEventData } from '../domain/webhook.ts';
import { writeCallEvent } from './call-events.ts';
import { findCall, toCall } from './calls.ts';
import { type Database, type DatabasePool, inTransaction } from './database.ts';
import { enqueueEvent } from './deliveries.ts';

/** Calls that somebody has: the ones that count against limits. */
export const liveStatuses = `('dialing', 'ringing', 'in_progress')`;

// Any number that no other use of advisory locks has.
const dialingLock = 7_215_004;

const optedOut = outcome('blocked', 'platform', 'The person asked not to be called again.');

/**
 * One process at a time, on the whole database, decides who has which calls; one that falls silent meanwhile
 * loses its turn. Statistics, and plans that were made before, know nothing of a queue that has just grown: with
 * these settings the indexes are used whatever they say.
 */
export async function takeTurn(db: Database): Promise<void> {
  await db.query({
    name: 'take-turn',
    text: `SELECT set_config('idle_in_transaction_session_timeout', '10s', true),
      set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true),
      set_config('jit', 'off', true), pg_advisory_xact_lock($1)`,
    values: [dialingLock],
  });
}

export type CallsToClaim = {
  nodeId: string;
  limit: number;
  trunk: string;
  /** Of all nodes with this trunk together. */
  trunkMaxCalls: number | undefined;
  /** Accounts in the order in which they were last given a call: where all else is equal, others come first. */
  servedLast?: readonly string[];
};

/**
 * Takes calls that are due, as many as the limits of accounts, agents and the trunk leave room for. Of two
 * accounts the one with fewer calls under way comes first: a long queue of one does not hold up another.
 */
export async function claimCalls(pool: DatabasePool, wanted: CallsToClaim): Promise<DueCall[]> {
  const { nodeId, limit, trunk, trunkMaxCalls, servedLast = [] } = wanted;
  return inTransaction(pool, async (db) => {
    await takeTurn(db);
    const { rows } = await db.query({
      name: 'claim-calls',
      text: claimStatement,
      values: [nodeId, limit, trunk, trunkMaxCalls, servedLast],
    });
    return rows.map(toDueCall);
  });
}

// `waiting` hops from agent to agent through the index, so that the cost is that of the agents with something
// queued and of the calls under way, not of all that is queued. A node that was taken for dead gets nothing.
// `free` says in other words that a call is queued: else it may be looked for in the index of what is.
const claimStatement = `
  WITH RECURSIVE waiting AS (
    (SELECT account_id, agent_id FROM calls WHERE status = 'queued' ORDER BY account_id, agent_id LIMIT 1)
    UNION ALL
    SELECT next.account_id, next.agent_id FROM waiting w CROSS JOIN LATERAL (
      SELECT c.account_id, c.agent_id FROM calls c
      WHERE c.status = 'queued' AND (c.account_id, c.agent_id) > (w.account_id, w.agent_id)
      ORDER BY c.account_id, c.agent_id LIMIT 1
    ) next
  ), live AS MATERIALIZED (
    SELECT node_id, account_id, agent_id, count(*) AS calls FROM calls WHERE status IN ${liveStatuses}
    GROUP BY node_id, account_id, agent_id
  ), of_account AS (
    SELECT account_id, sum(calls)::integer AS calls FROM live GROUP BY account_id
  ), of_agent AS (
    SELECT agent_id, sum(calls)::integer AS calls FROM live GROUP BY agent_id
  ), room AS (
    SELECT greatest(0, least($2::integer, $4::integer - (
      SELECT coalesce(sum(live.calls), 0)::integer FROM live JOIN nodes n ON n.id = live.node_id
      WHERE n.trunk = $3))) AS calls
    FROM nodes WHERE id = $1
  ), due AS (
    SELECT c.id, c.due_at, a.max_calls, array_position($5::uuid[], w.account_id) AS served,
      coalesce(of_account.calls, 0) + row_number() OVER (PARTITION BY w.account_id ORDER BY c.due_at, c.id) AS place
    FROM room CROSS JOIN waiting w
      JOIN accounts a ON a.id = w.account_id AND a.deleted_at IS NULL
      JOIN agents g ON g.id = w.agent_id
      LEFT JOIN of_account ON of_account.account_id = w.account_id
      LEFT JOIN of_agent ON of_agent.agent_id = w.agent_id
      CROSS JOIN LATERAL (
        SELECT id, due_at FROM calls
        WHERE account_id = w.account_id AND agent_id = w.agent_id AND status = 'queued' AND due_at <= now()
        ORDER BY due_at, id
        LIMIT greatest(0, least(room.calls, a.max_calls - coalesce(of_account.calls, 0),
          g.max_calls - coalesce(of_agent.calls, 0)))
      ) c
  ), picked AS (
    SELECT id, row_number() OVER (ORDER BY place, served NULLS FIRST, due_at, id) AS turn FROM due
    WHERE max_calls IS NULL OR place <= max_calls
    ORDER BY turn LIMIT (SELECT calls FROM room)
  ), free AS MATERIALIZED (
    SELECT c.id, picked.turn FROM picked CROSS JOIN LATERAL (
      SELECT id FROM calls WHERE id = picked.id AND status <> 'ended' AND node_id IS NULL FOR UPDATE SKIP LOCKED
    ) c
  ), claimed AS (
    UPDATE calls SET status = 'dialing', node_id = $1 WHERE id = ANY (ARRAY(SELECT id FROM free)) RETURNING *
  )
  SELECT c.*, coalesce(nullif(c.custom_questions, '{}'), g.default_questions) AS questions,
    coalesce(c.custom_rules, g.default_rules) AS rules, g.name AS agent_name, g.company, g.voice, g.language
  FROM claimed c JOIN free USING (id) JOIN agents g ON g.id = c.agent_id ORDER BY free.turn`;

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
function toDueCall(row: any): DueCall {
  const { id, accountId, campaignId, request, questions, rules } = toCall(row);
  return {
    id,
    accountId,
    campaignId,
    request: request as DueCall['request'], // only what has ended is erased
    questions,
    rules,
    agent: { name: row.agent_name, company: row.company, voice: row.voice, language: row.language },
  };
}

/**
 * To be called right before the INVITE leaves. After `dial` the call may ring, whatever becomes of this process,
 * and is never dialled again; after `gone` it is somebody else's or over; after `blocked` it has ended.
 */
export async function beginDialling(
  pool: DatabasePool,
  nodeId: string,
  callId: string,
  now = new Date(),
): Promise<'dial' | 'gone' | 'blocked'> {
  return inTransaction(pool, async (db) => {
    const { rows } = await db.query({
      name: 'find-call-to-dial',
      text: `SELECT c.account_id, a.deleted_at IS NOT NULL AS closed, EXISTS (SELECT FROM opt_outs o
          WHERE o.account_id = c.account_id AND o.phone_number = c.to_phone_number) AS opted_out
        FROM calls c JOIN accounts a ON a.id = c.account_id
        WHERE c.id = $1 AND c.node_id = $2 AND c.status = 'dialing' AND c.dialed_at IS NULL FOR UPDATE OF c`,
      values: [callId, nodeId],
    });
    const found = rows[0];
    if (!found) return 'gone';
    if (found.closed || found.opted_out) {
      const ended = await endAbruptly(db, nodeId, callId, found.closed ? accountClosed : optedOut);
      if (ended) await tellEnd(db, [ended]);
      return 'blocked';
    }
    await db.query({
      name: 'begin-dialling',
      text: 'UPDATE calls SET dialed_at = $2, attempts = attempts + 1 WHERE id = $1',
      values: [callId, now],
    });
    const call = await readCall(db, found.account_id, callId);
    await enqueueCallEvent(db, call, 'call.started', now);
    await writeCallEvent(db, { accountId: call.accountId, callId, event: { type: 'dialing' } });
    return 'dial';
  });
}

export async function markRinging(pool: DatabasePool, nodeId: string, callId: string): Promise<void> {
  await inTransaction(pool, async (db) => {
    const { rows } = await db.query({
      name: 'mark-ringing',
      text: `UPDATE calls SET status = 'ringing' WHERE id = $1 AND node_id = $2 AND status = 'dialing'
        RETURNING account_id`,
      values: [callId, nodeId],
    });
    if (rows[0]) await writeCallEvent(db, { accountId: rows[0].account_id, callId, event: { type: 'ringing' } });
  });
}

export async function markAnswered(
  pool: DatabasePool,
  nodeId: string,
  callId: string,
  answeredAt: Date,
): Promise<void> {
  await inTransaction(pool, async (db) => {
    const { rows } = await db.query({
      name: 'mark-answered',
      text: `UPDATE calls SET status = 'in_progress', answered_at = $3
        WHERE id = $1 AND node_id = $2 AND status IN ('dialing', 'ringing') RETURNING account_id`,
      values: [callId, nodeId, answeredAt],
    });
    if (!rows[0]) return;
    const call = await readCall(db, rows[0].account_id, callId);
    await enqueueCallEvent(db, call, 'call.answered', answeredAt);
    await writeCallEvent(db, { accountId: call.accountId, callId, event: { type: 'answered' } });
  });
}

// What belongs to a closed account is not queued: nobody would ever take it from there.
const releaseStatement = `
  UPDATE calls c SET node_id = NULL, status = CASE WHEN a.deleted_at IS NULL THEN 'queued' ELSE 'ended' END,
    ended_at = CASE WHEN a.deleted_at IS NOT NULL THEN now() END,
    outcome = CASE WHEN a.deleted_at IS NOT NULL THEN $3::jsonb END,
    due_at = CASE WHEN $4 > 0 THEN now() + $4 * interval '1 millisecond' ELSE due_at END
  FROM accounts a
  WHERE a.id = c.account_id AND c.node_id = $1 AND c.status = 'dialing' AND c.dialed_at IS NULL`;

/** Gives a call back to the queue, for whoever comes first; nothing happens if it was dialled or is another node's. */
export async function releaseCall(db: Database, nodeId: string, callId: string): Promise<void> {
  await release(db, nodeId, callId, 0);
}

async function release(db: Database, nodeId: string, callId: string, againAfterMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'release-call',
    text: `${releaseStatement} AND c.id = $2`,
    values: [nodeId, callId, accountClosed, againAfterMs],
  });
  return rowCount === 1;
}

/**
 * Gives back what this node has without knowing of it, after a claim whose answer got lost. It waits for its turn,
 * since that claim may still be under way.
 */
export async function releaseAllBut(pool: DatabasePool, nodeId: string, held: readonly string[]): Promise<void> {
  await inTransaction(pool, async (db) => {
    await takeTurn(db);
    await db.query(`${releaseStatement} AND c.id <> ALL ($2::uuid[])`, [nodeId, held, accountClosed, 0]);
  });
}

/** Writes all that the call left behind; false and nothing if it is not this node's any more. */
export async function finishCall(
  pool: DatabasePool,
  nodeId: string,
  callId: string,
  result: CallResult,
): Promise<boolean> {
  return inTransaction(pool, async (db) => {
    const { rows } = await db.query({
      name: 'finish-call',
      text: `UPDATE calls SET status = 'ended', node_id = NULL, outcome = $3, answered_at = coalesce($4, answered_at),
          ended_at = $5, transcript = $6, answers = $7, rule_verdicts = $8, summary = $9, has_recording = $10,
          latency = $11, quality = $12, callback_at = $13, notes = $14
        WHERE id = $1 AND node_id = $2 RETURNING account_id`,
      values: [
        callId,
        nodeId,
        result.outcome,
        result.answeredAt,
        result.endedAt,
        JSON.stringify(result.transcript), // left to itself the driver makes an array of PostgreSQL out of it
        JSON.stringify(result.answers),
        JSON.stringify(result.rules),
        result.summary,
        result.hasRecording,
        result.latency,
        result.quality,
        result.callbackAt,
        result.notes,
      ],
    });
    if (!rows[0]) return false;
    await tellEnd(db, [await readCall(db, rows[0].account_id, callId)]);
    return true;
  });
}

/**
 * For a call that nobody carries on with; nothing happens if it is not this node's any more. With `againAfterMs` it
 * goes back to the queue unless it was dialled; else it ends, and no more is known of it than its events tell.
 */
export async function abandonCall(
  pool: DatabasePool,
  nodeId: string,
  callId: string,
  outcome: Outcome,
  { againAfterMs }: { againAfterMs?: number } = {},
): Promise<void> {
  await inTransaction(pool, async (db) => {
    if (againAfterMs !== undefined && (await release(db, nodeId, callId, againAfterMs))) return;
    const call = await endAbruptly(db, nodeId, callId, outcome);
    if (call) await tellEnd(db, [call]);
  });
}

/** Inside a transaction; whoever calls it tells of it. */
export async function endAbruptly(
  db: Database,
  nodeId: string,
  callId: string,
  outcome: Outcome,
): Promise<Call | undefined> {
  const { rows } = await db.query(
    `UPDATE calls SET status = 'ended', node_id = NULL, ended_at = now(), outcome = $3, transcript = (
       SELECT jsonb_agg(data - 'turn' ORDER BY data->'startMs', id)
       FROM call_events WHERE call_id = $1 AND type = 'utterance')
     WHERE id = $1 AND node_id = $2 RETURNING account_id`,
    [callId, nodeId, outcome],
  );
  return rows[0] && readCall(db, rows[0].account_id, callId);
}

/** Last in the transaction that ended them. */
export async function tellEnd(db: Database, calls: Call[]): Promise<void> {
  for (const call of calls) await enqueueCallEvent(db, call, 'call.ended', call.endedAt ?? new Date());
  for (const { id, accountId, outcome } of calls) {
    const event: CallEvent = { type: 'ended', outcome: outcome as Outcome };
    await writeCallEvent(db, { accountId, callId: id, event });
  }
}

async function enqueueCallEvent(
  db: Database,
  call: Call,
  type: 'call.started' | 'call.answered' | 'call.ended',
  occurredAt: Date,
): Promise<void> {
  const id = type.replace('call.', `${call.id}-`);
  const data = callEventData(toCallResource(call));
  await enqueueEvent(db, { accountId: call.accountId, type, data, id, occurredAt });
}

async function readCall(db: Database, accountId: string, callId: string): Promise<Call> {
  const call = await findCall(db, accountId, callId);
  if (!call) throw new Error('the call has no agent');
  return call;
}

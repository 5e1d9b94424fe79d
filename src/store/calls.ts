import type { Call, OutboundCall } from '../domain/call.ts';
import { cancelledBeforeDialling, type Outcome } from '../domain/outcome.ts';
import type { Database } from './database.ts';
import { type Earlier, type IdempotentRequest, keepFor, toEarlier } from './idempotency.ts';
import type { Page } from './page.ts';

/** The answer to an accepted call, as it is given again when the request is repeated. */
export type Acceptance = { callId: string; status: 'queued'; message: string; warnings: string[] };

export type Accepted =
  | { kind: 'accepted' }
  | { kind: 'unknown_client' }
  | { kind: 'plan_required' }
  | { kind: 'from_number_not_owned' }
  | Earlier<Acceptance>;

export type CallToAccept = { clientId: string; id: string; call: OutboundCall };

/**
 * Accepts and queues calls: one durable statement. Plan and ownership are judged in it, so that
 * nothing can change in between.
 */
export async function acceptCalls(db: Database, calls: CallToAccept[]): Promise<Accepted[]> {
  const asked = calls.map(({ clientId, id, call }, position) => ({ position, clientId, id, ...knownFieldsOf(call) }));
  const { rows } = await db.query({ name: 'accept-calls', text: acceptStatement, values: [JSON.stringify(asked)] });
  return rows.map(judge);
}

/** The body may hold anything besides. */
function knownFieldsOf(call: OutboundCall): OutboundCall {
  const { name, toPhoneNumber, fromPhoneNumber, introNotes, introMessage, introVoicemail } = call;
  const { customQuestions, customRules, formInfo } = call;
  const texts = { introNotes, introMessage, introVoicemail, customQuestions, customRules };
  return { name, toPhoneNumber, fromPhoneNumber, ...texts, formInfo };
}

/** Notified when calls were accepted. */
export const callsChannel = 'calls';

const acceptStatement = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS asked (position integer, "clientId" text, id uuid, name text,
      "toPhoneNumber" text, "fromPhoneNumber" text, "introNotes" text, "introMessage" text, "introVoicemail" text,
      "customQuestions" text[], "customRules" text[], "formInfo" jsonb)
  ), owner AS (
    SELECT asked.position, a.plan, g.id AS agent_id, g.account_id
    FROM asked
      JOIN oauth_clients c ON c.client_id = asked."clientId" AND c.revoked_at IS NULL
      JOIN accounts a ON a.id = c.account_id AND a.deleted_at IS NULL
      LEFT JOIN agents g ON g.account_id = a.id AND g.phone_number = asked."fromPhoneNumber" AND g.deleted_at IS NULL
  ), accepted AS (
    INSERT INTO calls (id, account_id, agent_id, name, to_phone_number, from_phone_number, intro_notes,
      intro_message, intro_voicemail, custom_questions, custom_rules, form_info)
    SELECT asked.id, owner.account_id, owner.agent_id, name, "toPhoneNumber", "fromPhoneNumber", "introNotes",
      "introMessage", "introVoicemail", "customQuestions", "customRules", "formInfo"
    FROM asked JOIN owner USING (position) WHERE owner.plan = 'plus' AND owner.agent_id IS NOT NULL RETURNING id
  )
  SELECT owner.plan, owner.agent_id IS NOT NULL AS owned, (SELECT pg_notify('${callsChannel}', '') FROM accepted LIMIT 1)
  FROM asked LEFT JOIN owner USING (position) ORDER BY position`;

/**
 * The same for a request that carries an idempotency key. The lock tells a twin in flight from a
 * finished one; a twin that finished after this statement began looks like one in flight.
 */
export async function acceptCallOnce(
  db: Database,
  clientId: string,
  call: OutboundCall,
  request: IdempotentRequest,
  acceptance: Acceptance,
): Promise<Accepted> {
  const { rows } = await db.query({
    name: 'accept-call-once',
    text: `WITH client AS (
        SELECT a.id AS account_id, a.plan FROM oauth_clients c JOIN accounts a ON a.id = c.account_id
        WHERE c.client_id = $1 AND c.revoked_at IS NULL AND a.deleted_at IS NULL
      ), agent AS (
        SELECT g.id, g.account_id FROM client JOIN agents g ON g.account_id = client.account_id
        WHERE g.phone_number = $5 AND g.deleted_at IS NULL AND client.plan = 'plus'
      ), turn AS (
        SELECT pg_try_advisory_xact_lock(
          hashtextextended(concat_ws(E'\\n', account_id, $12::text, $13::text), 0)) AS ours FROM client
      ), earlier AS (
        SELECT k.body_hash, k.response FROM client JOIN idempotency_keys k USING (account_id)
        WHERE k.operation = $12 AND k.key = $13 AND k.created_at > now() - interval '${keepFor}'
      ), claimed AS (
        INSERT INTO idempotency_keys AS k (account_id, operation, key, body_hash, response)
        SELECT agent.account_id, $12, $13, $14, $15 FROM agent, turn
        WHERE turn.ours AND NOT EXISTS (SELECT FROM earlier)
        ON CONFLICT (account_id, operation, key) DO UPDATE
        SET body_hash = excluded.body_hash, response = excluded.response, created_at = now()
        WHERE k.created_at <= now() - interval '${keepFor}'
        RETURNING 1
      ), accepted AS (
        INSERT INTO calls (id, account_id, agent_id, name, to_phone_number, from_phone_number, intro_notes,
          intro_message, intro_voicemail, custom_questions, custom_rules, form_info)
        SELECT $2, agent.account_id, agent.id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM agent
        WHERE EXISTS (SELECT FROM claimed) RETURNING id
      )
      SELECT client.plan, EXISTS (SELECT FROM agent) AS owned, EXISTS (SELECT FROM accepted) AS accepted,
        earlier.body_hash, earlier.response, (SELECT pg_notify('${callsChannel}', '') FROM accepted)
      FROM client LEFT JOIN earlier ON true`,
    values: [
      clientId,
      acceptance.callId,
      call.name,
      call.toPhoneNumber,
      call.fromPhoneNumber,
      call.introNotes,
      call.introMessage,
      call.introVoicemail,
      call.customQuestions,
      call.customRules,
      JSON.stringify(call.formInfo),
      request.operation,
      request.key,
      request.bodyHash,
      JSON.stringify(acceptance),
    ],
  });
  const row = rows[0];
  if (row?.owned && row.body_hash) return toEarlier(row, request);
  const accepted = judge(row);
  return accepted.kind === 'accepted' && !row.accepted ? { kind: 'in_progress' } : accepted;
}

function judge(row: { plan: string | null; owned: boolean } | undefined): Accepted {
  if (!row?.plan) return { kind: 'unknown_client' };
  if (row.plan !== 'plus') return { kind: 'plan_required' };
  return row.owned ? { kind: 'accepted' } : { kind: 'from_number_not_owned' };
}

/** Whether the client may place calls at all, for a request whose body is not worth storing. */
export async function mayPlaceCalls(
  db: Database,
  clientId: string,
): Promise<'unknown_client' | 'plan_required' | 'yes'> {
  const { rows } = await db.query(
    `SELECT a.plan FROM oauth_clients c JOIN accounts a ON a.id = c.account_id
     WHERE c.client_id = $1 AND c.revoked_at IS NULL AND a.deleted_at IS NULL`,
    [clientId],
  );
  if (!rows[0]) return 'unknown_client';
  return rows[0].plan === 'plus' ? 'yes' : 'plan_required';
}

const selectCall = `
  SELECT c.*, coalesce(nullif(c.custom_questions, '{}'), g.default_questions) AS questions,
    coalesce(c.custom_rules, g.default_rules) AS rules
  FROM calls c JOIN agents g ON g.account_id = c.account_id AND g.id = c.agent_id`;

export async function findCall(db: Database, accountId: string, id: string): Promise<Call | undefined> {
  const { rows } = await db.query(`${selectCall} WHERE c.account_id = $1 AND c.id = $2`, [accountId, id]);
  return rows[0] && toCall(rows[0]);
}

export type CallFilter = {
  status?: Call['status'] | undefined;
  outcome?: Outcome['kind'] | undefined;
  toPhoneNumber?: string | undefined;
  fromPhoneNumber?: string | undefined;
  campaignId?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
};

/** Newest first. */
export async function listCalls(db: Database, accountId: string, filter: CallFilter, page: Page): Promise<Call[]> {
  const conditions = ['c.account_id = $1'];
  const values: unknown[] = [accountId];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(condition.replace('?', `$${values.push(value)}`));
  };
  add('c.id < ?', page.after);
  add('c.status = ?', filter.status);
  add("c.outcome->>'kind' = ?", filter.outcome);
  add('c.to_phone_number = ?', filter.toPhoneNumber);
  add('c.from_phone_number = ?', filter.fromPhoneNumber);
  add('c.campaign_id = ?', filter.campaignId);
  add('c.created_at >= ?', filter.createdAfter);
  add('c.created_at < ?', filter.createdBefore);
  const limit = `$${values.push(page.limit)}`;
  const { rows } = await db.query(
    `${selectCall} WHERE ${conditions.join(' AND ')} ORDER BY c.id DESC LIMIT ${limit}`,
    values,
  );
  return rows.map(toCall);
}

/** How many calls have not ended, by their status. */
export async function countOpenCalls(db: Database): Promise<{ status: Call['status']; calls: number }[]> {
  // Two questions, each with an index of its own.
  const { rows } = await db.query(
    `SELECT 'queued' AS status, count(*)::integer AS calls FROM calls WHERE status = 'queued'
     UNION ALL
     SELECT status, count(*)::integer FROM calls WHERE status IN ('dialing', 'ringing', 'in_progress') GROUP BY status`,
  );
  return rows;
}

/** Ends a call that was not dialled yet; says nothing of why it could not. */
export async function cancelQueuedCall(db: Database, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE calls SET status = 'ended', ended_at = now(), outcome = $3
     WHERE account_id = $1 AND id = $2 AND status = 'queued'`,
    [accountId, id, cancelledBeforeDialling],
  );
  return rowCount === 1;
}

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
export function toCall(row: any): Call {
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    campaignId: row.campaign_id,
    request: {
      name: row.name,
      toPhoneNumber: row.to_phone_number,
      fromPhoneNumber: row.from_phone_number,
      ...(row.intro_notes !== null && { introNotes: row.intro_notes }),
      ...(row.intro_message !== null && { introMessage: row.intro_message }),
      ...(row.intro_voicemail !== null && { introVoicemail: row.intro_voicemail }),
      ...(row.custom_questions !== null && { customQuestions: row.custom_questions }),
      ...(row.custom_rules !== null && { customRules: row.custom_rules }),
      formInfo: row.form_info,
    },
    questions: row.questions,
    rules: row.rules,
    attempts: row.attempts,
    createdAt: row.created_at,
    answeredAt: row.answered_at,
    endedAt: row.ended_at,
    outcome: row.outcome,
    result: {
      ...(row.transcript !== null && { transcript: row.transcript }),
      ...(row.answers !== null && { answers: row.answers }),
      ...(row.rule_verdicts !== null && { rules: row.rule_verdicts }),
      summary: row.summary,
      hasRecording: row.has_recording && row.erased_at === null, // it may still wait to be deleted
      latency: row.latency,
      quality: row.quality,
      callbackAt: row.callback_at,
      notes: row.notes,
    },
    erasedAt: row.erased_at,
  };
}

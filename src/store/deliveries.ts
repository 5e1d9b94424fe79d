import { v7 as newId } from 'uuid';
import { type Delivery, mostWebhooks, testEvent, type WebhookEvent } from '../domain/webhook.ts';
import type { Database } from './database.ts';
import type { Page } from './page.ts';
import { unseal } from './sealed.ts';

export const deliveriesChannel = 'deliveries';

// Longer than a post may take by far: only a node that died lets it run out.
const lease = '60 seconds';

// Payloads hold personal data: no longer than somebody may want to send them again.
const keepDelivered = '7 days';
const keepOthers = '30 days';

const columns = `id, endpoint_id, event_id, type, state, attempts, next_attempt_at, last_attempt_at, last_status,
  last_error, last_response, created_at, finished_at, payload`;

export type EventToSend = {
  accountId: string;
  type: WebhookEvent;
  data: Record<string, unknown>;
  /** The same id twice is one event; without it, a new one. */
  id?: string;
  occurredAt?: Date;
};

/**
 * Writes one delivery for each enabled webhook of the account that wants the event. Call it in the
 * transaction of the fact: both happen or neither does.
 */
export async function enqueueEvent(db: Database, event: EventToSend): Promise<void> {
  const { accountId, type, data, id = newId(), occurredAt = new Date() } = event;
  // Made here so that a list by id is one by time; one for each webhook that there may be.
  const ids = Array.from({ length: mostWebhooks }, () => newId());
  await db.query({
    name: 'enqueue-event',
    text: `WITH written AS (
        INSERT INTO deliveries (id, account_id, endpoint_id, event_id, type, payload)
        SELECT coalesce(($1::uuid[])[row_number() OVER ()], gen_random_uuid()), account_id, id, $3, $4, $5
        FROM webhook_endpoints WHERE account_id = $2 AND $4 = ANY (events) AND disabled_at IS NULL
        ON CONFLICT (endpoint_id, event_id) DO NOTHING RETURNING 1)
      SELECT pg_notify('${deliveriesChannel}', '') FROM written LIMIT 1`,
    values: [ids, accountId, id, type, payloadOf(type, occurredAt, data)],
  });
}

/** An event for one webhook alone, whatever it subscribes to. */
export async function enqueueTest(
  db: Database,
  accountId: string,
  webhookId: string,
): Promise<Delivery | 'not_found' | 'disabled'> {
  const payload = payloadOf(testEvent, new Date(), { webhookId, message: 'Parley can reach this webhook.' });
  const { rows } = await db.query(
    `WITH endpoint AS (SELECT id, account_id, disabled_at FROM webhook_endpoints WHERE account_id = $1 AND id = $2),
     written AS (INSERT INTO deliveries (id, account_id, endpoint_id, event_id, type, payload)
       SELECT $3, account_id, id, $4, $5, $6 FROM endpoint WHERE disabled_at IS NULL RETURNING ${columns})
     SELECT written.*, CASE WHEN written.id IS NOT NULL THEN pg_notify('${deliveriesChannel}', '') END
     FROM endpoint LEFT JOIN written ON true`,
    [accountId, webhookId, newId(), newId(), testEvent, payload],
  );
  return writtenOr(rows[0]);
}

function payloadOf(type: string, occurredAt: Date, data: Record<string, unknown>): string {
  return JSON.stringify({ type, timestamp: occurredAt.toISOString(), data });
}

/** A delivery that this process is to send before its lease ends. */
export type ClaimedDelivery = {
  id: string;
  claim: string;
  endpointId: string;
  url: string;
  /** The current one first; none if they cannot be read. */
  secrets: string[];
  eventId: string;
  body: string;
  /** This attempt included. */
  attempts: number;
};

export type ClaimOptions = {
  now: Date;
  sealingKey: Buffer;
  limit: number;
  /** Most posts at once to one endpoint, and how many this process has under way to whom. */
  perEndpoint: number;
  underWay: ReadonlyMap<string, number>;
};

/**
 * Takes what is due, the longest waiting first but from no endpoint more than its share. If this process
 * dies, another one takes them again when the lease ends.
 */
export async function claimDeliveries(db: Database, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { now, limit, perEndpoint, underWay } = options;
  const { rows } = await db.query({
    name: 'claim-deliveries',
    text: claimStatement,
    values: [now, limit, perEndpoint, [...underWay.keys()], [...underWay.values()], newId()],
  });
  return rows.map((row) => ({
    id: row.id,
    claim: row.claim,
    endpointId: row.endpoint_id,
    url: row.url,
    secrets: [row.sealed_secret, row.sealed_previous_secret]
      .map((sealed) => sealed && unseal(options.sealingKey, sealed, row.endpoint_id))
      .filter((secret) => typeof secret === 'string'),
    eventId: row.event_id,
    body: row.body,
    attempts: row.attempts,
  }));
}

// `waiting` hops from endpoint to endpoint through the index, so that its cost is that of the endpoints
// with something to send and not of all that they have. A time is due by the later of two clocks: ours may
// be behind the one that wrote it.
const claimStatement = `
  WITH RECURSIVE waiting (endpoint_id) AS (
    (SELECT endpoint_id FROM deliveries WHERE state = 'pending' ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id > w.endpoint_id
      ORDER BY d.endpoint_id LIMIT 1)
    FROM waiting w WHERE w.endpoint_id IS NOT NULL
  ), due AS (
    SELECT d.id FROM waiting w
      JOIN webhook_endpoints e ON e.id = w.endpoint_id AND e.disabled_at IS NULL
      JOIN accounts a ON a.id = e.account_id AND a.deleted_at IS NULL
      LEFT JOIN unnest($4::uuid[], $5::integer[]) AS busy (endpoint_id, posts) ON busy.endpoint_id = e.id
      CROSS JOIN LATERAL (
        SELECT id, next_attempt_at FROM deliveries
        WHERE endpoint_id = e.id AND state = 'pending' AND next_attempt_at <= greatest($1::timestamptz, now())
        ORDER BY next_attempt_at LIMIT greatest($3::integer - coalesce(busy.posts, 0), 0)
        FOR UPDATE SKIP LOCKED
      ) d
    ORDER BY d.next_attempt_at LIMIT $2
  )
  UPDATE deliveries d SET claim = $6, attempts = d.attempts + 1, last_attempt_at = $1,
    next_attempt_at = greatest($1, now()) + interval '${lease}'
  FROM due, webhook_endpoints e WHERE d.id = due.id AND e.id = d.endpoint_id
  RETURNING d.id, d.claim, d.endpoint_id, d.event_id, d.payload::text AS body, d.attempts, e.url, e.sealed_secret,
    CASE WHEN e.previous_secret_until > greatest($1, now()) THEN e.sealed_previous_secret END AS sealed_previous_secret`;

/** What came of an attempt. */
export type AttemptResult = {
  state: 'delivered' | 'pending' | 'dead';
  /** When to try again, of one that stays pending. */
  nextAttemptAt: Date | null;
  status: number | null;
  error: string | null;
  response: string | null;
  /** The receiver is gone for good: its webhook is disabled. */
  gone: boolean;
};

/** Writes down an attempt, unless its lease ended and another process has it now. */
export async function finishDelivery(db: Database, delivery: ClaimedDelivery, result: AttemptResult): Promise<void> {
  await db.query({
    name: 'finish-delivery',
    text: `WITH finished AS (
        UPDATE deliveries SET claim = NULL, state = $3, next_attempt_at = coalesce($4, next_attempt_at),
          last_status = $5, last_error = $6, last_response = $7,
          finished_at = CASE WHEN $3 <> 'pending' THEN now() END
        WHERE id = $1 AND claim = $2 RETURNING endpoint_id)
      UPDATE webhook_endpoints e SET disabled_at = now(), disabled_reason = 'gone', updated_at = now()
      FROM finished WHERE $8 AND e.id = finished.endpoint_id AND e.disabled_at IS NULL AND e.url = $9`,
    values: [
      delivery.id,
      delivery.claim,
      result.state,
      result.nextAttemptAt,
      result.status,
      result.error,
      result.response,
      result.gone,
      delivery.url, // another one has been given meanwhile: that one is not gone
    ],
  });
}

/** Newest first; `not_found` when the account has no such webhook. */
export async function listDeliveries(
  db: Database,
  accountId: string,
  webhookId: string,
  filter: { state: Delivery['state'] | undefined },
  page: Page,
): Promise<Delivery[] | 'not_found'> {
  const { rows } = await db.query(
    `SELECT d.* FROM webhook_endpoints e LEFT JOIN LATERAL (
       SELECT ${columns} FROM deliveries
       WHERE endpoint_id = e.id AND ($3::uuid IS NULL OR id < $3) ${filter.state ? `AND state = '${filter.state}'` : ''}
       ORDER BY id DESC LIMIT $4
     ) d ON true
     WHERE e.account_id = $1 AND e.id = $2 ORDER BY d.id DESC`,
    [accountId, webhookId, page.after, page.limit],
  );
  if (!rows[0]) return 'not_found';
  return rows[0].id === null ? [] : rows.map(toDelivery);
}

/** Sends it again from the first attempt on, whatever became of it. */
export async function replayDelivery(
  db: Database,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<Delivery | 'not_found' | 'disabled'> {
  const { rows } = await db.query(
    `WITH endpoint AS (
       SELECT e.id, e.disabled_at FROM webhook_endpoints e JOIN deliveries d ON d.endpoint_id = e.id
       WHERE e.account_id = $1 AND e.id = $2 AND d.id = $3
     ), replayed AS (
       UPDATE deliveries d SET state = 'pending', attempts = 0, next_attempt_at = now(), claim = NULL, finished_at = NULL
       FROM endpoint WHERE d.id = $3 AND endpoint.disabled_at IS NULL
       RETURNING d.*)
     SELECT replayed.*, CASE WHEN replayed.id IS NOT NULL THEN pg_notify('${deliveriesChannel}', '') END
     FROM endpoint LEFT JOIN replayed ON true`,
    [accountId, webhookId, id],
  );
  return writtenOr(rows[0]);
}

export async function forgetOldDeliveries(db: Database): Promise<void> {
  await db.query(
    `DELETE FROM deliveries WHERE created_at < now() - interval '${keepDelivered}'
       AND (state = 'delivered' OR created_at < now() - interval '${keepOthers}')`,
  );
}

function writtenOr(row: { id: string | null } | undefined): Delivery | 'not_found' | 'disabled' {
  if (!row) return 'not_found';
  return row.id === null ? 'disabled' : toDelivery(row);
}

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
function toDelivery(row: any): Delivery {
  return {
    deliveryId: row.id,
    webhookId: row.endpoint_id,
    eventId: row.event_id,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.state === 'pending' ? row.next_attempt_at.toISOString() : null,
    lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
    lastStatus: row.last_status,
    lastError: row.last_error,
    lastResponse: row.last_response,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    payload: row.payload,
  };
}

import type { Database } from './database.ts';

/** One request that may be sent again: who, what, under which key, and the hash of its body. */
export type IdempotentRequest = { operation: string; key: string; bodyHash: Buffer };

export const keepFor = '24 hours';

export type Earlier<T> = { kind: 'replay'; response: T } | { kind: 'key_reused' } | { kind: 'in_progress' };

/**
 * Claims the key inside the caller's transaction. Undefined means it is ours: do the work and
 * `rememberResponse` before the commit.
 */
export async function claimKey<T>(
  db: Database,
  accountId: string,
  request: IdempotentRequest,
): Promise<Earlier<T> | undefined> {
  const identity = [accountId, request.operation, request.key];
  const lock = await db.query(`SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken`, [
    identity.join('\n'),
  ]);
  if (!lock.rows[0].taken) return { kind: 'in_progress' };
  const { rows } = await db.query(
    `SELECT body_hash, response FROM idempotency_keys
     WHERE account_id = $1 AND operation = $2 AND key = $3 AND created_at > now() - interval '${keepFor}'`,
    identity,
  );
  return rows[0] && toEarlier(rows[0], request);
}

export async function rememberResponse(
  db: Database,
  accountId: string,
  request: IdempotentRequest,
  response: unknown,
): Promise<void> {
  await db.query(
    `INSERT INTO idempotency_keys (account_id, operation, key, body_hash, response) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, operation, key) DO UPDATE
     SET body_hash = excluded.body_hash, response = excluded.response, created_at = now()`,
    [accountId, request.operation, request.key, request.bodyHash, JSON.stringify(response)],
  );
}

export function toEarlier<T>(row: { body_hash: Buffer; response: T }, request: IdempotentRequest): Earlier<T> {
  if (!row.body_hash.equals(request.bodyHash)) return { kind: 'key_reused' };
  return { kind: 'replay', response: row.response };
}

export async function forgetExpiredKeys(db: Database): Promise<void> {
  await db.query(`DELETE FROM idempotency_keys WHERE created_at <= now() - interval '${keepFor}'`);
}

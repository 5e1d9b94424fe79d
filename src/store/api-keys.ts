import { v7 as newId } from 'uuid';
import type { Database } from './database.ts';

export type ApiKey = { id: string; name: string; createdAt: Date; revokedAt: Date | null };

export async function createApiKey(
  db: Database,
  accountId: string,
  key: { name: string; keyHash: Buffer },
): Promise<string> {
  const id = newId();
  await db.query('INSERT INTO api_keys (id, account_id, name, key_hash) VALUES ($1, $2, $3, $4)', [
    id,
    accountId,
    key.name,
    key.keyHash,
  ]);
  return id;
}

export async function findAccountByApiKey(
  db: Database,
  keyHash: Buffer,
): Promise<{ accountId: string; keyId: string } | undefined> {
  const { rows } = await db.query({
    name: 'find-account-by-api-key',
    text: `SELECT k.id, k.account_id FROM api_keys k JOIN accounts a ON a.id = k.account_id
      WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND a.deleted_at IS NULL`,
    values: [keyHash],
  });
  return rows[0] && { accountId: rows[0].account_id, keyId: rows[0].id };
}

export async function listApiKeys(db: Database, accountId: string): Promise<ApiKey[]> {
  const { rows } = await db.query(
    'SELECT id, name, created_at, revoked_at FROM api_keys WHERE account_id = $1 ORDER BY id',
    [accountId],
  );
  return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at, revokedAt: row.revoked_at }));
}

export async function revokeApiKey(db: Database, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE api_keys SET revoked_at = now() WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL',
    [accountId, id],
  );
  return rowCount === 1;
}

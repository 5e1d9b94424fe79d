import type { JWK } from 'jose';
import { type Database, type DatabasePool, inTransaction } from './database.ts';

export type SigningKeyRow = { kid: string; publicJwk: JWK; privateJwk: JWK | null };

// Longer than any token lives: what a retired key signed stays verifiable to its end.
const keepRetired = '25 hours';

/** The current key first, then the retired ones that live tokens may still name. */
export async function listSigningKeys(db: Database): Promise<SigningKeyRow[]> {
  const { rows } = await db.query(
    `SELECT kid, public_jwk, private_jwk FROM signing_keys
     WHERE retired_at IS NULL OR retired_at > now() - interval '${keepRetired}'
     ORDER BY retired_at DESC NULLS FIRST`,
  );
  return rows.map((row) => ({ kid: row.kid, publicJwk: row.public_jwk, privateJwk: row.private_jwk }));
}

/** Becomes the current key if there is none; of several processes one wins. */
export async function addFirstSigningKey(db: Database, key: SigningKeyRow): Promise<void> {
  await db.query(
    `INSERT INTO signing_keys (kid, public_jwk, private_jwk) VALUES ($1, $2, $3)
     ON CONFLICT ((true)) WHERE retired_at IS NULL DO NOTHING`,
    [key.kid, key.publicJwk, key.privateJwk],
  );
}

export async function replaceSigningKey(pool: DatabasePool, key: SigningKeyRow): Promise<void> {
  await inTransaction(pool, async (db) => {
    await db.query('UPDATE signing_keys SET retired_at = now(), private_jwk = NULL WHERE retired_at IS NULL');
    await db.query('INSERT INTO signing_keys (kid, public_jwk, private_jwk) VALUES ($1, $2, $3)', [
      key.kid,
      key.publicJwk,
      key.privateJwk,
    ]);
    await db.query(`DELETE FROM signing_keys WHERE retired_at < now() - interval '${keepRetired}'`);
  });
}

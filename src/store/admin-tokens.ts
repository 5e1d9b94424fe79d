import { v7 as newId } from 'uuid';
import type { Database } from './database.ts';

export async function createAdminToken(db: Database, tokenHash: Buffer): Promise<void> {
  await db.query('INSERT INTO admin_tokens (id, token_hash) VALUES ($1, $2)', [newId(), tokenHash]);
}

export async function isAdminToken(db: Database, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM admin_tokens WHERE token_hash = $1', [tokenHash]);
  return rowCount === 1;
}

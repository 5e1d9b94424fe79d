import type { Database } from './database.ts';

/** A secret that all processes on this database share; the first to ask makes it. */
export async function sharedSecret(db: Database, name: string, fresh: Buffer): Promise<Buffer> {
  await db.query('INSERT INTO server_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [name, fresh]);
  const { rows } = await db.query('SELECT value FROM server_secrets WHERE name = $1', [name]);
  return rows[0].value;
}

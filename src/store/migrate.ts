import { readdir, readFile } from 'node:fs/promises';
import { type DatabasePool, inTransaction } from './database.ts';

const folder = new URL('../../migrations/', import.meta.url);

// Any number that no other use of advisory locks has.
const migrationLock = 7_215_001;

/** Brings the schema up to date, one transaction for each step; processes that start together take turns. */
export async function migrate(pool: DatabasePool, onStep: (name: string) => void = () => {}): Promise<void> {
  const steps = (await readdir(folder)).filter((name) => /^\d{3}_.*\.sql$/.test(name)).sort();
  await inTransaction(pool, async (db) => {
    await db.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await db.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`);
  });
  for (const name of steps) {
    await inTransaction(pool, async (db) => {
      await db.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
      const applied = await db.query('SELECT FROM schema_migrations WHERE name = $1', [name]);
      if (applied.rowCount) return;
      onStep(name);
      await db.query(await readFile(new URL(name, folder), 'utf8'));
      await db.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    });
  }
  await refuseNewerSchema(pool, steps);
}

async function refuseNewerSchema(pool: DatabasePool, steps: string[]): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
  const unknown = rows.map((row) => row.name).filter((name) => !steps.includes(name));
  if (unknown.length > 0) {
    throw new Error(`The database was made by a newer Parley (it has ${unknown.join(', ')}). Please update Parley.`);
  }
}

import { type DatabasePool, openPool } from './database.ts';
import { openEmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { migrate } from './migrate.ts';

export type OpenDatabase = { pool: DatabasePool; close(): Promise<void> };

type Options = {
  /** Without it, the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  connections: number;
  role: 'server' | 'tool';
  label: string;
  onProgress: (step: string) => void;
  onError: (error: Error) => void;
  onLost: (error: Error) => void;
};

/** The database, its schema up to date. */
export async function openDatabase(options: Options): Promise<OpenDatabase> {
  const embedded = options.databaseUrl === undefined ? await openEmbeddedPostgres(options) : undefined;
  const url = options.databaseUrl ?? (embedded as { url: string }).url;
  const pool = openPool({ url, connections: options.connections, onError: options.onError });
  const close = async () => {
    await pool.end();
    await embedded?.close();
  };
  try {
    await migrate(pool, (name) => options.onProgress(`Updating the schema: ${name}`));
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  return { pool, close };
}

import pg from 'pg';

/** Anything that runs a statement: the pool, or one connection inside a transaction. */
export type Database = Pick<pg.Pool, 'query'>;

export type DatabasePool = pg.Pool;

export function openPool(options: { url: string; connections: number; onError: (error: Error) => void }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections,
    application_name: 'parley',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 60_000,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', options.onError);
  return pool;
}

export async function inTransaction<T>(pool: pg.Pool, work: (db: Database) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements fails the next one; without a listener it would end the process.
  const onError = () => {};
  client.on('error', onError);
  const release = (broken?: Error) => {
    client.off('error', onError);
    client.release(broken);
  };
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    release();
    return result;
  } catch (error) {
    // A connection that cannot roll back is not given to anyone else.
    await client.query('ROLLBACK').then(() => release(), release);
    throw error;
  }
}

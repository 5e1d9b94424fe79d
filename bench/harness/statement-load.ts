import pg from 'pg';

type Load = {
  url: string;
  connections: number;
  statement: { name: string; text: string };
  /** The values of the next execution; undefined when there are no more. */
  next: () => unknown[] | undefined;
  signal: AbortSignal;
};

/** Executions a second of one prepared statement through `pg`, each on its own connection, nothing around it. */
export async function loadStatement({ url, connections, statement, next, signal }: Load): Promise<number> {
  const clients = Array.from({ length: connections }, () => new pg.Client(url));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const startedAt = performance.now();
    const executions = await Promise.all(
      clients.map(async (client) => {
        let count = 0;
        for (let values = next(); values; values = next()) {
          signal.throwIfAborted();
          const { rowCount } = await client.query({ ...statement, values });
          if (!rowCount) throw new Error('The statement did nothing');
          count++;
        }
        return count;
      }),
    );
    return executions.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

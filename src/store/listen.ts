import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabasePool } from './database.ts';

const reconnectAfterMs = 1_000;

export type Listener = { close(): Promise<void> };

/**
 * Calls `onNotify` with the payload whenever the channel is notified, and without one after every connect: what
 * was notified in between is not repeated. The connection is its own, beside the pool, and is made again when it breaks.
 */
export function listen(
  pool: DatabasePool,
  channel: string,
  options: { onNotify: (payload?: string) => void; onError: (error: Error) => void },
): Listener {
  const stop = new AbortController();
  const stopped = run();

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await listenOnce().catch(options.onError);
      await sleep(reconnectAfterMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  }

  async function listenOnce(): Promise<void> {
    const client = new pg.Client(pool.options);
    const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
    ended.catch(() => {}); // it may break before anyone waits for it
    client
      .on('error', fail)
      .on('end', end)
      .on('notification', ({ payload }) => options.onNotify(payload));
    const onStop = () => end();
    stop.signal.addEventListener('abort', onStop);
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      options.onNotify();
      await ended;
    } finally {
      stop.signal.removeEventListener('abort', onStop);
      await client.end().catch(() => {});
    }
  }

  return {
    async close() {
      stop.abort();
      await stopped;
    },
  };
}

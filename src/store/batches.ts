import pg from 'pg';

// Two statements keep PostgreSQL busy on a small machine; more would only make the batches smaller.
const statementsAtOnce = 2;
const largestBatch = 200;

type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

/**
 * Runs what arrives while a statement is under way together in the next one. Nobody waits for
 * others to arrive: alone, an item runs at once. `run` gives one result for each item, in order.
 */
export function inBatches<T, R>(run: (items: T[]) => Promise<R[]>): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let running = 0;
  let scheduled = false;

  // All requests that the event loop has just read go together.
  function schedule(): void {
    if (scheduled || running >= statementsAtOnce || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      running++;
      void runBatch(waiting.splice(0, largestBatch)).finally(() => {
        running--;
        schedule();
      });
      schedule();
    });
  }

  async function runBatch(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      // One item that the database refuses must not fail the others; nothing of the batch was stored.
      if (batch.length > 1 && isRefusal(error)) await Promise.all(batch.map((one) => runBatch([one])));
      else for (const { reject } of batch) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

/** SQLSTATE classes 22 and 23: a value or a constraint. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}

import type { Call } from '../domain/call.ts';
import { outcome } from '../domain/outcome.ts';
import { type Database, type DatabasePool, inTransaction } from './database.ts';
import { endAbruptly, liveStatuses, releaseCall, takeTurn, tellEnd } from './dialing.ts';

// A batch holds up whoever wants to claim calls.
const batchSize = 50;

/** It may have rung: whether to call again is for the caller to decide. */
const interrupted = outcome('interrupted', 'platform', 'The process that held the call ended.');

/** A process that places calls; `label` is for the eyes of its operator. */
export type Node = { id: string; label: string; trunk: string };

export async function joinNode(db: Database, { id, label, trunk }: Node): Promise<void> {
  await db.query(
    `INSERT INTO nodes (id, label, trunk) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET label = $2, trunk = $3, seen_at = now()`,
    [id, label, trunk],
  );
}

/** False if somebody took this node for dead: its calls are no longer its own. */
export async function keepNodeAlive(db: Database, id: string): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE nodes SET seen_at = now() WHERE id = $1', [id]);
  return rowCount === 1;
}

export async function leaveNode(db: Database, id: string): Promise<void> {
  await db.query('DELETE FROM nodes WHERE id = $1', [id]);
}

export type Recovery = {
  exceptNode: string;
  /** How long a node may be silent; `all others` where the database is ours alone. */
  deadAfterMs: number | 'all others';
};

/**
 * Takes the calls of dead nodes: what was not dialled goes back to the queue, what may have rung ends as
 * interrupted. Returns how many there were.
 */
export async function recoverCalls(pool: DatabasePool, recovery: Recovery): Promise<number> {
  let recovered = 0;
  for (;;) {
    const calls = await inTransaction(pool, (db) => recoverSome(db, recovery));
    recovered += calls;
    if (calls < batchSize) return recovered;
  }
}

async function recoverSome(db: Database, { exceptNode, deadAfterMs }: Recovery): Promise<number> {
  await takeTurn(db);
  await db.query(
    `DELETE FROM nodes WHERE id <> $1
       AND ($2::double precision IS NULL OR seen_at < now() - $2 * interval '1 millisecond')`,
    [exceptNode, deadAfterMs === 'all others' ? null : deadAfterMs],
  );
  // A row that is locked is left for the next time: whoever holds it may be stopped, and all would wait.
  const { rows } = await db.query(
    `SELECT c.id, c.node_id, c.dialed_at FROM calls c WHERE c.status IN ${liveStatuses} AND c.node_id <> $1
       AND NOT EXISTS (SELECT FROM nodes n WHERE n.id = c.node_id)
     LIMIT ${batchSize} FOR UPDATE OF c SKIP LOCKED`,
    [exceptNode],
  );
  const ended: (Call | undefined)[] = [];
  for (const { id, node_id, dialed_at } of rows) {
    if (dialed_at === null) await releaseCall(db, node_id, id);
    else ended.push(await endAbruptly(db, node_id, id, interrupted));
  }
  await tellEnd(
    db,
    ended.filter((call) => call !== undefined),
  );
  return rows.length;
}

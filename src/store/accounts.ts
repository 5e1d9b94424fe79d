import { v7 as newId } from 'uuid';
import type { Account, AccountInput, Plan } from '../domain/account.ts';
import { accountClosed } from '../domain/outcome.ts';
import type { Database } from './database.ts';

const columns = 'id, name, plan, max_calls, created_at';

export async function createAccount(db: Database, account: AccountInput): Promise<Account> {
  const { rows } = await db.query(
    `INSERT INTO accounts (id, name, plan, max_calls) VALUES ($1, $2, $3, $4) RETURNING ${columns}`,
    [newId(), account.name, account.plan, account.maxCalls],
  );
  return toAccount(rows[0]);
}

export async function listAccounts(db: Database): Promise<Account[]> {
  const { rows } = await db.query(`SELECT ${columns} FROM accounts WHERE deleted_at IS NULL ORDER BY id`);
  return rows.map(toAccount);
}

/** From now on none of its clients, keys and tokens is accepted, and none of its calls is placed. Its data stays. */
export async function deleteAccount(db: Database, id: string): Promise<boolean> {
  const { rows } = await db.query(
    `WITH deleted AS (UPDATE accounts SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id),
     cancelled AS (UPDATE calls c SET status = 'ended', ended_at = now(), outcome = $2 FROM deleted
       WHERE c.account_id = deleted.id AND c.status = 'queued')
     SELECT FROM deleted`,
    [id, accountClosed],
  );
  return rows.length === 1;
}

export async function setPlan(db: Database, id: string, plan: Plan): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE accounts SET plan = $2 WHERE id = $1 AND deleted_at IS NULL', [id, plan]);
  return rowCount === 1;
}

/** Null lifts the limit. */
export async function setMaxCalls(db: Database, id: string, maxCalls: number | null): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE accounts SET max_calls = $2 WHERE id = $1 AND deleted_at IS NULL', [
    id,
    maxCalls,
  ]);
  return rowCount === 1;
}

/** Whether nobody ever made an account here. */
export async function isUnused(db: Database): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM accounts LIMIT 1');
  return rowCount === 0;
}

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
function toAccount(row: any): Account {
  return { id: row.id, name: row.name, plan: row.plan, maxCalls: row.max_calls, createdAt: row.created_at };
}

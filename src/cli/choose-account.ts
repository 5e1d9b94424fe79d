import { Option } from 'commander';
import type { Account } from '../domain/account.ts';
import { listAccounts } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { exitCode, Failure } from './failure.ts';
import { table } from './output.ts';

export function accountOption(): Option {
  return new Option('--account <account>', 'account id or exact name; not needed when there is only one');
}

/** The account that was asked for, else the only one there is. */
export async function chooseAccount(db: Database, asked: string | undefined): Promise<Account> {
  const accounts = await listAccounts(db);
  if (asked !== undefined) return pickAccount(accounts, asked);
  const [only, ...others] = accounts;
  if (!only) {
    throw new Failure(exitCode.usage, 'There is no account yet. Make one: npx parley account create --name "Acme"');
  }
  if (others.length > 0) {
    throw new Failure(exitCode.usage, 'Which account? Give --account with an id or a name:', {
      faults: accountTable(accounts),
    });
  }
  return only;
}

export async function findAccount(db: Database, asked: string): Promise<Account> {
  return pickAccount(await listAccounts(db), asked);
}

function pickAccount(accounts: Account[], asked: string): Account {
  const byId = accounts.find(({ id }) => id === asked.toLowerCase());
  const [found, ...others] = byId ? [byId] : accounts.filter(({ name }) => name === asked);
  if (!found) throw new Failure(exitCode.notFound, `There is no account ${JSON.stringify(asked)}.`);
  if (others.length > 0) {
    throw new Failure(exitCode.usage, `Several accounts are called ${JSON.stringify(asked)}. Give the id:`, {
      faults: accountTable([found, ...others]),
    });
  }
  return found;
}

export function accountTable(accounts: Account[]): string[] {
  return table(accounts.map(({ id, name, plan, createdAt }) => ({ id, plan, created: createdAt.toISOString(), name })));
}

import { type Config, loadConfig } from '../config.ts';
import type { DatabasePool } from '../store/database.ts';
import { openDatabase } from '../store/open-database.ts';
import { exitCode, Failure } from './failure.ts';
import { remark } from './output.ts';

/** Runs a management command on the database itself; the embedded one is started for it if need be. */
export async function withDatabase(work: (db: DatabasePool) => Promise<void>): Promise<void> {
  const config = loadConfig();
  const wasStopped = config.databaseUrl === undefined ? holdSignals() : () => false;
  const database = await open(config);
  try {
    if (wasStopped()) throw new Failure(exitCode.interrupted, 'Stopped; nothing was changed.');
    await work(database.pool);
  } finally {
    await database.close();
  }
}

async function open(config: Config) {
  const name = nameOf(config);
  let named = false;
  try {
    return await openDatabase({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      connections: 2,
      role: 'tool',
      label: `parley command, process ${process.pid}`,
      onProgress: (step) => {
        if (!named) remark(`Database: ${name}`);
        named = true;
        remark(`${step} …`);
      },
      onError: () => {},
      onLost: (error) => remark(error.message),
    });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Failure(exitCode.failed, `The database (${name}) cannot be used: ${message || code}`);
  }
}

function nameOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return `embedded, in ${dataDir}`;
  const url = URL.parse(databaseUrl);
  return url ? `${url.host}${url.pathname}` : 'DATABASE_URL';
}

/** A command that dies half-way would leave PostgreSQL running. Says whether a signal came. */
function holdSignals(): () => boolean {
  let received = false;
  const hold = () => {
    received = true;
    remark('Closing the database first …');
  };
  process.on('SIGINT', hold).on('SIGTERM', hold);
  return () => received;
}

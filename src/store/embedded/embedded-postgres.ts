import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../free-port.ts';
import { type Cluster, prepareCluster, urlOf } from './cluster.ts';
import {
  isAlive,
  isPostmasterOf,
  readPostmaster,
  type StartedPostmaster,
  setAsideStaleFile,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';

const startTimeoutMs = 60_000;

// Another process started it at the same moment; or a killed postmaster's children are still ending.
const passes = /lock file .* already exists|pre-existing shared memory block/;

// Advisory locks in the database itself: PostgreSQL frees them when their process dies, however it dies.
const usersLock = 7_215_002; // shared by everyone who uses the cluster; exclusive before stopping it
const serverLock = 7_215_003; // held by the one server of this data directory

export type EmbeddedPostgres = {
  readonly url: string;
  /** Ends our use of the cluster and stops it, unless another process still uses it. */
  close(): Promise<void>;
};

type Options = {
  dataDir: string;
  /** `server`: the only one on this data directory. `tool`: a command that may run beside it. */
  role: 'server' | 'tool';
  /** Shown to whoever looks for the holder of the data directory. */
  label: string;
  onProgress: (step: string) => void;
  /** The database went away under us and could not be brought back. */
  onLost: (error: Error) => void;
};

/** Another server already runs on the data directory. */
export class DataDirectoryInUse extends Error {
  constructor(dataDir: string, holder: string) {
    super(
      `Another Parley is running on the data directory ${dataDir}${holder && ` (${holder})`}.\n` +
        'Stop it first, or give this one its own PARLEY_DATA_DIR (or a shared DATABASE_URL).',
    );
    this.name = 'DataDirectoryInUse';
  }
}

/**
 * A real PostgreSQL cluster in `dataDir/postgres`: made at the first start, adopted when a killed
 * process left it running, restarted when it crashes, stopped with its last user.
 */
export async function openEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options.dataDir, options.onProgress);
  let closing = false;
  const first = await join(cluster, await freePort(), options);
  let lease = Promise.resolve(first);
  watch(first);

  function watch({ client, port }: Lease): void {
    client.once('error', () => {
      if (closing) return;
      lease = join(cluster, port, options);
      lease.then(watch, options.onLost);
    });
  }

  return {
    url: urlOf(cluster, first.port, 'parley'),
    async close() {
      if (closing) return;
      closing = true;
      await leave(cluster, await lease);
    },
  };
}

/** Our connection to the cluster that holds our locks. */
type Lease = { client: pg.Client; port: number };

/** Enters the running postmaster, or starts one. */
async function join(cluster: Cluster, preferredPort: number, options: Options): Promise<Lease> {
  const deadline = Date.now() + startTimeoutMs;
  let started: StartedPostmaster | undefined;
  let lastFault = '';
  while (Date.now() < deadline) {
    const postmaster = await readPostmaster(cluster.dir);
    if (postmaster && (await isPostmasterOf(postmaster.pid, cluster.dir))) {
      const entered = await enter(cluster, postmaster.port, options);
      if (!(entered instanceof Error)) return { client: entered, port: postmaster.port };
      if (entered instanceof DataDirectoryInUse) throw entered;
      lastFault = entered.message;
    } else if (started?.hasExited()) {
      lastFault = await started.lastWords();
      if (!passes.test(lastFault)) throw new Error(`PostgreSQL did not start: ${lastFault}`);
      started = undefined;
    } else if (!started) {
      if (postmaster && isAlive(postmaster.pid)) await setAsideStaleFile(cluster.dir, postmaster);
      options.onProgress('Starting the database');
      started = await startPostmaster(cluster.binaries.postgres, cluster.runAs, cluster.dir, preferredPort);
    }
    await sleep(25);
  }
  throw new Error(`PostgreSQL did not become ready within ${startTimeoutMs / 1000} s: ${lastFault}`);
}

/** Connects and takes our locks. An error means not yet (still starting) or no longer (already stopping). */
async function enter(cluster: Cluster, port: number, options: Options): Promise<pg.Client | Error> {
  const client = new pg.Client({
    connectionString: urlOf(cluster, port, 'postgres'),
    application_name: options.label.slice(0, 63),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [usersLock]);
    if (options.role === 'server') await takeServerLock(client, options.dataDir);
    await createDatabase(client);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    return error as Error;
  }
}

async function takeServerLock(client: pg.Client, dataDir: string): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [serverLock]);
  if (rows[0].taken) return;
  const holder = await client.query(
    `SELECT a.application_name AS label FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.objid = $1 AND l.granted`,
    [serverLock],
  );
  throw new DataDirectoryInUse(dataDir, holder.rows[0]?.label ?? '');
}

async function createDatabase(client: pg.Client): Promise<void> {
  await client.query('CREATE DATABASE parley').catch((error) => {
    const exists = error.code === '42P04' || error.code === '23505'; // the second: made by another this very moment
    if (!exists) throw error;
  });
}

async function leave(cluster: Cluster, { client }: Lease): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [usersLock]);
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS last', [usersLock]);
    if (rows[0].last) await stopPostmaster(cluster.dir);
  } finally {
    await client.end().catch(() => {});
  }
}

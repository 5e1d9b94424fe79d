import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openPool } from '../../src/store/database.ts';
import { openEmbeddedPostgres } from '../../src/store/embedded/embedded-postgres.ts';
import { migrate } from '../../src/store/migrate.ts';

/**
 * One PostgreSQL for all test files: an embedded one of its own, or the server that
 * TEST_DATABASE_URL names. Each test file copies the migrated template for itself.
 */
let stop: () => Promise<void> = async () => {};

export async function globalSetup(): Promise<void> {
  const serverUrl = process.env['TEST_DATABASE_URL'] ?? (await startEmbedded());
  process.env['TEST_POSTGRES'] = serverUrl;
  const template = new URL(serverUrl);
  template.pathname = '/parley_template';
  const admin = new pg.Client(serverUrl);
  await admin.connect();
  await admin.query('DROP DATABASE IF EXISTS parley_template');
  await admin.query('CREATE DATABASE parley_template');
  await admin.end();
  const pool = openPool({ url: template.href, connections: 2, onError: () => {} });
  await migrate(pool);
  await pool.end();
}

export async function globalTeardown(): Promise<void> {
  await stop();
}

async function startEmbedded(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-postgres-'));
  const embedded = await openEmbeddedPostgres({
    dataDir,
    role: 'tool',
    label: 'parley tests',
    onProgress: () => {},
    onLost: (error) => {
      throw error;
    },
  });
  stop = async () => {
    await embedded.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return embedded.url;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Credentials, readCredentials } from '../../src/credentials-file.ts';
import { callScope } from '../../src/domain/account.ts';
import { freePort } from '../../src/free-port.ts';
import { openEmbeddedPostgres } from '../../src/store/embedded/embedded-postgres.ts';
import { type Started, startProcess } from './child-process.ts';

export type Service = { port: number; credentials: Credentials; databaseUrl: string };

/** Runs the real service on an empty embedded PostgreSQL of its own for as long as the work takes. */
export async function withService<T>(
  { signal }: { signal: AbortSignal },
  work: (service: Service) => Promise<T>,
): Promise<T> {
  return withDataDir(async (dataDir) => {
    const port = await freePort();
    const service = await startService({ dataDir, port, signal });
    try {
      const database = await openEmbeddedPostgres({
        dataDir,
        role: 'tool',
        label: 'parley bench',
        onProgress: () => {},
        onLost: () => {},
      });
      try {
        const credentials = await readCredentials(dataDir);
        if (!credentials) throw new Error('The service wrote no credentials');
        return await work({ port, credentials, databaseUrl: database.url });
      } finally {
        await service.stop();
        await database.close();
      }
    } finally {
      await service.stop();
    }
  });
}

/** A new directory, removed afterwards. */
export async function withDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  try {
    return await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** `npm start` as it is, but quiet and without a rate limit; it places no calls unless told to. */
export function startService(options: {
  dataDir: string;
  port: number;
  signal: AbortSignal;
  env?: Record<string, string>;
}): Promise<Started> {
  return startProcess({
    script: 'src/main.ts',
    env: {
      DATABASE_URL: undefined,
      HOST: '127.0.0.1',
      PORT: String(options.port),
      PARLEY_DATA_DIR: options.dataDir,
      PARLEY_LOG_LEVEL: 'warn',
      PARLEY_RATE_LIMIT: '0',
      PARLEY_MAX_CALLS: '0',
      ...options.env,
    },
    readyUrl: `http://127.0.0.1:${options.port}/health`,
    signal: options.signal,
  });
}

/** The documented token request. */
export function tokenForm({ clientId, clientSecret }: Pick<Credentials, 'clientId' | 'clientSecret'>): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: callScope,
  });
}

export async function fetchToken(port: number, path: string, form: URLSearchParams): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: form });
  const body = (await response.json()) as { access_token?: string };
  if (!body.access_token) throw new Error(`No token: ${response.status} ${JSON.stringify(body)}`);
  return body.access_token;
}

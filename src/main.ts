import { externalTokenVerifier, ownTokenVerifier } from './auth/access-token.ts';
import { clientAuthentication } from './auth/client-authentication.ts';
import { failedAttempts } from './auth/failed-attempts.ts';
import { signingKeys } from './auth/signing-keys.ts';
import { xsrfCookies } from './auth/xsrf-cookie.ts';
import { openCalling } from './calling.ts';
import { systemClock } from './clock.ts';
import { type Config, loadConfig, unknownSettings } from './config.ts';
import { ruleWarnings } from './conversation/scripted/read-rule.ts';
import { type Credentials, credentialsPath } from './credentials-file.ts';
import { ensureDemoAccount } from './demo-account.ts';
import { freePort } from './free-port.ts';
import { buildApp } from './http/app.ts';
import type { AppDeps } from './http/app-types.ts';
import { createMetrics } from './http/metrics.ts';
import { createLog } from './log.ts';
import { forgetOldCommands } from './store/call-commands.ts';
import { forgetOldCallEvents } from './store/call-events.ts';
import type { DatabasePool } from './store/database.ts';
import { forgetExpiredKeys } from './store/idempotency.ts';
import { openDatabase } from './store/open-database.ts';
import { deleteErasedRecordings } from './store/recordings.ts';
import { openWebhooks } from './webhooks/open-webhooks.ts';
import { explainStartFault, showWelcome } from './welcome.ts';

const drainTimeoutMs = 20_000;
const housekeepingEveryMs = 10 * 60_000;
// npm passes a Ctrl-C on that the terminal has already sent us: one press, two signals.
const secondSignalAfterMs = 1_000;

const config = readConfig();
const log = createLog({ level: config.logLevel, terminal: process.stdout.isTTY === true });

let stoppedBy: { signal: string; at: number } | undefined;
/** What calls cannot be placed without, and is not there yet. */
const missing = new Set(['calling']);
/** What to undo when the process ends, last first. */
const closers: (() => Promise<unknown>)[] = [];

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => onSignal(signal));
process.on('uncaughtException', (error) => void fail(error));
process.on('unhandledRejection', (error) => void fail(error));

const started = start();
started.catch(async (error) => {
  if (!stoppedBy) process.stderr.write(`\n${explainStartFault(error, config)}\n`);
  await close();
  process.exit(1);
});

async function start(): Promise<void> {
  const startedAt = performance.now();
  for (const setting of unknownSettings()) log.warn({ setting }, 'unknown setting, perhaps misspelt');
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const label = `parley on port ${port}, process ${process.pid}`;
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    connections: config.databaseConnections,
    role: 'server',
    label,
    onProgress: (step) => process.stdout.write(`${step} …\n`),
    onError: (err) => log.warn({ err }, 'lost a database connection'),
    onLost: (error) => void fail(error),
  });
  closers.push(() => database.close());
  const { pool } = database;
  const webhooks = await openWebhooks({
    db: pool,
    clock: systemClock,
    allowPrivate: config.webhookPrivate,
    onError: (err) => log.error({ err }, 'the delivery of webhooks failed'),
  });
  closers.push(() => webhooks.close());
  const publicUrl = config.publicUrl ?? `http://${urlHost(config.host)}:${port}`;
  const app = await buildApp(await dependencies(pool, publicUrl));
  closers.push(() => Promise.race([app.close(), systemClock.sleep(drainTimeoutMs)]));
  const housekeeping = setInterval(() => void keepHouse(pool), housekeepingEveryMs).unref();
  closers.push(async () => clearInterval(housekeeping));
  const credentials = await demoCredentials(pool, publicUrl);
  await app.listen({ port, host: config.host });
  const network = config.maxCalls > 0 ? await openCalling({ config, db: pool, log, label, closers }) : undefined;
  missing.clear();
  showWelcome({
    publicUrl,
    credentials,
    credentialsPath: credentialsPath(config.dataDir),
    network,
    ms: performance.now() - startedAt,
  });
  log.info({ port, database: config.databaseUrl ? 'external' : 'embedded' }, 'ready');
}

async function dependencies(db: DatabasePool, publicUrl: string): Promise<AppDeps> {
  const clock = systemClock;
  const keys = signingKeys(db, clock);
  return {
    config,
    db,
    clock,
    log,
    publicUrl,
    signingKeys: keys,
    verifyToken: config.authIssuer
      ? externalTokenVerifier(config.authIssuer, config.authAudience, clock)
      : ownTokenVerifier(keys, publicUrl, clock),
    authenticateClient: clientAuthentication(db),
    xsrf: await xsrfCookies(db),
    failedAttempts: failedAttempts(clock),
    metrics: createMetrics(db),
    allowPrivateWebhooks: config.webhookPrivate,
    recordingsFolder: config.recordingsFolder,
    ruleWarnings: config.speech.llm ? () => [] : ruleWarnings,
    missing: () => [...missing, ...(stoppedBy ? ['stopping'] : [])],
  };
}

/** On a shared database nothing is made unasked. */
async function demoCredentials(pool: DatabasePool, publicUrl: string): Promise<Credentials | undefined> {
  return config.databaseUrl ? undefined : ensureDemoAccount(pool, config.dataDir, publicUrl);
}

async function keepHouse(pool: DatabasePool): Promise<void> {
  const chores = [
    () => forgetExpiredKeys(pool),
    () => forgetOldCallEvents(pool),
    () => forgetOldCommands(pool),
    () => deleteErasedRecordings(pool, config.recordingsFolder),
  ];
  for (const chore of chores) await chore().catch((err) => log.warn({ err }, 'housekeeping failed'));
}

/** The first signal drains and stops; another one a moment later does not wait any longer. */
function onSignal(signal: string): void {
  if (stoppedBy) {
    if (Date.now() - stoppedBy.at > secondSignalAfterMs) process.exit(130);
    return;
  }
  stoppedBy = { signal, at: Date.now() };
  log.info({ signal }, 'stopping');
  void started.then(close).then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

async function fail(error: unknown): Promise<void> {
  log.fatal({ err: error }, 'stopping after a failure');
  await Promise.race([close(), systemClock.sleep(drainTimeoutMs)]);
  process.exit(1);
}

async function close(): Promise<void> {
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    await closer().catch((err) => log.error({ err }, 'could not stop cleanly'));
  }
  log.flush();
}

function readConfig(): Config {
  try {
    return loadConfig();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\nparley start --help lists all settings.\n`);
    process.exit(2);
  }
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import pg from 'pg';
import { externalTokenVerifier, ownTokenVerifier } from '../../src/auth/access-token.ts';
import { clientAuthentication } from '../../src/auth/client-authentication.ts';
import { failedAttempts } from '../../src/auth/failed-attempts.ts';
import { hashSecret, newClientId, newSecret } from '../../src/auth/secret.ts';
import { signingKeys } from '../../src/auth/signing-keys.ts';
import { xsrfCookies } from '../../src/auth/xsrf-cookie.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { ruleWarnings } from '../../src/conversation/scripted/read-rule.ts';
import { callScope, type Plan } from '../../src/domain/account.ts';
import { freePort } from '../../src/free-port.ts';
import { buildApp } from '../../src/http/app.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createLog } from '../../src/log.ts';
import { createAccount } from '../../src/store/accounts.ts';
import { createAgent } from '../../src/store/agents.ts';
import { createApiKey } from '../../src/store/api-keys.ts';
import { createCampaign } from '../../src/store/campaigns.ts';
import { type DatabasePool, openPool } from '../../src/store/database.ts';
import { createClient } from '../../src/store/oauth-clients.ts';

/** A clock that stands until it is moved; sleeping takes no time and is written down. */
export class TestClock implements Clock {
  #now = Date.now();
  readonly sleeps: number[] = [];

  now(): Date {
    return new Date(this.#now);
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  async sleep(ms: number): Promise<void> {
    this.sleeps.push(ms);
  }
}

/** An account with everything it needs to use the APIs. */
export type Tenant = {
  accountId: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
  agentId: string;
  fromPhoneNumber: string;
  campaignId: string;
};

export type Service = {
  url: string;
  db: DatabasePool;
  databaseUrl: string;
  /** Every line that was logged. */
  logged: string[];
  tenant: Tenant;
  newTenant(options?: { plan?: Plan; fromPhoneNumber?: string }): Promise<Tenant>;
  /** A token for placing calls, fetched from the token endpoint. */
  token(tenant?: Tenant): Promise<string>;
};

/** A database of one's own, copied from the migrated template and dropped with the test file. */
export async function createDatabase(): Promise<string> {
  const server = process.env['TEST_POSTGRES'];
  if (!server) throw new Error('Run the tests through npm test: it starts PostgreSQL');
  const name = `parley_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client(server);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE parley_template`);
  after(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The whole HTTP service in this process, on a real socket and a real database. */
export async function startService(
  options: { env?: Record<string, string>; clock?: Clock; databaseUrl?: string; allowPrivateWebhooks?: boolean } = {},
): Promise<Service> {
  const databaseUrl = options.databaseUrl ?? (await createDatabase());
  const config: Config = loadConfig({ PARLEY_LOG_LEVEL: 'info', ...options.env });
  const clock = options.clock ?? systemClock;
  const logged: string[] = [];
  const log = createLog({ level: config.logLevel, destination: { write: (line) => void logged.push(line) } });
  const db = openPool({ url: databaseUrl, connections: config.databaseConnections, onError: () => {} });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const publicUrl = config.publicUrl ?? url;
  const keys = signingKeys(db, clock);
  const app = await buildApp({
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
    allowPrivateWebhooks: options.allowPrivateWebhooks ?? false,
    recordingsFolder: config.recordingsFolder,
    ruleWarnings,
    missing: () => [],
  });
  await app.listen({ port, host: '127.0.0.1' });
  after(async () => {
    await app.close();
    await db.end();
  });

  let tenants = 0;
  async function newTenant({ plan = 'plus', fromPhoneNumber }: { plan?: Plan; fromPhoneNumber?: string } = {}) {
    tenants++;
    return createTenant(db, plan, fromPhoneNumber ?? `+1202555${String(7000 + tenants)}`);
  }
  async function token(tenant: Tenant = service.tenant): Promise<string> {
    const response = await fetch(`${url}/oauth2/token`, { method: 'POST', body: tokenForm(tenant) });
    const body = (await response.json()) as { access_token: string };
    return body.access_token;
  }
  const service = { url, db, databaseUrl, logged, tenant: await newTenant(), newTenant, token };
  return service;
}

async function createTenant(db: DatabasePool, plan: Plan, fromPhoneNumber: string): Promise<Tenant> {
  const clientId = newClientId();
  const clientSecret = newSecret('secret');
  const apiKey = newSecret('key');
  const account = await createAccount(db, { name: 'Test', plan });
  await createClient(db, account.id, {
    clientId,
    name: 'Test client',
    secretHash: hashSecret(clientSecret),
    scopes: [callScope],
  });
  await createApiKey(db, account.id, { name: 'Test key', keyHash: hashSecret(apiKey) });
  const agent = await createAgent(db, account.id, {
    phoneNumber: fromPhoneNumber,
    name: 'Robin',
    company: 'Acme',
    voice: 'slt',
    language: 'en-US',
    defaultQuestions: ['Default question one?', 'Default question two?'],
    defaultRules: ['Default rule.'],
  });
  if (!agent) throw new Error('the number is taken');
  const campaign = await createCampaign(db, account.id, { name: 'Spring', country: 'US', agentId: agent.agentId });
  if (!campaign) throw new Error('the agent is missing');
  const { campaignId } = campaign;
  return { accountId: account.id, clientId, clientSecret, apiKey, agentId: agent.agentId, fromPhoneNumber, campaignId };
}

/** The documented token request; give `undefined` to leave a field out. */
export function tokenForm(tenant: Tenant, changes: Record<string, string | undefined> = {}): URLSearchParams {
  const fields: Record<string, string | undefined> = {
    grant_type: 'client_credentials',
    client_id: tenant.clientId,
    client_secret: tenant.clientSecret,
    scope: callScope,
    ...changes,
  };
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given);
}

/** A complete, valid body for POST /outbound. */
export function callBody(tenant: Tenant, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Ada Lovelace',
    toPhoneNumber: '+12025550100',
    fromPhoneNumber: tenant.fromPhoneNumber,
    formInfo: [{ company: 'Acme' }],
    ...changes,
  };
}

export type Answer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
};

/** Sends JSON and reads JSON. */
export async function send(
  method: string,
  url: string,
  options: { headers?: Record<string, string>; json?: unknown; body?: string | Uint8Array<ArrayBuffer> } = {},
): Promise<Answer> {
  const hasJson = 'json' in options;
  const response = await fetch(url, {
    method,
    headers: { ...(hasJson && { 'content-type': 'application/json' }), ...options.headers },
    ...(hasJson ? { body: JSON.stringify(options.json) } : options.body !== undefined ? { body: options.body } : {}),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Run, runCommand, scratchFolder } from '../harness/command.ts';
import { callBody, createDatabase, send, startService, type Tenant, tokenForm } from '../harness/service.ts';

const service = await startService();
const { tenant } = service;
const other = await service.newTenant();
const emptyDatabaseUrl = await createDatabase();
const scratch = await scratchFolder();

function run(args: string[], env: Record<string, string> = {}, nodeFlags: string[] = []): Promise<Run> {
  const launcher = nodeFlags.length > 0 ? [...nodeFlags, 'bin/parley.js'] : ['src/cli.ts'];
  return runCommand(args, { scratch, env, launcher });
}

const manage = (...args: string[]) => run(args, { DATABASE_URL: service.databaseUrl });

/** The JSON that a management command of the tenant printed. */
async function managed(...args: string[]) {
  const { code, stdout, stderr } = await manage(...args, '--account', tenant.accountId, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

describe('parley', () => {
  it('shows help, exit codes and all settings, and its version', async () => {
    const help = await run(['--help']);
    assert.equal(help.code, 0);
    for (const part of ['Exit codes:', 'partly done', 'PARLEY_DATA_DIR', 'parley call --to']) {
      assert.ok(help.stdout.includes(part), part);
    }
    assert.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
    const start = await run(['start', '--help']);
    assert.match(start.stdout, /PARLEY_MAX_CONTACTS_BYTES +largest body/);
  });

  it('exits 2 on wrong usage, with the reason on stderr and nothing on stdout', async () => {
    const wrong = [['acount'], ['account', 'create', '--nam', 'x'], ['call', '--to', '+12025550100'], ['account']];
    for (const args of wrong) {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.notEqual(stderr, '');
    }
  });

  it('exits 2 on wrong settings and names them', async () => {
    const { code, stderr } = await run(['account', 'list'], { PORT: 'many', DATABASE_URL: 'mysql://x' });
    assert.equal(code, 2);
    assert.match(stderr, /PORT: .*\n.*DATABASE_URL: /);
  });

  it('exits 1 when the database cannot be reached, without its password', async () => {
    const { code, stderr } = await run(['account', 'list'], { DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' });
    assert.equal(code, 1);
    assert.match(stderr, /127\.0\.0\.1:1\/x.*cannot be used/);
    assert.ok(!stderr.includes('hidden'));
  });

  it('runs on its own Node when the machine has an old one, with the same exit code', async () => {
    const old = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})';
    const launched = await run(['account', 'create', '--json'], {}, [`--import=data:text/javascript,${old}`]);
    assert.equal(launched.code, 2);
    assert.match(launched.stderr, /--name: is required/);
  });
});

describe('parley account', () => {
  it('makes, lists, changes and closes accounts', async () => {
    const database = { DATABASE_URL: emptyDatabaseUrl };
    const json = async (...args: string[]) => JSON.parse((await run([...args, '--json'], database)).stdout);
    assert.deepEqual(await json('account', 'list'), []);
    const made = await json('account', 'create', '--name', 'Acme', '--plan', 'basic');
    assert.deepEqual([made.name, made.plan], ['Acme', 'basic']);
    const plan = await run(['account', 'plan', 'Acme', 'plus'], database);
    assert.equal(plan.stdout, `Account ${made.accountId} is on the plus plan.\n`);
    const limit = await run(['account', 'limit', 'Acme', '20'], database);
    assert.equal(limit.stdout, `Account ${made.accountId} may have 20 calls at once.\n`);
    assert.deepEqual(await json('account', 'list'), [{ ...made, plan: 'plus', maxCalls: 20 }]);
    assert.equal((await json('account', 'limit', 'Acme', 'none')).maxCalls, null);
    assert.equal((await run(['account', 'limit', 'Acme', '0'], database)).code, 2);
    assert.equal((await run(['account', 'create', '--name', 'B', '--max-calls', 'x'], database)).code, 2);
    assert.equal((await run(['account', 'delete', made.accountId], database)).code, 0);
    const again = await run(['account', 'delete', made.accountId], database);
    assert.deepEqual([again.code, again.stdout], [3, '']);
    const orphan = await run(['agent', 'list'], database);
    assert.equal(orphan.code, 2);
    assert.match(orphan.stderr, /There is no account yet/);
  });

  it('exits 2 with the list of accounts when it cannot tell which one is meant', async () => {
    const unsaid = await manage('agent', 'list');
    const ambiguous = await manage('agent', 'list', '--account', 'Test');
    for (const { code, stderr } of [unsaid, ambiguous]) {
      assert.equal(code, 2);
      assert.ok(stderr.includes(tenant.accountId) && stderr.includes(other.accountId), stderr);
    }
    assert.equal((await manage('agent', 'list', '--account', 'Nobody')).code, 3);
  });
});

describe('parley client and key', { concurrency: 2 }, () => {
  it('makes a client whose secret works, is stored hashed, and fails once revoked', async () => {
    const { clientId, clientSecret } = await managed('client', 'create', '--name', 'CRM');
    const form = tokenForm({ ...tenant, clientId, clientSecret });
    const token = () => send('POST', `${service.url}/oauth2/token`, { ...asForm(form) });
    assert.equal((await token()).status, 200);
    const { rows } = await service.db.query('SELECT * FROM oauth_clients WHERE client_id = $1', [clientId]);
    assert.deepEqual(rows[0].secret_hash, sha256(clientSecret));
    assert.ok(!JSON.stringify(rows).includes(clientSecret));

    assert.equal((await manage('client', 'revoke', clientId, '--account', other.accountId)).code, 3);
    assert.equal((await token()).status, 200);
    await managed('client', 'revoke', clientId);
    assert.equal((await token()).status, 400);
    assert.equal((await manage('client', 'revoke', clientId, '--account', tenant.accountId)).code, 3);
    const listed = await managed('client', 'list');
    assert.notEqual(listed.find((client: { clientId: string }) => client.clientId === clientId).revokedAt, null);
    assert.ok(!JSON.stringify(listed).includes(other.clientId));
  });

  it('registers a client of an external issuer, which has no secret, once', async () => {
    const made = await managed('client', 'create', '--name', 'SSO', '--external', '0oa-external');
    assert.equal(made.clientId, '0oa-external');
    assert.ok(!('clientSecret' in made));
    const { rows } = await service.db.query(`SELECT secret_hash FROM oauth_clients WHERE client_id = '0oa-external'`);
    assert.deepEqual(rows, [{ secret_hash: null }]);
    const args = ['client', 'create', '--name', 'SSO', '--external', '0oa-external', '--account', other.accountId];
    assert.equal((await manage(...args)).code, 4);
  });

  it('makes an API key that works, is stored hashed, is shown once, and fails once revoked', async () => {
    const made = await manage('key', 'create', '--name', 'CRM', '--account', tenant.accountId);
    const [, keyId = '', apiKey = ''] = /^id +(\S+)\nAPI key +(\S+)\n$/.exec(made.stdout) ?? [];
    assert.match(made.stderr, /not shown again/);
    const campaigns = () => send('GET', `${service.url}/api/v1/campaigns`, { headers: { 'x-api-key': apiKey } });
    assert.equal((await campaigns()).status, 200);
    const { rows } = await service.db.query('SELECT * FROM api_keys WHERE id = $1', [keyId]);
    assert.deepEqual(rows[0].key_hash, sha256(apiKey));

    assert.ok(!JSON.stringify(await managed('key', 'list')).includes(apiKey));
    assert.equal((await manage('key', 'revoke', keyId, '--account', other.accountId)).code, 3);
    assert.equal((await campaigns()).status, 200);
    await managed('key', 'revoke', keyId);
    assert.equal((await campaigns()).status, 401);
    assert.equal((await manage('key', 'revoke', 'first', '--account', tenant.accountId)).code, 2);
  });

  it('rotates the signing key without breaking live tokens', async () => {
    const token = await service.token();
    const { kid } = JSON.parse((await manage('keys', 'rotate', '--json')).stdout);
    const { body } = await send('GET', `${service.url}/.well-known/jwks.json`);
    assert.equal(body.keys[0].kid, kid);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await send('POST', `${service.url}/outbound`, { headers, json: callBody(tenant) })).status, 200);
  });
});

describe('parley agent and campaign', { concurrency: 2 }, () => {
  it('names all faults of an agent at once', async () => {
    const { code, stdout, stderr } = await manage(
      ...['agent', 'create', '--number', '2025550000', '--language', '?', '--question', 'ok?', '--question', ''],
    );
    assert.deepEqual([code, stdout], [2, '']);
    for (const fault of ['--number: ', '--name: is required', '--language: ', '--question (number 2): ']) {
      assert.ok(stderr.includes(fault), stderr);
    }
  });

  it('makes an agent that can call, refuses its number twice, and deletes it once its calls have ended', async () => {
    const create = ['agent', 'create', '--number', '+12025559001', '--name', 'Kim', '--rule', 'Be brief.'];
    const { agentId, defaultRules } = await managed(...create);
    assert.deepEqual(defaultRules, ['Be brief.']);
    assert.equal((await manage(...create, '--account', tenant.accountId)).code, 4);
    const headers = { authorization: `Bearer ${await service.token()}` };
    const json = callBody(tenant, { fromPhoneNumber: '+12025559001' });
    const { body } = await send('POST', `${service.url}/outbound`, { headers, json });

    assert.equal((await manage('agent', 'delete', agentId, '--account', other.accountId)).code, 3);
    const busy = await manage('agent', 'delete', agentId, '--account', tenant.accountId);
    assert.equal(busy.code, 4);
    assert.match(busy.stderr, /calls that are queued or under way/);
    await cancel(tenant, body.callId);
    await managed('agent', 'delete', agentId);
    assert.ok(!JSON.stringify(await managed('agent', 'list')).includes(agentId));
  });

  it("makes, lists and archives campaigns, with the account's own agents only", async () => {
    const create = ['campaign', 'create', '--name', 'Autumn', '--country', 'gb', '--agent', tenant.agentId];
    const { campaignId, country, agentId } = await managed(...create);
    assert.deepEqual([country, agentId], ['GB', tenant.agentId]);
    assert.equal((await manage(...create, '--account', other.accountId)).code, 3);
    assert.equal((await manage('campaign', 'archive', campaignId, '--account', other.accountId)).code, 3);
    assert.equal((await managed('campaign', 'archive', campaignId)).status, 'archived');
    const archived = await managed('campaign', 'list', '--status', 'archived');
    assert.deepEqual(
      archived.map((campaign: { campaignId: string }) => campaign.campaignId),
      [campaignId],
    );
    const active = await manage('campaign', 'list', '--status', 'active', '--account', tenant.accountId);
    assert.match(active.stdout, /^id +status +country +created +name\n\S+ +active +US /);
  });
});

it('management commands on the embedded database say when they make it and leave no PostgreSQL running', async () => {
  const dataDir = join(scratch, 'data');
  const embedded = { PARLEY_DATA_DIR: dataDir };
  const made = await run(['account', 'create', '--name', 'Acme', '--json'], embedded);
  assert.equal(made.code, 0, made.stderr);
  assert.ok(made.stderr.includes(`embedded, in ${dataDir}`), made.stderr);
  assert.ok(existsSync(join(dataDir, 'postgres', 'PG_VERSION')));
  assert.ok(!existsSync(join(dataDir, 'postgres', 'postmaster.pid')));
  const list = await run(['account', 'list', '--json'], embedded);
  assert.deepEqual(JSON.parse(list.stdout), [JSON.parse(made.stdout)]);
  assert.ok(!existsSync(join(dataDir, 'postgres', 'postmaster.pid')));
});

function asForm(form: URLSearchParams) {
  return { body: form.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
}

async function cancel({ apiKey }: Tenant, callId: string): Promise<void> {
  const headers = { 'x-api-key': apiKey };
  assert.equal((await send('POST', `${service.url}/api/v1/calls/${callId}/cancel`, { headers })).status, 200);
}

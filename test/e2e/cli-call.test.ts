import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort } from '../../src/free-port.ts';
import { runCommand, scratchFolder } from '../harness/command.ts';
import { send, startService, type Tenant } from '../harness/service.ts';

const service = await startService();
const { tenant } = service;
const scratch = await scratchFolder();

const run = (args: string[], env: Record<string, string>) =>
  runCommand(args, { scratch, env: { PARLEY_DATA_DIR: join(scratch, 'nothing'), ...env } });

const environmentOf = ({ clientId, clientSecret }: Tenant, url = service.url) => ({
  PARLEY_URL: url,
  PARLEY_CLIENT_ID: clientId,
  PARLEY_CLIENT_SECRET: clientSecret,
});

const callArgs = ['call', '--to', '+12025550100', '--name', 'Ada', '--from', tenant.fromPhoneNumber];

describe('parley token', () => {
  it('prints the bare token, or the whole response with --json', async () => {
    const bare = await run(['token'], environmentOf(tenant));
    assert.deepEqual([bare.code, bare.stderr], [0, '']);
    assert.match(bare.stdout, /^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const whole = await run(['token', '--json'], environmentOf(tenant));
    assert.deepEqual(Object.keys(JSON.parse(whole.stdout)), ['access_token', 'token_type', 'expires_in', 'scope']);
  });

  it('exits 4 on a wrong secret or scope, and never prints the secret', async () => {
    const clientSecret = 'parley_secret_wrong-and-private';
    const wrong = await run(['token', '--json', '--client-secret', clientSecret], environmentOf(tenant));
    assert.equal(wrong.code, 4);
    assert.match(wrong.stderr, /^invalid_client: /);
    assert.equal(JSON.parse(wrong.stdout).error.problem.error, 'invalid_client');
    assert.ok(!(wrong.stdout + wrong.stderr).includes(clientSecret));
    assert.equal((await run(['token', '--scope', 'everything'], environmentOf(tenant))).code, 4);
  });

  it('exits 1 with the address and what to do when the service cannot be reached', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await run(['token'], environmentOf(tenant, url));
    assert.deepEqual([code, stdout], [1, '']);
    assert.ok(stderr.includes(url) && stderr.includes('npx parley start'), stderr);
  });

  it('exits 2 when nothing says which service or client is meant', async () => {
    assert.match((await run(['token'], {})).stderr, /--url or PARLEY_URL/);
    const { code, stderr } = await run(['token', '--url', service.url], {});
    assert.equal(code, 2);
    assert.match(stderr, /--client-id or PARLEY_CLIENT_ID/);
  });
});

describe('parley call', () => {
  it('places a call with everything that was given', async () => {
    const extras = ['--question', 'Why?', '--question', 'When?', '--rule', 'Be kind.', '--info', 'company=A=B'];
    const texts = ['--intro-message', 'Hello', '--intro-notes', 'Notes', '--voicemail', 'Bye'];
    const placed = await run([...callArgs, ...extras, ...texts, '--json'], environmentOf(tenant));
    assert.equal(placed.code, 0, placed.stderr);
    const { callId, warnings } = JSON.parse(placed.stdout);
    assert.deepEqual(warnings, []);
    const headers = { 'x-api-key': tenant.apiKey };
    const { body } = await send('GET', `${service.url}/api/v1/calls/${callId}`, { headers });
    const { name, toPhoneNumber, introMessage, introNotes, introVoicemail } = body;
    assert.deepEqual([name, toPhoneNumber, introMessage], ['Ada', '+12025550100', 'Hello']);
    assert.deepEqual([introNotes, introVoicemail], ['Notes', 'Bye']);
    const { customQuestions, customRules, formInfo } = body;
    assert.deepEqual([customQuestions, customRules], [['Why?', 'When?'], ['Be kind.']]);
    assert.deepEqual(formInfo, [{ company: 'A=B' }]);
  });

  it('places no second call under the same idempotency key', async () => {
    const args = [...callArgs, '--idempotency-key', 'once'];
    const first = await run(args, environmentOf(tenant));
    const second = await run(args, environmentOf(tenant));
    assert.match(first.stdout, /callId [0-9a-f-]{36}\n/);
    assert.deepEqual(second, first);
    assert.equal((await run([...args, '--voicemail', 'Other'], environmentOf(tenant))).code, 2);
  });

  it('exits 2 on a bad body and prints title, detail and every field', async () => {
    const args = ['call', '--to', '2025550100', '--name', '', '--from', tenant.fromPhoneNumber];
    const { code, stdout, stderr } = await run(args, environmentOf(tenant));
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^Invalid request: .*\n {2}name: must not be empty\n {2}toPhoneNumber: must be in E\.164/);
    assert.equal((await run([...callArgs, '--info', 'company'], environmentOf(tenant))).code, 2);
  });

  it("exits 4 without the Plus plan and from a number that is not the account's", async () => {
    const basic = await service.newTenant({ plan: 'basic' });
    const refused = await run(callArgs, environmentOf(basic));
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /^Plus plan required: /);
    const stranger = await run([...callArgs, '--from', basic.fromPhoneNumber], environmentOf(tenant));
    assert.equal(stranger.code, 4);
    assert.match(stranger.stderr, /^Number not owned: /);
  });

  it('says how to repeat a call whose answer was lost without calling twice', async () => {
    const proxy = await startProxy('/outbound');
    const lost = await run(callArgs, environmentOf(tenant, proxy));
    assert.equal(lost.code, 1);
    const [, key = ''] = /--idempotency-key (\S+)/.exec(lost.stderr) ?? [];
    const { rows } = await service.db.query('SELECT response FROM idempotency_keys WHERE key = $1', [key]);
    const repeated = await run([...callArgs, '--idempotency-key', key, '--json'], environmentOf(tenant));
    assert.equal(JSON.parse(repeated.stdout).callId, rows[0].response.callId);
  });
});

describe('credentials.json', () => {
  it('is used when nothing else is given, and its secrets go to no other address', async () => {
    const seen: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      seen.push(request.url);
      response.end();
    }).listen(0, '127.0.0.1');
    after(() => stranger.close());
    const { clientId, clientSecret, apiKey, campaignId, fromPhoneNumber } = tenant;
    const baseUrl = service.url;
    const credentials = { baseUrl, clientId, clientSecret, apiKey, campaignId, fromPhoneNumber, adminToken: '' };
    await writeFile(join(scratch, 'credentials.json'), JSON.stringify(credentials));

    const args = ['call', '--to', '+12025550100', '--name', 'Ada'];
    const placed = await run(args, { PARLEY_DATA_DIR: scratch });
    assert.equal(placed.code, 0, placed.stderr);
    const { port } = stranger.address() as AddressInfo;
    const elsewhere = await run([...args, '--url', `http://127.0.0.1:${port}`], { PARLEY_DATA_DIR: scratch });
    assert.equal(elsewhere.code, 2);
    assert.deepEqual(seen, []);
  });
});

/** Passes everything on, but hangs up instead of giving the answer from one path. */
async function startProxy(silentPath: string): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = request.headers as Record<string, string>;
    const answer = await fetch(service.url + request.url, { method: 'POST', headers: withoutHops(headers), body });
    if (request.url === silentPath) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  after(() => proxy.close());
  await new Promise((resolve) => proxy.once('listening', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

function withoutHops({ host, connection, 'content-length': length, ...headers }: Record<string, string>) {
  return headers;
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { CallEvent } from '../../src/domain/call-event.ts';
import { freePort } from '../../src/free-port.ts';
import { takeCommands } from '../../src/store/call-commands.ts';
import { addCallEvent } from '../../src/store/call-events.ts';
import { runCommand, scratchFolder } from '../harness/command.ts';
import { until } from '../harness/process.ts';
import { send, startService, type Tenant } from '../harness/service.ts';
import { completed, ended, insertCall, live } from '../harness/stored-calls.ts';

const service = await startService();
const { tenant, db } = service;
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

  it('exits 2 without --to or --name', async () => {
    for (const [args, missing] of [
      [['call', '--name', 'Ada'], '--to'],
      [['call', '--to', '+12025550100'], '--name'],
    ] as const) {
      const { code, stdout, stderr } = await run([...args], environmentOf(tenant));
      assert.deepEqual([code, stdout], [2, '']);
      assert.ok(stderr.startsWith(`error: required option '${missing}`), stderr);
    }
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

/** A call as the dialer would take it on. */
async function begin(owner: Tenant): Promise<string> {
  let callId: string | undefined;
  await until(async () => {
    const { rows } = await db.query('SELECT id FROM calls WHERE account_id = $1', [owner.accountId]);
    callId = rows[0]?.id;
    return callId !== undefined;
  });
  await set(callId as string, live('in_progress'));
  return callId as string;
}

async function set(callId: string, columns: Record<string, unknown>): Promise<void> {
  const names = Object.keys(columns);
  const changes = names.map((name, at) => `${name} = $${at + 2}`).join(', ');
  await db.query(`UPDATE calls SET ${changes} WHERE id = $1`, [callId, ...Object.values(columns)]);
}

const conversation: CallEvent[] = [
  { type: 'dialing' },
  { type: 'ringing' },
  { type: 'answered' },
  { type: 'answered_by', kind: 'person' },
  { type: 'utterance', turn: 0, speaker: 'assistant', text: 'Hello!', startMs: 400, endMs: 900, interrupted: true },
  {
    type: 'utterance',
    turn: 1,
    speaker: 'callee',
    text: 'Yes\x1b[2J?',
    startMs: 61_000,
    endMs: 62_000,
    interrupted: false,
  },
  { type: 'keys', keys: '12#', atMs: 63_000 },
  { type: 'note', text: 'The voice failed.' },
];

async function play(owner: Tenant, callId: string): Promise<void> {
  const { accountId } = owner;
  for (const event of conversation) await addCallEvent(db, { accountId, callId, event });
  await set(callId, { ...ended(), node_id: null, has_recording: true });
  await addCallEvent(db, { accountId, callId, event: { type: 'ended', outcome: completed } });
}

const watchLines = [
  '  dialing',
  '  ringing',
  '  answered',
  '  it is a person',
  '[00:00] Assistant: Hello! [interrupted]',
  '[01:01] Callee: Yes?[2J?',
  '[01:03] keys 12#',
  '  note: The voice failed.',
  '  ended',
];

describe('parley call --watch', () => {
  // Nobody takes these calls but the tests.
  const undialled = db.query(`ALTER TABLE calls ALTER due_at SET DEFAULT '2100-01-01T00:00:00Z'`);

  const withKey = (owner: Tenant, url?: string) => ({ ...environmentOf(owner, url), PARLEY_API_KEY: owner.apiKey });
  const argsOf = (owner: Tenant) => [
    'call',
    '--to',
    '+12025550100',
    '--name',
    'Ada',
    '--from',
    owner.fromPhoneNumber,
    '--watch',
  ];

  it('shows the call line by line, without colours where there is no terminal, and then its result', async () => {
    await undialled;
    const owner = await service.newTenant();
    const watching = run(argsOf(owner), withKey(owner));
    const callId = await begin(owner);
    await play(owner, callId);
    const { code, stdout, stderr } = await watching;
    assert.equal(code, 0, stderr);
    assert.deepEqual(stderr.split('\n'), [`callId ${callId}`, 'queued', ...watchLines, '']);
    assert.deepEqual(stdout.split('\n'), [
      'Outcome: completed, ended by assistant, SIP 200, 77.1 s after the answer',
      'Reason: The conversation came to its end.',
      '',
      'question                     status    answer            value',
      'How many seats do you need?  answered  Twelve, I think.  12',
      '',
      'Summary: Ada needs twelve seats.',
      'To be called again at 2026-03-02T09:00:00.000Z',
      'Note: The voice of the vendor failed; the embedded one spoke instead.',
      `Recording: ${service.url}/api/v1/calls/${callId}/recording`,
      '',
    ]);
  });

  it('with --json writes the call as it ended and nothing else to stdout', async () => {
    const owner = await service.newTenant();
    const watching = run([...argsOf(owner), '--json'], withKey(owner));
    const callId = await begin(owner);
    await play(owner, callId);
    const call = JSON.parse((await watching).stdout);
    assert.deepEqual([call.callId, call.outcome.kind, call.answers[0].value], [callId, 'completed', 12]);
  });

  it('stopped by Ctrl-C says that the call goes on', async () => {
    const owner = await service.newTenant();
    const env = { PATH: process.env['PATH'] ?? '', PARLEY_DATA_DIR: join(scratch, 'nothing'), ...withKey(owner) };
    const child = spawn(process.execPath, ['src/cli.ts', ...argsOf(owner)], { env });
    after(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (part) => {
      said += part;
    });
    const callId = await begin(owner);
    await addCallEvent(db, { accountId: owner.accountId, callId, event: { type: 'ringing' } });
    await until(() => said.includes('ringing'));
    const closed = once(child, 'close');
    child.kill('SIGINT');
    assert.deepEqual(await closed, [130, null]);
    assert.match(said, new RegExp(`the call goes on.*parley call hangup ${callId}`));
    const { rows } = await db.query('SELECT status FROM calls WHERE id = $1', [callId]);
    assert.equal(rows[0].status, 'in_progress');
  });

  it('goes on where it was when the connection breaks', async () => {
    const owner = await service.newTenant();
    const callId = await insertCall(db, owner, live('in_progress'));
    const proxy = await startCutter();
    const watching = run(['call', 'watch', callId], withKey(owner, proxy.url));
    await addCallEvent(db, { accountId: owner.accountId, callId, event: { type: 'dialing' } });
    await proxy.cut(/dialing/);
    await set(callId, { ...ended(), node_id: null });
    await addCallEvent(db, { accountId: owner.accountId, callId, event: { type: 'ended', outcome: completed } });
    const { code, stderr } = await watching;
    assert.deepEqual([code, stderr], [0, '  dialing\n  ended\n']);
  });

  it('places no call without an API key, or with a wrong one', async () => {
    const owner = await service.newTenant();
    const without = await run(argsOf(owner), environmentOf(owner));
    assert.equal(without.code, 2);
    assert.match(without.stderr, /PARLEY_API_KEY/);
    const wrong = await run([...argsOf(owner), '--api-key', 'parley_key_wrong'], environmentOf(owner));
    assert.equal(wrong.code, 4);
    const { rows } = await db.query('SELECT FROM calls WHERE account_id = $1', [owner.accountId]);
    assert.equal(rows.length, 0);
  });
});

describe('parley call show, hangup and say', () => {
  const apiKey = (owner = tenant) => ({ PARLEY_URL: service.url, PARLEY_API_KEY: owner.apiKey });

  it('show what the call is or how it went', async () => {
    const queued = await run(['call', 'show', await insertCall(db, tenant)], apiKey());
    assert.deepEqual([queued.code, queued.stdout], [0, 'The call is queued.\n']);
    const callId = await insertCall(db, tenant, ended());
    assert.match((await run(['call', 'show', callId], apiKey())).stdout, /^Outcome: completed/);
    const json = await run(['call', 'show', callId, '--json', '--api-key', tenant.apiKey, '--url', service.url], {});
    assert.equal(JSON.parse(json.stdout).callId, callId);
  });

  it('steer a call under way', async () => {
    const nodeId = '01890000-0000-7000-8000-000000000001';
    const callId = await insertCall(db, tenant, live('in_progress', nodeId));
    const said = await run(['call', 'say', callId, 'One moment, please.'], apiKey());
    assert.equal(said.code, 0, said.stderr);
    const hungUp = await run(['call', 'hangup', callId], apiKey());
    assert.deepEqual([hungUp.code, hungUp.stdout], [0, 'The call was told to end.\n']);
    assert.deepEqual(await takeCommands(db, nodeId), [
      { callId, command: { kind: 'say', text: 'One moment, please.' } },
      { callId, command: { kind: 'hang-up' } },
    ]);
    const cancelled = await run(['call', 'hangup', await insertCall(db, tenant)], apiKey());
    assert.deepEqual([cancelled.code, cancelled.stdout], [0, 'The call is cancelled.\n']);
  });

  it('exit 2 for an id that is none, 3 for one that is not ours, 4 where it is too late', async () => {
    assert.equal((await run(['call', 'show', 'abc'], apiKey())).code, 2);
    const callId = await insertCall(db, tenant, ended());
    assert.equal((await run(['call', 'show', callId], apiKey(await service.newTenant()))).code, 3);
    const late = await run(['call', 'hangup', callId], apiKey());
    assert.deepEqual([late.code, late.stderr], [4, 'Call is not under way: The call has already ended.\n']);
    assert.equal((await run(['call', 'say', callId, 'Hello'], apiKey())).code, 4);
  });

  it('have a help of their own', async () => {
    const { code, stdout } = await run(['call', 'say', '--help'], {});
    assert.equal(code, 0);
    assert.match(stdout, /--api-key[\s\S]*--json/);
    assert.doesNotMatch(stdout, /--to /);
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

/** Passes GET requests on, and cuts the first answer once it holds what is looked for. */
async function startCutter(): Promise<{ url: string; cut(pattern: RegExp): Promise<void> }> {
  const seen = Promise.withResolvers<void>();
  let pattern: RegExp | undefined;
  let text = '';
  let look = () => {};
  const proxy = createServer(async (request, response) => {
    const headers = withoutHops(request.headers as Record<string, string>);
    const answer = await fetch(service.url + request.url, { headers });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    look = () => {
      if (!pattern?.test(text)) return;
      pattern = undefined;
      seen.resolve();
      response.destroy();
    };
    for await (const part of answer.body ?? []) {
      text += Buffer.from(part).toString();
      response.write(part);
      look();
      if (response.destroyed) return;
    }
    response.end();
  }).listen(0, '127.0.0.1');
  after(() => proxy.close());
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut(wanted) {
      pattern = wanted;
      look();
      return seen.promise;
    },
  };
}

function withoutHops({ host, connection, 'content-length': length, ...headers }: Record<string, string>) {
  return headers;
}

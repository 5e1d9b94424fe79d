import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { createCampaign } from '../../src/store/campaigns.ts';
import { scratchFolder } from '../harness/command.ts';
import { startService } from '../harness/service.ts';

const service = await startService({ env: { PARLEY_MAX_CONTACTS: '1000' } });
const { tenant } = service;
const scratch = await scratchFolder();

const env = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: join(scratch, 'compiled'),
  PARLEY_DATA_DIR: join(scratch, 'nothing'),
  PARLEY_URL: service.url,
  PARLEY_API_KEY: tenant.apiKey,
};
const old = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})';
const asOldNode = [`--import=data:text/javascript,${old}`, 'bin/parley.js'];

/** Starts an import; the file comes through stdin, which stays open unless it is given. */
function start(args: string[], options: { input?: string | Buffer; launcher?: string[]; url?: string } = {}) {
  const nodeArgs = [...(options.launcher ?? ['src/cli.ts']), 'contacts', 'import', ...args];
  const surroundings = { ...env, ...(options.url && { PARLEY_URL: options.url }) };
  const child = spawn(process.execPath, nodeArgs, { env: surroundings, timeout: 30_000, killSignal: 'SIGKILL' });
  if (options.input !== undefined) child.stdin.end(options.input);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const done = Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { child, done: done.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
}

const importFrom = (input: string | Buffer, args: string[], url?: string) =>
  start(['-', ...args], { input, ...(url !== undefined && { url }) }).done;

async function newCampaign(country = 'US'): Promise<string> {
  const made = await createCampaign(service.db, tenant.accountId, { name: 'Import', country, agentId: null });
  return made?.campaignId as string;
}

async function contactsOf(campaignId: string) {
  const { rows } = await service.db.query(
    'SELECT phone, first_name, last_name, email, metadata FROM contacts WHERE campaign_id = $1 ORDER BY phone',
    [campaignId],
  );
  return rows;
}

const numbered = (rows: number) =>
  `phone\n${Array.from({ length: rows }, (_, index) => `1202${2_000_000 + index}\n`).join('')}`;

describe('parley contacts import', () => {
  it('reads BOM, CRLF, semicolons, quotes and national numbers, and reports every bad row', async () => {
    const campaign = await newCampaign('GB');
    const report = join(scratch, 'report.csv');
    const lines = [
      '\uFEFFFirst Name;"Surname";E-Mail;Mobile;Tier;Notes',
      'Ada;Lovelace;ada@example.com;020 7946 0958;gold;"says ""hi""; often"',
      'Bob;;;+1 (202) 555-0101;;',
      '',
      'Cy;;not-an-address;02079460959;;',
      'Di;;;12345;;',
      'Ed;;;;;',
      'Ada;;;442079460958;;',
      'Flo;;;020 7946 0960;a;b;too much',
    ];
    const args = ['--campaign', campaign, '--report', report];
    const { code, stdout, stderr } = await importFrom(lines.join('\r\n'), args);
    assert.equal(code, 5, stderr);
    assert.match(stdout, /^7 rows: 2 created, 1 updated, 4 failed\n {2}line 5: 442079460959: email must/);
    assert.deepEqual(await contactsOf(campaign), [
      { phone: '12025550101', first_name: 'Bob', last_name: null, email: null, metadata: null },
      {
        phone: '442079460958',
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: 'ada@example.com',
        metadata: { Tier: 'gold', Notes: 'says "hi"; often' },
      },
    ]);
    assert.deepEqual((await readFile(report, 'utf8')).split('\n'), [
      'line,phone,action,code,message',
      '2,442079460958,created,,',
      '3,12025550101,created,,',
      '5,442079460959,failed,invalid_email,email must be an e-mail address',
      '6,12345,failed,invalid_phone,phone is not a valid number in GB',
      '7,,failed,missing_field,phone is empty',
      '8,442079460958,updated,,',
      '9,020 7946 0960,failed,invalid_row,has 7 fields where the header has 6',
      '',
    ]);
    assert.equal((await stat(report)).mode & 0o777, 0o600);
  });

  it('sends nothing in a dry run, which finds the same faults', async () => {
    const campaign = await newCampaign();
    const csv = 'tel\temail\n0171 1234567\t\n2025550100\tnobody\n(202) 555-0101\t\n';
    const { code, stdout } = await importFrom(csv, ['--campaign', campaign, '--dry-run', '--json']);
    const { failures, ...summary } = JSON.parse(stdout);
    assert.equal(code, 5);
    assert.deepEqual(summary, { campaignId: campaign, dryRun: true, rows: 3, valid: 1, failed: 2, end: 'complete' });
    assert.deepEqual(
      failures.map(({ line, code }: { line: number; code: string }) => [line, code]),
      [
        [2, 'invalid_phone'],
        [3, 'invalid_email'],
      ],
    );
    assert.deepEqual(await contactsOf(campaign), []);
    const german = await importFrom(csv, ['--campaign', campaign, '--dry-run', '--json', '--country', 'de']);
    assert.equal(JSON.parse(german.stdout).failures[0].line, 3);
  });

  it('exits 2 for a file without a phone column, naming the columns, also while stdin stays open', async () => {
    const { child, done } = start(['-', '--campaign', tenant.campaignId]);
    child.stdin.write('name,e-mail\nAda,ada@example.com\n');
    const { code, stderr } = await done;
    assert.equal(code, 2);
    assert.match(stderr, /Its columns are: "name", "e-mail"/);
  });

  it('exits 2 for a quote that never ends and stores nothing of it', async () => {
    const campaign = await newCampaign();
    const { code, stderr } = await importFrom('phone,note\n2025550100,a\n2025550101,"b\n', ['--campaign', campaign]);
    assert.equal(code, 2);
    assert.match(stderr, /from line 3 on: a quoted field does not end/);
    assert.deepEqual(await contactsOf(campaign), []);
  });

  it("exits 3 for another account's campaign and 4 for a wrong API key, without printing the key", async () => {
    const other = await service.newTenant();
    assert.equal((await importFrom(numbered(1), ['--campaign', other.campaignId])).code, 3);
    assert.deepEqual(await contactsOf(other.campaignId), []);
    const apiKey = 'parley_key_private';
    const wrong = await importFrom(numbered(1), ['--campaign', tenant.campaignId, '--api-key', apiKey]);
    assert.equal(wrong.code, 4);
    const unsendable = await importFrom('', ['--campaign', tenant.campaignId, '--api-key', `${apiKey}\nx`]);
    assert.equal(unsendable.code, 2);
    assert.ok(![wrong, unsendable].some(({ stdout, stderr }) => (stdout + stderr).includes(apiKey)));
  });

  it('imports 25,000 rows in order, also in batches larger than the service takes', async () => {
    const campaign = await newCampaign();
    const file = join(scratch, 'many.csv');
    await writeFile(file, `${numbered(24_990)}${numbered(10).replace('phone\n', '')}`);
    const { code, stdout, stderr } = await start([file, '--campaign', campaign, '--batch', '5000', '--json']).done;
    const { rows, created, updated, failed } = JSON.parse(stdout);
    assert.deepEqual(
      { code, rows, created, updated, failed },
      { code: 0, rows: 25_000, created: 24_990, updated: 10, failed: 0 },
    );
    assert.match(stderr, /10000 rows, 0 failed …\n20000 rows/);
    assert.equal((await contactsOf(campaign)).length, 24_990);
  });
});

describe('parley contacts import over a bad network', () => {
  it('repeats a batch whose answer was lost without doing it twice', async () => {
    const campaign = await newCampaign();
    const proxy = await startProxy([undefined]);
    const { code, stdout } = await importFrom(numbered(150), ['--campaign', campaign, '--batch', '100'], proxy.url);
    assert.equal(code, 0);
    assert.equal(stdout, '150 rows: 150 created, 0 updated, 0 failed\n');
    const [first, again, second] = proxy.keys;
    assert.equal(first, again);
    assert.notEqual(first, second);
    assert.equal(proxy.keys.length, 3);
  });

  it('waits as long as Retry-After says on 429, 503 and a twin in progress, then goes on', async () => {
    const campaign = await newCampaign();
    const proxy = await startProxy([429, 503, 409]);
    const { code, stdout, stderr } = await importFrom(numbered(5), ['--campaign', campaign], proxy.url);
    assert.equal(code, 0);
    assert.equal(stdout, '5 rows: 5 created, 0 updated, 0 failed\n');
    assert.match(stderr, /status 429; trying again in 0\.0 s.*\n.*status 503.*0\.0 s.*\n.*status 409.*0\.0 s/);
    assert.deepEqual(new Set(proxy.keys).size, 1);
  });

  it('gives up after five tries, exits 1, and says which lines are not confirmed', async () => {
    const campaign = await newCampaign();
    const proxy = await startProxy([200, 503, 503, 503, 503, 503]);
    const args = ['--campaign', campaign, '--batch', '2', '--json'];
    const { code, stdout } = await importFrom(numbered(6), args, proxy.url);
    const { rows, created, end, unconfirmed, error } = JSON.parse(stdout);
    assert.equal(proxy.keys.length, 6);
    assert.deepEqual({ code, rows, created, end }, { code: 1, rows: 2, created: 2, end: 'failed' });
    assert.deepEqual(unconfirmed, { fromLine: 4, toLine: 5 });
    assert.equal(error.exitCode, 1);
  });

  it('stops after the running batch on Ctrl-C, with a summary and exit 130', async () => {
    const campaign = await newCampaign();
    const proxy = await startProxy([200], () => {
      child.kill('SIGINT');
      return stopping;
    });
    const args = ['-', '--campaign', campaign, '--batch', '2', '--json'];
    const { child, done } = start(args, { input: numbered(6), url: proxy.url });
    const stopping = says(child, 'Stopping after this batch');
    const { code, stdout } = await done;
    const { rows, created, end } = JSON.parse(stdout);
    assert.deepEqual({ code, rows, created, end }, { code: 130, rows: 2, created: 2, end: 'interrupted' });
    assert.equal((await contactsOf(campaign)).length, 2);
  });

  it('stops on Ctrl-C while it waits for stdin, also through the launcher for old Nodes', async () => {
    const { child, done } = start(['-', '--campaign', tenant.campaignId], { launcher: asOldNode });
    child.stdin.write('phone\n2025550100\n');
    await says(child, 'Columns: ');
    child.kill('SIGINT');
    const { code, stdout } = await done;
    assert.deepEqual([code, stdout], [130, '0 rows: 0 created, 0 updated, 0 failed\n']);
  });
});

function says(child: ChildProcessWithoutNullStreams, words: string): Promise<void> {
  return new Promise((resolve) => {
    child.stderr.on('data', (chunk) => String(chunk).includes(words) && resolve());
  });
}

type Behaviour = 200 | 409 | 429 | 503 | undefined;

/**
 * Between the command and the service: answers each batch as told (undefined: passes it on and
 * hangs up instead of answering), then passes the rest on. Remembers the idempotency keys.
 */
async function startProxy(behaviours: Behaviour[], beforeAnswer = async () => {}) {
  const keys: unknown[] = [];
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const isBatch = request.method === 'POST';
    if (isBatch) keys.push(request.headers['idempotency-key']);
    const behaviour = isBatch && behaviours.length > 0 ? behaviours.shift() : 200;
    const json = { 'content-type': 'application/json', 'retry-after': '0' };
    if (behaviour !== 200 && behaviour !== undefined) {
      response.writeHead(behaviour, json).end('{"code":"idempotency_in_progress"}');
      return;
    }
    const init = { method: request.method ?? '', headers: withoutHops(request.headers), ...(isBatch && { body }) };
    const answer = await fetch(service.url + request.url, init);
    if (behaviour === undefined) request.socket.destroy();
    if (isBatch) await beforeAnswer();
    response.writeHead(answer.status, json).end(await answer.text());
  }).listen(0, '127.0.0.1');
  after(() => proxy.close());
  await new Promise((resolve) => proxy.once('listening', resolve));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, keys };
}

function withoutHops({ host, connection, 'content-length': length, ...headers }: IncomingHttpHeaders) {
  return headers as Record<string, string>;
}

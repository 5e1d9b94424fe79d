import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callScope } from '../../src/domain/account.ts';
import type { CallResource } from '../../src/domain/call.ts';
import { outcomeSchema } from '../../src/domain/outcome.ts';
import { freePort } from '../../src/free-port.ts';
import {
  postmasterPid,
  type Running,
  readCredentialsOf,
  spawnParley,
  temporaryDataDir,
  until,
} from '../harness/process.ts';
import { send } from '../harness/service.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';
import { freePortPair, host, startPeer, temporaryFolder } from '../interop/peer.ts';
import { answer, ask, expect, receive } from '../interop/sipp/sipp.ts';

// The full run is FAULT_ROUNDS=20, with 1,000 calls.
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 20);
const callsInAll = Number(process.env['FAULT_CALLS'] ?? (rounds < 20 ? 60 : 1_000));
const seed = Number(process.env['FAULT_SEED'] ?? 1);

describe('kill -9 while calls are placed', () => {
  it(`${callsInAll} calls, ${rounds} kills: each accepted call ends and is told of, none is dialled twice`, async (t) => {
    let parley: Running | undefined;
    t.after(() => parley?.stop('SIGKILL')); // before its database goes, which it would start again
    const dataDir = await temporaryDataDir();
    const callee = await startCallee();
    const receiver = await startReceiver();
    const random = seededRandom(seed);
    const env = {
      PARLEY_SIP_TRUNK: `sip:${host}:${callee.port}`,
      PARLEY_SIP_HOST: host,
      PARLEY_SIP_PORT: String(await freePortPair()),
      PARLEY_MAX_CALLS: '20',
      PARLEY_WEBHOOK_PRIVATE: 'yes',
      PARLEY_LOG_LEVEL: 'warn',
    };
    const port = await freePort();
    const start = async () => (await spawnParley(dataDir, { port, env })).ready();
    const accepted = new Map<string, string>();
    const numbers = Array.from({ length: callsInAll }, (_, index) => `+1202556${String(index).padStart(4, '0')}`);
    const perRound = Math.ceil(callsInAll / rounds);

    parley = await start();
    await subscribe(dataDir, receiver.url);
    for (let round = 1; round <= rounds; round++) {
      const share = numbers.splice(0, perRound);
      const load = placeCalls(dataDir, share, accepted).catch(() => {}); // the kill may come before its token
      await sleep(300 + random() * 2_500);
      await kill(parley, dataDir, round % 2 === 0);
      await load;
      numbers.unshift(...share);
      parley = await start();
    }
    await placeCalls(dataDir, numbers, accepted);
    const calls = await allEnded(dataDir);
    const ofId = new Map(calls.map((call) => [call.callId, call]));
    assert.ok(accepted.size >= callsInAll - 2 * rounds, `there was a load: ${accepted.size} accepted`);
    const dialled = await callee.dialled();
    for (const [callId, number] of accepted) {
      const call = ofId.get(callId);
      assert.ok(call, 'an accepted call is not lost');
      assert.ok(outcomeSchema.safeParse(call.outcome).success, JSON.stringify(call.outcome));
      const invites = dialled.get(number)?.size ?? 0;
      assert.ok(invites <= 1, `${number} was dialled ${invites} times`);
      assert.equal(call.attempts <= 1, true);
      // Only a kill may come between the decision to dial and the INVITE.
      if (call.outcome?.kind !== 'interrupted') assert.equal(invites, 1, `${number}: ${call.outcome?.kind}`);
    }
    assert.ok([...dialled.values()].every((invites) => invites.size === 1));
    await until(() => {
      const told = new Set(receiver.received.map(({ id }) => id));
      return calls.every(({ callId }) => told.has(`${callId}-ended`));
    });
    assert.equal(await parley.stop(), 0);
    const kinds = Object.groupBy(calls, ({ outcome }) => outcome?.kind ?? 'none');
    t.diagnostic(
      `${accepted.size} accepted: ${Object.entries(kinds).map(([kind, list]) => `${list?.length} ${kind}`)}`,
    );
    t.diagnostic(`${dialled.size} numbers dialled, ${receiver.received.length} webhooks for ${calls.length} calls`);
    assert.ok((kinds['busy']?.length ?? 0) > 0, 'somebody was busy');
  });
});

/**
 * Everybody is busy, but for those whose number ends in 7: they answer, listen for a second and hang up. Nobody
 * minds a caller who is not heard of again.
 */
async function startCallee(): Promise<{ port: number; dialled: () => Promise<Map<string, Set<string>>> }> {
  const folder = await temporaryFolder('callee');
  const remember = (header: string, name: string, regexp = '.*') =>
    `<ereg regexp="${regexp}" search_in="hdr" header="${header}:" assign_to="${name}"/>`;
  const actions = [remember('From', 'from'), remember('To', 'to'), remember('To', 'answers', '7@')];
  const patience = 'timeout="4000" ontimeout="9"';
  const steps = [
    `<recv request="INVITE" crlf="true" next="1" test="answers"><action>${actions.join('')}</action></recv>`,
    '<Reference variables="from,to,answers"/>',
    answer('486 Busy Here'),
    receive('ACK', `next="9" ${patience}`),
    '<label id="1"/>',
    answer('180 Ringing'),
    answer('200 OK', { body: true, retransmit: true }),
    receive('ACK', patience),
    '<pause milliseconds="1000"/>',
    ask('BYE', 1),
    expect(200, patience),
    '<label id="9"/>',
    '<nop/>',
  ];
  const scenario = join(folder, 'scenario.xml');
  const xml = `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="callee">\n${steps.join('\n')}\n</scenario>\n`;
  await writeFile(scenario, xml);
  const port = await freePort();
  const log = join(folder, 'messages.log');
  const tracing = ['-trace_msg', '-message_file', log];
  const sipp = startPeer('sipp', ['-sf', scenario, '-i', host, '-p', String(port), '-nostdin', '-aa', ...tracing]);
  await sipp.listens('udp', port);
  return {
    port,
    // A retransmission has the Call-ID of the first: only a new one is a second call.
    dialled: async () => {
      const invites = new Map<string, Set<string>>();
      for (const message of (await readFile(log, 'utf8')).split(/^-{20,}.*$/m)) {
        const number = /message received.*\s+INVITE sip:(\+\d+)@/.exec(message)?.[1];
        const callId = /^Call-ID: *(\S+)/im.exec(message)?.[1];
        if (number && callId) invites.set(number, (invites.get(number) ?? new Set()).add(callId));
      }
      return invites;
    },
  };
}

async function subscribe(dataDir: string, url: string): Promise<void> {
  const { baseUrl, apiKey } = await readCredentialsOf(dataDir);
  const json = { url, events: ['call.ended'] };
  const made = await send('POST', `${baseUrl}/api/v1/webhooks`, { headers: { 'x-api-key': apiKey }, json });
  assert.equal(made.status, 201);
}

/** Until the service is killed: what was answered is what was promised, and `numbers` keeps what was not sent. */
async function placeCalls(dataDir: string, numbers: string[], accepted: Map<string, string>): Promise<void> {
  const { baseUrl, clientId, clientSecret, fromPhoneNumber } = await readCredentialsOf(dataDir);
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: callScope };
  const answered = await fetch(`${baseUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token } = (await answered.json()) as { access_token: string };
  const place = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const json = { name: 'Ada', toPhoneNumber: number, fromPhoneNumber, formInfo: [] };
      const headers = { authorization: `Bearer ${access_token}` };
      const { status, body } = await send('POST', `${baseUrl}/outbound`, { headers, json });
      if (status === 200) accepted.set(body.callId, number);
      await sleep(20);
    }
  };
  await Promise.allSettled([place(), place()]);
}

async function kill(parley: Running, dataDir: string, databaseToo: boolean): Promise<void> {
  const pid = await postmasterPid(dataDir);
  await parley.stop('SIGKILL');
  if (databaseToo && pid) process.kill(pid, 'SIGKILL');
}

async function allEnded(dataDir: string): Promise<CallResource[]> {
  const { baseUrl, apiKey } = await readCredentialsOf(dataDir);
  for (;;) {
    const calls: CallResource[] = [];
    let cursor: string | null = null;
    do {
      const url = `${baseUrl}/api/v1/calls?limit=200${cursor ? `&cursor=${cursor}` : ''}`;
      const { body } = await send('GET', url, { headers: { 'x-api-key': apiKey } });
      calls.push(...body.data);
      cursor = body.nextCursor;
    } while (cursor);
    if (calls.every(({ status }) => status === 'ended')) return calls;
    await sleep(200);
  }
}

/** Mulberry32: the same moments for the same seed. */
function seededRandom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

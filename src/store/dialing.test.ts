import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import { v7 as newId } from 'uuid';
import { callBody, startService, type Tenant } from '../../test/harness/service.ts';
import { type OutboundCall, toCallResource } from '../domain/call.ts';
import type { CallEvent } from '../domain/call-event.ts';
import type { CallResult } from '../domain/call-result.ts';
import { webhookEvents } from '../domain/webhook.ts';
import { deleteAccount, setMaxCalls } from './accounts.ts';
import { createAgent, patchAgent } from './agents.ts';
import { addCallEvent, callEventsAfter } from './call-events.ts';
import { acceptCalls, findCall } from './calls.ts';
import { openPool } from './database.ts';
import {
  abandonCall,
  beginDialling,
  type CallsToClaim,
  claimCalls,
  finishCall,
  markAnswered,
  markRinging,
  releaseAllBut,
  releaseCall,
} from './dialing.ts';
import { joinNode, keepNodeAlive, leaveNode, recoverCalls } from './nodes.ts';
import { recordOptOut } from './opt-outs.ts';
import { createWebhook } from './webhook-endpoints.ts';

const { db, databaseUrl, newTenant } = await startService();
const trunk = 'sip:trunk.example.com';

afterEach(() => db.query('TRUNCATE calls, nodes, opt_outs, call_events, deliveries'));

async function newNode(ofTrunk = trunk): Promise<string> {
  const id = randomUUID();
  await joinNode(db, { id, label: 'test', trunk: ofTrunk });
  return id;
}

async function accept(tenant: Tenant, count: number, changes: Partial<OutboundCall> = {}): Promise<string[]> {
  const calls = Array.from({ length: count }, () => {
    const call = callBody(tenant, changes) as OutboundCall;
    return { clientId: tenant.clientId, id: newId(), call };
  });
  const accepted = await acceptCalls(db, calls);
  assert.ok(accepted.every(({ kind }) => kind === 'accepted'));
  return calls.map(({ id }) => id);
}

async function claim(nodeId: string, wanted: Partial<CallsToClaim> = {}): Promise<string[]> {
  const calls = await claimCalls(db, { nodeId, limit: 100, trunk, trunkMaxCalls: undefined, ...wanted });
  return calls.map(({ id }) => id);
}

/** An account with one call, which the node has claimed. */
async function claimedCall() {
  const tenant = await newTenant();
  await createWebhook(
    db,
    tenant.accountId,
    { url: 'https://example.com/hook', description: '', events: [...webhookEvents] },
    'whsec_c2VjcmV0',
  );
  const node = await newNode();
  const [callId = ''] = await accept(tenant, 1);
  assert.deepEqual(await claim(node), [callId]);
  return { tenant, node, callId };
}

const row = async (callId: string) => (await db.query('SELECT * FROM calls WHERE id = $1', [callId])).rows[0];
const statusOf = async (callId: string) => (await row(callId)).status;

/** The ids of the webhooks, which say what happened to which call. */
async function told(tenant: Tenant): Promise<string[]> {
  const { rows } = await db.query('SELECT event_id FROM deliveries WHERE account_id = $1 ORDER BY id', [
    tenant.accountId,
  ]);
  return rows.map(({ event_id }) => event_id);
}

async function eventsOf({ accountId }: Tenant, callId: string): Promise<CallEvent[]> {
  const stored = await callEventsAfter(db, { accountId, callId, after: '0', limit: 100 });
  return stored.map(({ event }) => event);
}

const result: CallResult = {
  outcome: {
    kind: 'completed',
    side: 'callee',
    retryable: false,
    endedBy: 'assistant',
    sipStatus: 200,
    reason: 'The conversation came to its end.',
  },
  answeredAt: new Date('2026-03-01T12:00:00.000Z'),
  endedAt: new Date('2026-03-01T12:01:00.000Z'),
  transcript: [{ speaker: 'assistant', text: 'Hello', startMs: 0, endMs: 500, interrupted: false }],
  answers: [{ question: 'Why?', status: 'answered', answer: 'Yes', value: true, turn: 1, confidence: 0.9 }],
  rules: [{ rule: 'Be kind.', kept: true, turn: null }],
  summary: 'All went well.',
  hasRecording: true,
  latency: { introductionMs: 300, turns: [], audioMs: { p50: 400, p95: 800 } },
  quality: {
    codec: 'PCMU',
    encrypted: false,
    lossPercent: 0,
    jitterMs: 1,
    roundTripMs: null,
    peerLossPercent: null,
    peerJitterMs: null,
    concealedMs: 0,
  },
  callbackAt: new Date('2026-03-02T09:00:00.000Z'),
  notes: ['The voice was away.'],
};

describe('claimCalls', () => {
  it('gives what it takes to place a call, the oldest first, and each once', async () => {
    const tenant = await newTenant();
    const node = await newNode();
    const ids = await accept(tenant, 3, { customQuestions: ['Why?'], introNotes: 'Be brief' });
    const [call, ...others] = await claimCalls(db, { nodeId: node, limit: 2, trunk, trunkMaxCalls: undefined });
    assert.deepEqual(call, {
      id: ids[0],
      accountId: tenant.accountId,
      campaignId: null,
      request: { ...callBody(tenant), customQuestions: ['Why?'], introNotes: 'Be brief' },
      questions: ['Why?'],
      rules: ['Default rule.'],
      agent: { name: 'Robin', company: 'Acme', voice: 'slt', language: 'en-US' },
    });
    assert.deepEqual(
      others.map(({ id }) => id),
      [ids[1]],
    );
    const { status, node_id, dialed_at, attempts } = await row(ids[0] ?? '');
    assert.deepEqual(
      { status, node_id, dialed_at, attempts },
      { status: 'dialing', node_id: node, dialed_at: null, attempts: 0 },
    );
    assert.deepEqual(await claim(node), [ids[2]]);
    assert.deepEqual(await claim(node), []);
  });

  it('leaves what is not due yet, and what belongs to a closed account', async () => {
    const tenant = await newTenant();
    const node = await newNode();
    const [later = '', now = ''] = await accept(tenant, 2);
    await db.query(`UPDATE calls SET due_at = now() + interval '1 minute' WHERE id = $1`, [later]);
    const closed = await newTenant();
    await accept(closed, 1);
    await db.query('UPDATE accounts SET deleted_at = now() WHERE id = $1', [closed.accountId]);
    assert.deepEqual(await claim(node), [now]);
    await db.query('UPDATE calls SET due_at = now() WHERE id = $1', [later]);
    assert.deepEqual(await claim(node), [later]);
  });

  it('keeps to the limits of account and agent over all nodes, for calls in every state', async () => {
    const tenant = await newTenant();
    const [first, second] = [await newNode(), await newNode()];
    const ids = await accept(tenant, 9);
    await setMaxCalls(db, tenant.accountId, 3);
    assert.deepEqual(await claim(first, { limit: 2 }), ids.slice(0, 2));
    await beginDialling(db, first, ids[0] ?? '');
    await markAnswered(db, first, ids[0] ?? '', new Date());
    assert.deepEqual(await claim(second), [ids[2]]);
    assert.deepEqual(await claim(second), []);
    await finishCall(db, first, ids[0] ?? '', result);
    assert.deepEqual(await claim(second), [ids[3]]);

    await setMaxCalls(db, tenant.accountId, null);
    await patchAgent(db, tenant.accountId, tenant.agentId, { maxCalls: 4 });
    assert.deepEqual(await claim(second), [ids[4]]);
    const other = await createAgent(db, tenant.accountId, {
      phoneNumber: '+12025558000',
      name: 'Alex',
      company: '',
      voice: 'slt',
      language: 'en-US',
      defaultQuestions: [],
      defaultRules: [],
    });
    const fromOther = await accept({ ...tenant, fromPhoneNumber: '+12025558000' }, 1);
    assert.ok(other);
    assert.deepEqual(await claim(second), fromOther);
  });

  it('keeps to the limit of an account whose calls are spread over several agents', async () => {
    const tenant = await newTenant();
    const node = await newNode();
    await createAgent(db, tenant.accountId, {
      phoneNumber: '+12025558001',
      name: 'Alex',
      company: '',
      voice: 'slt',
      language: 'en-US',
      defaultQuestions: [],
      defaultRules: [],
    });
    const ids = await accept(tenant, 2);
    ids.push(...(await accept({ ...tenant, fromPhoneNumber: '+12025558001' }, 2)));
    await setMaxCalls(db, tenant.accountId, 3);
    assert.deepEqual(await claim(node), ids.slice(0, 3));
  });

  it('keeps to the limit of a trunk over all nodes that share it', async () => {
    const [first, second, elsewhere] = [await newNode(), await newNode(), await newNode('sip:other.example.com')];
    const ids = await accept(await newTenant(), 9);
    assert.equal((await claim(first, { trunkMaxCalls: 3, limit: 2 })).length, 2);
    assert.equal((await claim(second, { trunkMaxCalls: 3 })).length, 1);
    assert.equal((await claim(first, { trunkMaxCalls: 3 })).length, 0);
    assert.equal((await claim(elsewhere, { trunk: 'sip:other.example.com', trunkMaxCalls: 3 })).length, 3);
    await finishCall(db, first, ids[0] ?? '', result);
    assert.equal((await claim(second, { trunkMaxCalls: 3 })).length, 1);
  });

  it('takes turns between accounts: a long queue does not hold up a short one', async () => {
    const [large, small, node] = [await newTenant(), await newTenant(), await newNode()];
    const many = await accept(large, 10);
    const few = await accept(small, 2);
    assert.deepEqual(await claim(node, { limit: 5 }), [many[0], few[0], many[1], few[1], many[2]]);
  });

  it('gives a place that is free to whoever has the fewest calls under way', async () => {
    const [large, small, node] = [await newTenant(), await newTenant(), await newNode()];
    const many = await accept(large, 10);
    assert.deepEqual(await claim(node, { limit: 3 }), many.slice(0, 3));
    const few = await accept(small, 4);
    assert.deepEqual(await claim(node, { limit: 1 }), [few[0]]);
    assert.deepEqual(await claim(node, { limit: 3 }), [few[1], few[2], many[3]]);
  });

  it('with more accounts than places, whoever was served last waits longest', async () => {
    const [one, two, three, node] = [await newTenant(), await newTenant(), await newTenant(), await newNode()];
    const queues = [await accept(one, 2), await accept(two, 2), await accept(three, 2)];
    const servedLast = [one.accountId, three.accountId];
    assert.deepEqual(await claim(node, { limit: 1, servedLast }), [queues[1]?.[0]]);
    const [placed = ''] = queues[1] ?? [];
    await abandonCall(db, node, placed, result.outcome);
    servedLast.push(two.accountId);
    assert.deepEqual(await claim(node, { limit: 1, servedLast }), [queues[0]?.[0]]);
  });

  it('gives nothing to a node that was taken for dead', async () => {
    const node = await newNode();
    const ids = await accept(await newTenant(), 1);
    await leaveNode(db, node);
    assert.deepEqual(await claim(node), []);
    await joinNode(db, { id: node, label: 'test', trunk });
    assert.deepEqual(await claim(node), ids);
  });

  it('passes over a call that somebody is cancelling', async () => {
    const node = await newNode();
    const [held = '', free = ''] = await accept(await newTenant(), 2);
    const other = await db.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM calls WHERE id = $1 FOR UPDATE', [held]);
    assert.deepEqual(await claim(node), [free]);
    await other.query('COMMIT');
    other.release();
    assert.deepEqual(await claim(node), [held]);
  });

  it('is one at a time: many that claim at once never exceed a limit and never get the same call', async () => {
    const tenant = await newTenant();
    await setMaxCalls(db, tenant.accountId, 7);
    await accept(tenant, 50);
    const others = await accept(await newTenant(), 20);
    const nodes = await Promise.all(Array.from({ length: 8 }, () => newNode()));
    const claimed = (await Promise.all(nodes.map((node) => claim(node, { limit: 5 })))).flat();
    assert.equal(new Set(claimed).size, claimed.length);
    assert.equal(claimed.filter((id) => !others.includes(id)).length, 7);
    assert.equal(claimed.length, 27);
  });

  const knowledge = ['nothing', 'all', 'a plan from when there was one', 'that all had ended'] as const;
  for (const known of knowledge) {
    it(`costs no more with 20,000 queued calls than with 200; PostgreSQL knows ${known}`, async () => {
      const tenant = await newTenant();
      const node = await newNode();
      const one = openPool({ url: databaseUrl, connections: 1, onError: () => {} });
      const rowsRead = async () => {
        await one.query('SELECT pg_stat_force_next_flush()');
        const { rows } = await one.query(`SELECT t.seq_tup_read + t.idx_tup_fetch + sum(i.idx_tup_read) AS count
          FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid) WHERE t.relname = 'calls'
          GROUP BY t.seq_tup_read, t.idx_tup_fetch`);
        return Number(rows[0].count);
      };
      const readToClaim = async () => {
        if (known === 'all') await one.query('ANALYZE calls');
        const before = await rowsRead();
        const claimed = await claimCalls(one, { nodeId: node, limit: 10, trunk, trunkMaxCalls: 1_000 });
        assert.equal(claimed.length, 10);
        const cost = (await rowsRead()) - before;
        for (const { id } of claimed) await abandonCall(db, node, id, result.outcome);
        return cost;
      };
      if (known === 'a plan from when there was one') {
        await accept(tenant, 1);
        await one.query('ANALYZE calls');
        for (let time = 0; time < 10; time++) {
          await claimCalls(one, { nodeId: node, limit: 10, trunk, trunkMaxCalls: 1_000 });
          await releaseAllBut(one, node, []);
        }
      }
      if (known === 'that all had ended') {
        await accept(tenant, 1_000);
        await db.query(`UPDATE calls SET status = 'ended', ended_at = now(), outcome = $1`, [result.outcome]);
        await one.query('VACUUM ANALYZE calls');
      }
      await accept(tenant, 200);
      const small = await readToClaim();
      for (let batch = 0; batch < 20; batch++) await accept(tenant, 1_000);
      const large = await readToClaim();
      await one.end();
      assert.ok(small > 10, `it counts: ${small}`);
      assert.ok(large <= small + 40, `${small} rows, then ${large}`);
    });
  }
});

describe('beginDialling', () => {
  it('lets a call be dialled once, writes it down and tells of it', async () => {
    const { tenant, node, callId } = await claimedCall();
    const now = new Date('2026-03-01T12:00:00.000Z');
    assert.equal(await beginDialling(db, node, callId, now), 'dial');
    assert.equal(await beginDialling(db, node, callId), 'gone');
    const { dialed_at, attempts, status } = await row(callId);
    assert.deepEqual({ dialed_at, attempts, status }, { dialed_at: now, attempts: 1, status: 'dialing' });
    assert.deepEqual(await told(tenant), [`${callId}-started`]);
    assert.deepEqual(await eventsOf(tenant, callId), [{ type: 'dialing' }]);
    const { rows } = await db.query('SELECT type, payload FROM deliveries');
    assert.equal(rows[0].type, 'call.started');
    assert.deepEqual([rows[0].payload.data.callId, rows[0].payload.data.attempts], [callId, 1]);
  });

  it('says gone to whoever does not have the call', async () => {
    const { tenant, node, callId } = await claimedCall();
    assert.equal(await beginDialling(db, await newNode(), callId), 'gone');
    await releaseCall(db, node, callId);
    assert.equal(await beginDialling(db, node, callId), 'gone');
    assert.deepEqual(await told(tenant), []);
  });

  it('of two at the same moment one dials', async () => {
    const { node, callId } = await claimedCall();
    const said = await Promise.all([1, 2, 3].map(() => beginDialling(db, node, callId)));
    assert.deepEqual(said.toSorted(), ['dial', 'gone', 'gone']);
  });

  it('ends the call where the person asked this account not to be called again', async () => {
    const { tenant, node, callId } = await claimedCall();
    const elsewhere = await newTenant();
    const optOut = { callId: newId(), phoneNumber: '+12025550100', campaignId: null };
    await recordOptOut(db, { ...optOut, accountId: elsewhere.accountId });
    await recordOptOut(db, { ...optOut, accountId: tenant.accountId });
    await db.query('DELETE FROM deliveries');
    assert.equal(await beginDialling(db, node, callId), 'blocked');
    const call = await findCall(db, tenant.accountId, callId);
    assert.equal(call?.status, 'ended');
    assert.deepEqual([call?.outcome?.kind, call?.outcome?.side, call?.attempts], ['blocked', 'policy', 0]);
    assert.deepEqual(await told(tenant), [`${callId}-ended`]);
    assert.deepEqual(await eventsOf(tenant, callId), [{ type: 'ended', outcome: call?.outcome }]);
    assert.equal(await beginDialling(db, node, callId), 'gone');
  });

  it('ends the call where the account was closed after it was claimed', async () => {
    const { tenant, node, callId } = await claimedCall();
    await deleteAccount(db, tenant.accountId);
    assert.equal(await beginDialling(db, node, callId), 'blocked');
    assert.equal((await row(callId)).outcome.reason, 'The account was closed.');
  });
});

describe('a call under way', () => {
  it('rings and is answered, and each is told once', async () => {
    const { tenant, node, callId } = await claimedCall();
    const answeredAt = new Date('2026-03-01T12:00:05.000Z');
    await beginDialling(db, node, callId);
    await markRinging(db, node, callId);
    assert.equal(await statusOf(callId), 'ringing');
    await markAnswered(db, node, callId, answeredAt);
    await markRinging(db, node, callId);
    await markAnswered(db, node, callId, new Date());
    const { status, answered_at } = await row(callId);
    assert.deepEqual({ status, answered_at }, { status: 'in_progress', answered_at: answeredAt });
    assert.deepEqual(await told(tenant), [`${callId}-started`, `${callId}-answered`]);
    assert.deepEqual(
      (await eventsOf(tenant, callId)).map(({ type }) => type),
      ['dialing', 'ringing', 'answered'],
    );
  });

  it('is not touched by a node that does not have it', async () => {
    const { tenant, node, callId } = await claimedCall();
    const other = await newNode();
    await beginDialling(db, node, callId);
    await markRinging(db, other, callId);
    await markAnswered(db, other, callId, new Date());
    await releaseCall(db, other, callId);
    await releaseCall(db, node, callId); // dialled
    assert.equal(await finishCall(db, other, callId, result), false);
    await abandonCall(db, other, callId, result.outcome);
    assert.equal(await statusOf(callId), 'dialing');
    assert.deepEqual(await told(tenant), [`${callId}-started`]);
  });

  it('ends with all that it leaves behind, once', async () => {
    const { tenant, node, callId } = await claimedCall();
    await beginDialling(db, node, callId);
    await markAnswered(db, node, callId, result.answeredAt as Date);
    assert.equal(await finishCall(db, node, callId, result), true);
    assert.equal(await finishCall(db, node, callId, result), false);
    const call = await findCall(db, tenant.accountId, callId);
    assert.ok(call);
    const { outcome, answeredAt, endedAt, ...rest } = result;
    assert.deepEqual(
      [call.status, call.outcome, call.answeredAt, call.endedAt],
      ['ended', outcome, answeredAt, endedAt],
    );
    assert.deepEqual(call.result, rest);
    assert.equal((await row(callId)).node_id, null);
    assert.deepEqual(
      await told(tenant),
      ['started', 'answered', 'ended'].map((what) => `${callId}-${what}`),
    );
    const { rows } = await db.query(`SELECT payload FROM deliveries WHERE type = 'call.ended'`);
    assert.deepEqual(rows[0].payload.data.answers, toCallResource(call).answers);
    assert.deepEqual((await eventsOf(tenant, callId)).at(-1), { type: 'ended', outcome });
  });

  it('that was not dialled goes back to its place in the queue', async () => {
    const { tenant, node, callId } = await claimedCall();
    const [younger] = await accept(tenant, 1);
    await releaseCall(db, node, callId);
    assert.deepEqual(await claim(node), [callId, younger]);
  });

  it('of a closed account ends when it is given back', async () => {
    const { tenant, node, callId } = await claimedCall();
    await deleteAccount(db, tenant.accountId);
    await releaseCall(db, node, callId);
    assert.equal(await statusOf(callId), 'ended');
  });

  it('that is abandoned waits a while if it was not dialled, else it ends with what was said', async () => {
    const { tenant, node, callId } = await claimedCall();
    await abandonCall(db, node, callId, result.outcome, { againAfterMs: 60_000 });
    assert.equal(await statusOf(callId), 'queued');
    assert.deepEqual(await claim(node), []);
    await db.query('UPDATE calls SET due_at = now()');
    await claim(node);
    await beginDialling(db, node, callId);
    await say(tenant, callId);
    await abandonCall(db, node, callId, result.outcome, { againAfterMs: 60_000 });
    const call = await findCall(db, tenant.accountId, callId);
    assert.deepEqual([call?.status, call?.result.transcript], ['ended', said]);
  });

  it('of which the node does not know goes back to the queue', async () => {
    const tenant = await newTenant();
    const [node, other] = [await newNode(), await newNode()];
    const [held = '', dialled = '', unknown = ''] = await accept(tenant, 3);
    await claim(node);
    const [elsewhere = ''] = await accept(tenant, 1);
    await claim(other);
    await beginDialling(db, node, dialled);
    await releaseAllBut(db, node, [held, dialled]);
    assert.deepEqual(await Promise.all([held, dialled, unknown, elsewhere].map(statusOf)), [
      'dialing',
      'dialing',
      'queued',
      'dialing',
    ]);
  });
});

const said = [
  { speaker: 'assistant' as const, text: 'Hello?', startMs: 0, endMs: 500, interrupted: false },
  { speaker: 'callee' as const, text: 'Yes.', startMs: 700, endMs: 900, interrupted: false },
];

/** Turns are told as they are known, not always in their order. */
async function say({ accountId }: Tenant, callId: string): Promise<void> {
  for (const turn of [1, 0]) {
    const event = { type: 'utterance' as const, turn, ...(said[turn] as (typeof said)[0]) };
    await addCallEvent(db, { accountId, callId, event });
  }
  await addCallEvent(db, { accountId, callId, event: { type: 'note', text: 'Loud' } });
}

describe('recordOptOut', () => {
  it('is kept and told of once', async () => {
    const { tenant, callId } = await claimedCall();
    const optOut = { accountId: tenant.accountId, callId, phoneNumber: '+12025550100', campaignId: tenant.campaignId };
    await Promise.all([recordOptOut(db, optOut), recordOptOut(db, optOut)]);
    await recordOptOut(db, { ...optOut, callId: newId() });
    assert.deepEqual(await told(tenant), [`${callId}-opted-out`]);
    const { rows } = await db.query('SELECT type, payload FROM deliveries');
    const { accountId, ...data } = optOut;
    assert.deepEqual([rows[0].type, rows[0].payload.data], ['contact.opted_out', data]);
  });
});

describe('recoverCalls', () => {
  const silentFor = (node: string, ms: number) =>
    db.query(`UPDATE nodes SET seen_at = now() - $2 * interval '1 millisecond' WHERE id = $1`, [node, ms]);

  it('queues what was not dialled and ends what was, with what had been said', async () => {
    const { tenant, node, callId: claimed } = await claimedCall();
    const [dialled = ''] = await accept(tenant, 1);
    await claim(node);
    await beginDialling(db, node, dialled);
    await markAnswered(db, node, dialled, new Date());
    await say(tenant, dialled);
    const survivor = await newNode();
    await silentFor(node, 31_000);
    assert.equal(await recoverCalls(db, { exceptNode: survivor, deadAfterMs: 30_000 }), 2);
    assert.equal(await keepNodeAlive(db, node), false);
    assert.deepEqual(await claim(survivor), [claimed]);
    const call = await findCall(db, tenant.accountId, dialled);
    assert.deepEqual([call?.status, call?.outcome?.kind, call?.outcome?.side], ['ended', 'interrupted', 'platform']);
    assert.ok(call?.answeredAt);
    assert.deepEqual(call?.result.transcript, said);
    assert.deepEqual(
      await told(tenant),
      ['started', 'answered', 'ended'].map((what) => `${dialled}-${what}`),
    );
    assert.deepEqual((await eventsOf(tenant, dialled)).at(-1), { type: 'ended', outcome: call?.outcome });
    assert.equal(await finishCall(db, node, dialled, result), false);
    assert.equal(await beginDialling(db, node, claimed), 'gone');
  });

  it('leaves the calls of those who live', async () => {
    const { node, callId } = await claimedCall();
    await silentFor(node, 29_000);
    assert.equal(await recoverCalls(db, { exceptNode: await newNode(), deadAfterMs: 30_000 }), 0);
    assert.equal(await statusOf(callId), 'dialing');
    assert.equal(await keepNodeAlive(db, node), true);
  });

  it('takes all others for dead where the database is ours alone', async () => {
    const { node, callId } = await claimedCall();
    assert.equal(await recoverCalls(db, { exceptNode: randomUUID(), deadAfterMs: 'all others' }), 1);
    assert.equal(await statusOf(callId), 'queued');
    assert.equal(await keepNodeAlive(db, node), false);
  });

  it('finds the calls of a node that is not known at all, but not its own', async () => {
    const { node, callId } = await claimedCall();
    await leaveNode(db, node);
    assert.equal(await recoverCalls(db, { exceptNode: node, deadAfterMs: 30_000 }), 0);
    assert.equal(await recoverCalls(db, { exceptNode: randomUUID(), deadAfterMs: 30_000 }), 1);
    assert.equal(await statusOf(callId), 'queued');
  });

  it('by several nodes at once, of more calls than one batch, treats each once', async () => {
    const { tenant, node } = await claimedCall();
    const ids = await accept(tenant, 120);
    await claim(node, { limit: 120 });
    for (const id of ids) await beginDialling(db, node, id);
    await leaveNode(db, node);
    const survivors = await Promise.all(Array.from({ length: 4 }, () => newNode()));
    const counts = await Promise.all(
      survivors.map((survivor) => recoverCalls(db, { exceptNode: survivor, deadAfterMs: 30_000 })),
    );
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      121,
    );
    const { rows } = await db.query(
      `SELECT c.outcome->>'kind' AS kind, count(*)::integer AS calls, sum(e.ends)::integer AS ends FROM calls c
       LEFT JOIN LATERAL (SELECT count(*) AS ends FROM call_events WHERE call_id = c.id AND type = 'ended') e ON true
       GROUP BY 1 ORDER BY 1`,
    );
    assert.deepEqual(rows, [
      { kind: 'interrupted', calls: 120, ends: 120 },
      { kind: null, calls: 1, ends: 0 },
    ]);
    assert.equal((await told(tenant)).filter((id) => id.endsWith('-ended')).length, 120);
  });
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, afterEach, describe, it } from 'node:test';
import pg from 'pg';
import { v7 as newId } from 'uuid';
import { until } from '../../test/harness/process.ts';
import { callBody, startService, type Tenant } from '../../test/harness/service.ts';
import type { OutboundCall } from '../domain/call.ts';
import type { CallResult } from '../domain/call-result.ts';
import type { DueCall } from '../domain/due-call.ts';
import { webhookEvents } from '../domain/webhook.ts';
import { sendCommand } from '../store/call-commands.ts';
import { acceptCallOnce, acceptCalls } from '../store/calls.ts';
import { type DatabasePool, openPool } from '../store/database.ts';
import { beginDialling, finishCall } from '../store/dialing.ts';
import { createWebhook } from '../store/webhook-endpoints.ts';
import type { CallControl } from './call-control.ts';
import { type Dialer, openDialer } from './dialer.ts';

const { db, databaseUrl, newTenant } = await startService();
const trunk = 'sip:trunk.example.com';
// Longer than any test: what happens then was not found by looking.
const neverMs = 10 * 60_000;

const opened: Dialer[] = [];
const errors: unknown[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((dialer) => dialer.close({ drainMs: 0 })));
  await db.query('TRUNCATE calls, nodes, call_events, call_commands, deliveries');
  assert.deepEqual(errors.splice(0), []);
});

type Options = Parameters<typeof openDialer>[0];

async function open(options: Partial<Options> & Pick<Options, 'placeCall'>): Promise<Dialer & { nodeId: string }> {
  const nodeId = options.nodeId ?? randomUUID();
  const dialer = await openDialer({
    db,
    nodeId,
    label: 'test',
    trunk,
    maxCalls: 100,
    isExclusive: false,
    onError: (error) => errors.push(error),
    ...options,
  });
  opened.push(dialer);
  return Object.assign(dialer, { nodeId });
}

async function accept(tenant: Tenant, count: number): Promise<string[]> {
  const calls = Array.from({ length: count }, () => {
    return { clientId: tenant.clientId, id: newId(), call: callBody(tenant) as OutboundCall };
  });
  await acceptCalls(db, calls);
  return calls.map(({ id }) => id);
}

const busy = (): CallResult => ({
  outcome: {
    kind: 'busy',
    side: 'callee',
    retryable: true,
    endedBy: 'callee',
    sipStatus: 486,
    reason: 'Busy Here',
  },
  answeredAt: null,
  endedAt: new Date(),
  transcript: [],
  answers: [],
  rules: [],
  summary: null,
  hasRecording: false,
  latency: null,
  quality: null,
  callbackAt: null,
  notes: [],
});

/** A telephone whose calls are all busy, and who was dialled. */
function busyLine(pool: DatabasePool = db) {
  const dialled: string[] = [];
  const placeCallOf = (nodeId: string) => async (call: DueCall) => {
    if ((await beginDialling(pool, nodeId, call.id)) !== 'dial') return;
    dialled.push(call.id);
    await finishCall(pool, nodeId, call.id, busy());
  };
  return { dialled, placeCallOf };
}

/** A telephone whose calls last until they are stopped; they are then as they were. */
function longLine() {
  const controls = new Map<string, CallControl>();
  const placeCall = async ({ id }: DueCall, control: CallControl) => {
    controls.set(id, control);
    if (!control.signal.aborted) await once(control.signal, 'abort');
  };
  return { controls, placeCall, holds: (count: number) => until(() => controls.size === count) };
}

async function kinds(): Promise<Record<string, number>> {
  const { rows } = await db.query(
    `SELECT coalesce(outcome->>'kind', status) AS kind, count(*)::integer AS calls FROM calls GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ kind, calls }) => [kind, calls]));
}

const allEnded = (count: number) => until(async () => (await kinds())['busy'] === count);

describe('openDialer', () => {
  it('8 dialers, 500 calls: each is dialled exactly once', async () => {
    const tenants = [await newTenant(), await newTenant(), await newTenant()];
    for (const tenant of tenants) await accept(tenant, 100);
    const { dialled, placeCallOf } = busyLine();
    for (let node = 0; node < 8; node++) {
      const nodeId = randomUUID();
      await open({ nodeId, maxCalls: 7, placeCall: placeCallOf(nodeId) });
    }
    const last = tenants[0] as Tenant;
    await Promise.all(Array.from({ length: 20 }, () => accept(last, 10)));
    await allEnded(500);
    assert.equal(dialled.length, 500);
    assert.equal(new Set(dialled).size, 500);
    const { rows } = await db.query('SELECT count(*)::integer AS calls FROM calls WHERE attempts <> 1');
    assert.equal(rows[0].calls, 0);
  });

  it('is woken by an accepted call, with an idempotency key or without', async () => {
    const tenant = await newTenant();
    const { dialled, placeCallOf } = busyLine();
    const nodeId = randomUUID();
    const first = await accept(tenant, 1);
    await open({ nodeId, placeCall: placeCallOf(nodeId), pollMs: neverMs });
    await allEnded(1);
    await isListening('calls');
    const second = await accept(tenant, 1);
    await allEnded(2);
    const third = await accept(tenant, 1); // the one before may have been found as the listener came
    await allEnded(3);
    const acceptance = { callId: newId(), status: 'queued' as const, message: '', warnings: [] };
    const request = { operation: 'POST /outbound', key: randomUUID(), bodyHash: Buffer.alloc(32) };
    await acceptCallOnce(db, tenant.clientId, callBody(tenant) as OutboundCall, request, acceptance);
    await allEnded(4);
    assert.deepEqual(dialled, [...first, ...second, ...third, acceptance.callId]);
  });

  it('finds by itself what falls due later', async () => {
    const { placeCallOf } = busyLine();
    const nodeId = randomUUID();
    const [id] = await accept(await newTenant(), 1);
    await db.query(`UPDATE calls SET due_at = now() + interval '300 milliseconds' WHERE id = $1`, [id]);
    await open({ nodeId, placeCall: placeCallOf(nodeId), pollMs: 20 });
    await allEnded(1);
    const { rows } = await db.query('SELECT dialed_at >= date_trunc($1, due_at) AS waited FROM calls', [
      'milliseconds',
    ]);
    assert.equal(rows[0].waited, true);
  });

  it('has no more under way than it may, and takes the next as soon as one ends', async () => {
    const { controls, placeCall, holds } = longLine();
    const dialer = await open({
      maxCalls: 2,
      pollMs: neverMs,
      placeCall: async (call, control) => {
        await placeCall(call, control);
        await beginDialling(db, dialer.nodeId, call.id);
        await finishCall(db, dialer.nodeId, call.id, busy());
      },
    });
    const ids = await accept(await newTenant(), 3);
    await holds(2);
    assert.equal(dialer.liveCalls, 2);
    assert.deepEqual([...controls.keys()], ids.slice(0, 2));
    controls.get(ids[0] ?? '')?.stop('operator');
    await holds(3);
    assert.equal(dialer.liveCalls, 2);
  });

  it('no failure of a call costs a place or leaves the call open', async () => {
    const tenant = await newTenant();
    const [rejects, throws, forgets, dialledFirst] = await accept(tenant, 4);
    const isDone = new Set<string>();
    const dialer = await open({
      maxCalls: 1,
      pollMs: neverMs,
      placeCall: ((call: DueCall) => {
        isDone.add(call.id);
        if (call.id === throws) throw new Error('thrown');
        return fail(call);
      }) as Options['placeCall'],
    });
    async function fail({ id }: DueCall): Promise<void> {
      if (id === forgets || id === dialledFirst) await beginDialling(db, dialer.nodeId, id);
      if (id !== forgets) throw new Error('rejected');
    }
    await until(() => isDone.size === 4 && dialer.liveCalls === 0);
    assert.equal(errors.splice(0).length, 3);
    const { rows } = await db.query(
      `SELECT id, status, outcome->>'kind' AS kind, due_at > now() + interval '5 seconds' AS later FROM calls ORDER BY id`,
    );
    assert.deepEqual(rows, [
      { id: rejects, status: 'queued', kind: null, later: true },
      { id: throws, status: 'queued', kind: null, later: true },
      { id: forgets, status: 'ended', kind: 'failed', later: false },
      { id: dialledFirst, status: 'ended', kind: 'failed', later: false },
    ]);
    const { rows: reasons } = await db.query(
      `SELECT DISTINCT outcome->>'reason' AS reason FROM calls WHERE outcome IS NOT NULL`,
    );
    assert.ok(reasons.every(({ reason }) => !/rejected/.test(reason)));
  });

  it('gives what an operator wants to the call', async () => {
    const { controls, placeCall, holds } = longLine();
    const tenant = await newTenant();
    const dialer = await open({ placeCall, pollMs: neverMs });
    await isListening('call_commands');
    const [id = '', other = ''] = await accept(tenant, 2);
    await holds(2);
    const control = controls.get(id) as CallControl;
    const said: string[] = [];
    control.onSay = (text) => said.push(text);
    await db.query(`UPDATE calls SET status = 'in_progress'`);
    await sendCommand(db, tenant.accountId, id, { kind: 'say', text: 'Hold on' });
    await until(() => said.length > 0);
    await sendCommand(db, tenant.accountId, id, { kind: 'hang-up' });
    await once(control.signal, 'abort');
    assert.deepEqual([said, control.stopReason], [['Hold on'], 'operator']);
    await until(() => dialer.liveCalls === 1);
    const { rows } = await db.query('SELECT outcome FROM calls WHERE id = $1', [id]);
    assert.deepEqual([rows[0].outcome.kind, rows[0].outcome.endedBy], ['cancelled', 'operator']);
    assert.equal(controls.get(other)?.stopReason, undefined);
  });
});

describe('a dialer that died', () => {
  it('has its undialled calls placed by the next one, and its dialled ones ended as interrupted, once', async () => {
    const tenant = await newTenant();
    await createWebhook(
      db,
      tenant.accountId,
      { url: 'https://example.com/hook', description: '', events: [...webhookEvents] },
      'whsec_c2VjcmV0',
    );
    const { controls, placeCall, holds } = longLine();
    const dead = await open({ placeCall, heartbeatMs: neverMs, pollMs: neverMs });
    const [claimed = '', dialled = ''] = await accept(tenant, 2);
    await holds(2);
    assert.equal(await beginDialling(db, dead.nodeId, dialled), 'dial');

    const { dialled: byNext, placeCallOf } = busyLine();
    const nodeId = randomUUID();
    await open({ nodeId, isExclusive: true, placeCall: placeCallOf(nodeId) });
    await allEnded(1);
    assert.deepEqual(byNext, [claimed]);
    assert.deepEqual(await kinds(), { busy: 1, interrupted: 1 });
    const another = randomUUID();
    await open({ nodeId: another, isExclusive: true, placeCall: placeCallOf(another) });
    const { rows } = await db.query(`SELECT event_id FROM deliveries WHERE type = 'call.ended' ORDER BY event_id`);
    assert.deepEqual(
      rows.map(({ event_id }) => event_id).toSorted(),
      [`${claimed}-ended`, `${dialled}-ended`].toSorted(),
    );
    assert.equal(controls.size, 2);
  });

  it('or only paused finds that its calls are gone', async () => {
    const { placeCall, holds } = longLine();
    const paused = await open({ placeCall, heartbeatMs: neverMs, pollMs: neverMs });
    const [claimed = '', dialled = ''] = await accept(await newTenant(), 2);
    await holds(2);
    await beginDialling(db, paused.nodeId, dialled);
    const { dialled: byOther, placeCallOf } = busyLine();
    const nodeId = randomUUID();
    await open({ nodeId, placeCall: placeCallOf(nodeId), heartbeatMs: 50, deadAfterMs: 400, pollMs: 20 });
    await allEnded(1);
    assert.deepEqual(byOther, [claimed]);
    assert.equal(await beginDialling(db, paused.nodeId, claimed), 'gone');
    assert.equal(await finishCall(db, paused.nodeId, dialled, busy()), false);
    assert.deepEqual(await kinds(), { busy: 1, interrupted: 1 });
  });

  it('in the eyes of others stops its calls and joins again', async () => {
    const { controls, placeCall, holds } = longLine();
    const dialer = await open({ placeCall, heartbeatMs: 20 });
    const [id = ''] = await accept(await newTenant(), 1);
    await holds(1);
    const { signal } = controls.get(id) as CallControl;
    const stopped = once(signal, 'abort');
    await db.query('DELETE FROM nodes');
    await stopped;
    assert.equal(signal.reason, 'stopping');
    await until(async () => (await db.query('SELECT id FROM nodes')).rows[0]?.id === dialer.nodeId);
    await until(() => controls.get(id)?.signal.aborted === false); // taken again, by the same node
  });
});

describe('closing a dialer', () => {
  it('takes nothing more, waits for what is under way, and leaves', async () => {
    const { controls, placeCall, holds } = longLine();
    const tenant = await newTenant();
    const dialer = await open({
      maxCalls: 1,
      placeCall: async (call, control) => {
        await placeCall(call, control);
        await beginDialling(db, dialer.nodeId, call.id);
        await finishCall(db, dialer.nodeId, call.id, busy());
      },
    });
    const [first = ''] = await accept(tenant, 2);
    await holds(1);
    const closed = dialer.close();
    assert.equal(dialer.close(), closed);
    await sendCommand(db, tenant.accountId, first, { kind: 'hang-up' });
    await closed;
    assert.equal(controls.get(first)?.stopReason, 'operator');
    assert.equal(dialer.liveCalls, 0);
    assert.deepEqual(await kinds(), { busy: 1, queued: 1 });
    assert.equal((await db.query('SELECT FROM nodes')).rowCount, 0);
  });

  it('stops what does not end in time; what was not dialled is free for others at once', async () => {
    const { controls, placeCall, holds } = longLine();
    const dialer = await open({ placeCall });
    const [undialled = '', dialled = ''] = await accept(await newTenant(), 2);
    await holds(2);
    await beginDialling(db, dialer.nodeId, dialled);
    await dialer.close({ drainMs: 1 });
    assert.deepEqual(
      [...controls.values()].map(({ stopReason }) => stopReason),
      ['stopping', 'stopping'],
    );
    const { rows } = await db.query('SELECT id, due_at <= now() AS due FROM calls WHERE status = $1', ['queued']);
    assert.deepEqual(rows, [{ id: undialled, due: true }]);
  });
});

describe('a database that is away', () => {
  const name = new URL(databaseUrl).pathname.slice(1);
  const admin = new pg.Client(databaseUrl.replace(name, 'postgres'));
  after(() => admin.end());

  it('is waited for in peace: afterwards every call is dialled once, and none stays open', async () => {
    await admin.connect();
    const pool = openPool({ url: databaseUrl, connections: 10, onError: () => {} });
    const tenant = await newTenant();
    const { dialled, placeCallOf } = busyLine(pool);
    const nodeId = randomUUID();
    const pollMs = 100;
    await open({
      db: pool,
      nodeId,
      maxCalls: 5,
      pollMs,
      heartbeatMs: pollMs,
      isExclusive: true,
      placeCall: placeCallOf(nodeId),
    });
    let idleErrors = 0;
    const onError = () => void idleErrors++;
    const idle = { maxCalls: 1, trunkMaxCalls: 0, trunk: 'sip:idle.example.com', onError };
    await open({ ...idle, db: pool, pollMs, heartbeatMs: pollMs, placeCall: async () => assert.fail() });
    const ids = await accept(tenant, 300);
    await until(() => dialled.length > 20);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await until(() => errors.length > 20);
    const awayFrom = performance.now();
    const before = idleErrors;
    await until(() => performance.now() - awayFrom > 10 * pollMs);
    // It looks for calls and says that it lives, ten times, and tries to listen on two channels once or twice.
    const heard = idleErrors - before;
    assert.ok(heard > 5 && heard <= 25, `${heard} errors in ten rounds`);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await db.query(`UPDATE calls SET due_at = now() WHERE status = 'queued'`);
    await until(async () => {
      await db.query(`UPDATE calls SET due_at = now() WHERE status = 'queued' AND due_at > now()`);
      const { rows } = await db.query(`SELECT FROM calls WHERE status <> 'ended' LIMIT 1`);
      return rows.length === 0;
    });
    assert.equal(new Set(dialled).size, dialled.length);
    const { busy: done = 0, failed = 0, ...others } = await kinds();
    assert.deepEqual([done + failed, others], [ids.length, {}]);
    assert.ok(failed <= 5, `${failed} calls whose result could not be written`);
    await Promise.all(opened.map((dialer) => dialer.close()));
    await pool.end();
    errors.splice(0);
  });
});

/** The dialers listen on a connection of their own; PostgreSQL knows when they do. */
async function isListening(channel: string): Promise<void> {
  await until(async () => {
    const { rows } = await db.query('SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = $1', [
      `LISTEN "${channel}"`,
    ]);
    return rows.length > 0;
  });
}

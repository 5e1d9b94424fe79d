import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../src/clock.ts';
import { isPublicAddress } from '../../src/domain/public-address.ts';
import type { Delivery } from '../../src/domain/webhook.ts';
import { inTransaction } from '../../src/store/database.ts';
import {
  claimDeliveries,
  deliveriesChannel,
  enqueueEvent,
  finishDelivery,
  forgetOldDeliveries,
} from '../../src/store/deliveries.ts';
import { sealingKey } from '../../src/store/sealed.ts';
import { createWebhook } from '../../src/store/webhook-endpoints.ts';
import { mostAttempts } from '../../src/webhooks/judge-attempt.ts';
import { openWebhooks, type Webhooks } from '../../src/webhooks/open-webhooks.ts';
import { runCommand, scratchFolder } from '../harness/command.ts';
import { send, startService, type Tenant } from '../harness/service.ts';
import { StandingClock } from '../harness/standing-clock.ts';
import { type Received, type Receiver, startReceiver } from '../harness/webhook-receiver.ts';

const service = await startService({ allowPrivateWebhooks: true });
const strict = await startService({ databaseUrl: service.databaseUrl });
const { db } = service;
const dayMs = 24 * 60 * 60_000;

function api(tenant: Tenant, method: string, path: string, json?: unknown, base = service.url) {
  return send(method, `${base}/api/v1/webhooks${path}`, {
    headers: { 'x-api-key': tenant.apiKey },
    ...(json !== undefined && { json }),
  });
}

/** An account with one webhook. */
async function setUp(receiver: Receiver, changes: Record<string, unknown> = {}) {
  const tenant = await service.newTenant();
  const { status, body } = await api(tenant, 'POST', '', { url: receiver.url, ...changes });
  assert.equal(status, 201, JSON.stringify(body));
  return { tenant, webhookId: body.webhookId as string, secret: body.secret as string };
}

const errors: unknown[] = [];
const opened = new Set<Webhooks>();

/** A node that delivers, until the test is over. */
async function deliver(options: Partial<Parameters<typeof openWebhooks>[0]> = {}): Promise<Webhooks> {
  const webhooks = await openWebhooks({
    db,
    clock: systemClock,
    allowPrivate: true,
    onError: (error) => errors.push(error),
    ...options,
  });
  opened.add(webhooks);
  return webhooks;
}

async function stop(webhooks: Webhooks): Promise<void> {
  opened.delete(webhooks);
  await webhooks.close();
}

afterEach(async () => {
  await Promise.all([...opened].map(stop));
  assert.deepEqual(errors.splice(0), []);
});

/** Moves a node's clock; a node that is looking just now looks again. */
async function advance(clock: StandingClock, ms: number): Promise<void> {
  clock.advance(ms);
  await db.query(`NOTIFY ${deliveriesChannel}`);
}

function emit(tenant: Tenant, callId: string, extra: { id?: string } = {}) {
  const data = { callId, status: 'ended', outcome: { kind: 'completed' } };
  return enqueueEvent(db, { accountId: tenant.accountId, type: 'call.ended', data, ...extra });
}

async function deliveries(tenant: Tenant, webhookId: string, query = '') {
  return (await api(tenant, 'GET', `/${webhookId}/deliveries${query}`)).body.data;
}

/** The delivery, once it is as wanted: what came of a post is written after the receiver has seen it. */
async function deliveryThat(tenant: Tenant, webhookId: string, is: (delivery: Delivery) => boolean) {
  for (;;) {
    const [delivery] = await deliveries(tenant, webhookId);
    if (delivery && is(delivery)) return delivery;
    await sleep(5);
  }
}

function verify(secret: string, { body, headers }: Received) {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}

describe('/api/v1/webhooks', () => {
  it('creates, shows, lists, changes and deletes; the secret is shown once and stored sealed', async () => {
    const tenant = await service.newTenant();
    const made = await api(tenant, 'POST', '', { url: 'https://Example.com', events: ['call.ended', 'call.ended'] });
    assert.equal(made.status, 201);
    const { secret, ...webhook } = made.body;
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    assert.equal(made.headers.get('location'), `/api/v1/webhooks/${webhook.webhookId}`);
    assert.deepEqual([webhook.url, webhook.events], ['https://example.com/', ['call.ended']]);
    assert.deepEqual([webhook.enabled, webhook.disabledReason], [true, null]);

    const { rows } = await db.query('SELECT * FROM webhook_endpoints WHERE id = $1', [webhook.webhookId]);
    assert.ok(!rows[0].sealed_secret.includes(secret.slice(6, 20)));
    const path = `/${webhook.webhookId}`;
    assert.deepEqual((await api(tenant, 'GET', path)).body, webhook);
    assert.deepEqual((await api(tenant, 'GET', '')).body, { data: [webhook], nextCursor: null });

    const paused = await api(tenant, 'PATCH', path, { enabled: false, description: 'CRM' });
    const { enabled, disabledReason, description, url } = paused.body;
    assert.deepEqual([enabled, disabledReason, description, url], [false, 'paused', 'CRM', 'https://example.com/']);
    const enabledAgain = await api(tenant, 'PATCH', path, { enabled: true, events: ['contact.opted_out'] });
    assert.deepEqual([enabledAgain.body.enabled, enabledAgain.body.events], [true, ['contact.opted_out']]);
    assert.equal((await api(tenant, 'PATCH', path, { url: 'https://example.org/b' })).body.enabled, true);

    assert.equal((await api(tenant, 'DELETE', path)).status, 200);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
    ] as const) {
      assert.equal((await api(tenant, method, path + rest)).status, 404, method + rest);
    }
  });

  it('400 names what is wrong with a webhook', async () => {
    for (const [body, path] of [
      [{}, 'url'],
      [{ url: 'ftp://example.com' }, 'url'],
      [{ url: 'example.com' }, 'url'],
      [{ url: 'https://user:pass@example.com' }, 'url'],
      [{ url: `https://example.com/${'x'.repeat(2_000)}` }, 'url'],
      [{ url: 'https://example.com', events: [] }, 'events'],
      [{ url: 'https://example.com', events: ['call.exploded'] }, 'events.0'],
      [{ url: 'https://example.com', secret: 'mine' }, 'secret'],
    ] as const) {
      const answer = await api(service.tenant, 'POST', '', body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal(answer.body.errors[0].path, path);
    }
  });

  it('400 for an address that is plainly private, unless the operator allows it', async () => {
    const tenant = await strict.newTenant();
    for (const url of ['http://127.0.0.1/', 'http://localhost:9000/', 'https://[::1]/', 'http://169.254.169.254/']) {
      const answer = await api(tenant, 'POST', '', { url }, strict.url);
      assert.deepEqual([answer.status, answer.body.errors?.[0].path], [400, 'url'], url);
    }
    const { body } = await api(tenant, 'POST', '', { url: 'https://example.com/' }, strict.url);
    const patched = await api(tenant, 'PATCH', `/${body.webhookId}`, { url: 'http://10.0.0.1/' }, strict.url);
    assert.equal(patched.status, 400);
  });

  it('409 for one webhook more than an account may have', async () => {
    const tenant = await service.newTenant();
    const url = 'https://example.com/';
    for (let i = 0; i < 20; i++) assert.equal((await api(tenant, 'POST', '', { url })).status, 201);
    const answer = await api(tenant, 'POST', '', { url });
    assert.deepEqual([answer.status, answer.body.code], [409, 'too_many_webhooks']);
  });
});

describe('delivery', () => {
  it("is signed so that the receivers' library accepts it", async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId, secret } = await setUp(receiver);
    const node = await deliver();
    await emit(tenant, 'call-1');
    const [request] = await receiver.count(1);
    assert.ok(request);
    const { type, timestamp, data } = verify(secret, request);
    assert.equal(type, 'call.ended');
    assert.ok(Math.abs(Date.parse(String(timestamp)) - Date.now()) < 60_000);
    assert.deepEqual(data, { callId: 'call-1', status: 'ended', outcome: { kind: 'completed' } });
    assert.equal(request.headers['content-type'], 'application/json');
    await stop(node);
    const [delivery] = await deliveries(tenant, webhookId);
    assert.deepEqual(
      [delivery.state, delivery.attempts, delivery.lastStatus, delivery.eventId, delivery.nextAttemptAt],
      ['delivered', 1, 204, request.id, null],
    );
    assert.deepEqual(JSON.stringify(delivery.payload), request.body);
  });

  it('happens with the fact or not at all, for the webhooks that want the event, once for each id', async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId } = await setUp(receiver, { events: ['call.ended'] });
    const other = await api(tenant, 'POST', '', { url: receiver.url, events: ['campaign.completed'] });
    await assert.rejects(
      inTransaction(db, async (transaction) => {
        await enqueueEvent(transaction, { accountId: tenant.accountId, type: 'call.ended', data: {} });
        throw new Error('rolled back');
      }),
      /rolled back/,
    );
    assert.deepEqual(await deliveries(tenant, webhookId), []);
    await emit(tenant, 'call-1', { id: 'call-1-ended' });
    await emit(tenant, 'call-1', { id: 'call-1-ended' });
    assert.equal((await deliveries(tenant, webhookId)).length, 1);
    assert.deepEqual(await deliveries(tenant, other.body.webhookId), []);
  });

  it('is tried again over about a day, then is a dead letter that can be replayed', async () => {
    const receiver = await startReceiver((response) =>
      response.writeHead(500).end(`number ${receiver.received.length}\0`),
    );
    const { tenant, webhookId, secret } = await setUp(receiver);
    const clock = new StandingClock();
    const node = await deliver({ clock });
    await emit(tenant, 'call-1');
    const startedAt = clock.now().getTime();
    const failed = (attempt: number) =>
      deliveryThat(tenant, webhookId, ({ lastResponse }) => lastResponse === `number ${attempt}�`);
    for (let attempt = 1; attempt < mostAttempts; attempt++) {
      const { state, lastStatus, attempts, nextAttemptAt } = await failed(attempt);
      assert.deepEqual([state, lastStatus, attempts], ['pending', 500, attempt]);
      await advance(clock, Date.parse(nextAttemptAt) - clock.now().getTime());
    }
    await failed(mostAttempts);
    const triedMs = clock.now().getTime() - startedAt;
    assert.ok(triedMs > 0.8 * dayMs && triedMs < 1.2 * dayMs);
    const [dead] = await deliveries(tenant, webhookId, '?state=dead');
    assert.deepEqual([dead.state, dead.attempts, dead.nextAttemptAt], ['dead', mostAttempts, null]);
    assert.ok(dead.finishedAt);
    await advance(clock, dayMs);
    assert.deepEqual(await deliveries(tenant, webhookId, '?state=pending'), []);

    receiver.answer = (response) => response.end('thanks');
    const replayed = await api(tenant, 'POST', `/${webhookId}/deliveries/${dead.deliveryId}/replay`);
    assert.deepEqual([replayed.status, replayed.body.state, replayed.body.attempts], [202, 'pending', 0]);
    await deliveryThat(tenant, webhookId, ({ state }) => state === 'delivered');
    await stop(node);
    assert.equal(receiver.received.length, mostAttempts + 1);
    assert.deepEqual([...new Set(receiver.received.map(({ id }) => id))], [dead.eventId], 'one id at every attempt');
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
    assert.throws(() => verify(secret, receiver.received.at(-1) as Received), /timestamp/i, 'each has its own time');
  });

  it('410 disables the webhook; what waited goes out once it is enabled again', async () => {
    const receiver = await startReceiver((response) => response.writeHead(410).end());
    const { tenant, webhookId } = await setUp(receiver);
    const clock = new StandingClock();
    const node = await deliver({ clock, limits: { total: 10, perEndpoint: 1 } });
    await inTransaction(db, async (transaction) => {
      for (const callId of ['first', 'second']) {
        const data = { callId };
        await enqueueEvent(transaction, { accountId: tenant.accountId, type: 'call.ended', data, id: callId });
      }
    });
    await receiver.count(1);
    await stop(node);
    const { body: webhook } = await api(tenant, 'GET', `/${webhookId}`);
    assert.deepEqual([webhook.enabled, webhook.disabledReason], [false, 'gone']);
    assert.equal((await deliveries(tenant, webhookId, '?state=dead')).length, 1);
    await emit(tenant, 'third');
    assert.equal((await deliveries(tenant, webhookId)).length, 2, 'no event is kept for a disabled webhook');
    for (const path of ['test', `deliveries/${(await deliveries(tenant, webhookId))[0].deliveryId}/replay`]) {
      const refused = await api(tenant, 'POST', `/${webhookId}/${path}`);
      assert.deepEqual([refused.status, refused.body.code], [409, 'webhook_disabled']);
    }

    receiver.answer = (response) => response.end();
    const another = await deliver({ clock });
    await api(tenant, 'PATCH', `/${webhookId}`, { enabled: true });
    await receiver.count(2);
    await stop(another);
    assert.equal(receiver.received.length, 2);
    assert.equal((await deliveries(tenant, webhookId, '?state=delivered')).length, 1);
  });

  it('does not follow a redirect', async () => {
    const inside = await startReceiver();
    const receiver = await startReceiver((response) => response.writeHead(307, { location: inside.url }).end());
    const { tenant, webhookId } = await setUp(receiver);
    const node = await deliver();
    await emit(tenant, 'call-1');
    await receiver.count(1);
    await stop(node);
    const [delivery] = await deliveries(tenant, webhookId);
    assert.deepEqual([delivery.state, delivery.lastStatus], ['pending', 307]);
    assert.match(delivery.lastError, /[Rr]edirect/);
    assert.deepEqual(inside.received, []);
  });

  it('a slow receiver does not hold up another', async () => {
    const held: (() => void)[] = [];
    const slow = await startReceiver((response) => void held.push(() => response.end()));
    const fast = await startReceiver();
    const [a, b] = [await setUp(slow), await setUp(fast)];
    const node = await deliver({ limits: { total: 5, perEndpoint: 2 } });
    for (let i = 0; i < 10; i++) await emit(a.tenant, `slow-${i}`);
    await slow.count(2);
    for (let i = 0; i < 10; i++) await emit(b.tenant, `fast-${i}`);
    await fast.count(10);
    assert.equal(slow.received.length, 2);
    slow.answer = (response) => response.end();
    for (const release of held) release();
    await slow.count(10);
    await stop(node);
  });

  it('two nodes share the work, and each event is sent once while both live', async () => {
    const receiver = await startReceiver();
    const { tenant } = await setUp(receiver);
    const nodes = [await deliver(), await deliver()];
    await Promise.all(Array.from({ length: 100 }, (_, i) => emit(tenant, `call-${i}`)));
    await receiver.count(100);
    await Promise.all(nodes.map(stop));
    assert.equal(receiver.received.length, 100);
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 100);
  });

  it('closing waits for what is under way', async () => {
    let release = () => {};
    const receiver = await startReceiver((response) => {
      release = () => response.end();
    });
    const { tenant, webhookId } = await setUp(receiver);
    const node = await deliver();
    await emit(tenant, 'call-1');
    await receiver.count(1);
    const closing = stop(node);
    release();
    await closing;
    assert.equal((await deliveries(tenant, webhookId))[0].state, 'delivered');
  });

  it('stops with the account', async () => {
    const receiver = await startReceiver();
    const { tenant } = await setUp(receiver);
    const other = await setUp(receiver);
    await emit(tenant, 'closed');
    await db.query('UPDATE accounts SET deleted_at = now() WHERE id = $1', [tenant.accountId]);
    const node = await deliver();
    await emit(other.tenant, 'open');
    await receiver.count(1);
    await stop(node);
    assert.deepEqual(
      receiver.received.map(({ body }) => JSON.parse(body).data.callId),
      ['open'],
    );
  });
});

describe('after a crash', () => {
  it('another node sends what the dead one had taken, once the lease has ended', async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId } = await setUp(receiver);
    await emit(tenant, 'call-1');
    const clock = new StandingClock();
    const key = await sealingKey(db);
    const claim = async () => {
      const options = { now: clock.now(), sealingKey: key, limit: 10, perEndpoint: 10, underWay: new Map() };
      return (await claimDeliveries(db, options)).filter(({ endpointId }) => endpointId === webhookId);
    };
    const [lost] = await claim();
    assert.ok(lost, 'the node that dies has it');

    const node = await deliver({ clock });
    await advance(clock, 59_000);
    assert.deepEqual(await claim(), []);
    await advance(clock, 2_000);
    const [request] = await receiver.count(1);
    const delivered = await deliveryThat(tenant, webhookId, ({ state }) => state === 'delivered');
    await stop(node);
    assert.deepEqual([request?.id, delivered.attempts], [lost.eventId, 2]);

    const late = {
      state: 'dead',
      nextAttemptAt: null,
      status: 500,
      error: 'late',
      response: null,
      gone: true,
    } as const;
    await finishDelivery(db, lost, late);
    assert.equal((await deliveries(tenant, webhookId))[0].state, 'delivered', 'one that was not dead has no more say');
    assert.equal((await api(tenant, 'GET', `/${webhookId}`)).body.enabled, true);
  });
});

describe('secrets', () => {
  it('after a rotation both sign for a day, then only the new one', async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId, secret: old } = await setUp(receiver);
    const rotated = await api(tenant, 'POST', `/${webhookId}/rotate-secret`);
    const { secret } = rotated.body;
    assert.equal(rotated.status, 200);
    assert.notEqual(secret, old);
    const node = await deliver();
    await emit(tenant, 'call-1');
    const [first] = await receiver.count(1);
    await stop(node);
    assert.ok(first);
    for (const known of [secret, old]) assert.equal(verify(known, first)['type'], 'call.ended');

    await db.query(
      `UPDATE webhook_endpoints SET previous_secret_until = previous_secret_until - interval '24 hours' WHERE id = $1`,
      [webhookId],
    );
    const later = await deliver();
    await emit(tenant, 'call-2');
    const [, second] = await receiver.count(2);
    await stop(later);
    assert.ok(second);
    assert.equal(verify(secret, second)['type'], 'call.ended');
    assert.throws(() => verify(old, second), /signature/i);
  });
});

describe('POST /api/v1/webhooks/{webhookId}/test', () => {
  it('sends webhook.test, whatever the webhook subscribes to', async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId, secret } = await setUp(receiver, { events: ['campaign.completed'] });
    const node = await deliver();
    const { status, body } = await api(tenant, 'POST', `/${webhookId}/test`);
    assert.deepEqual([status, body.type, body.state], [202, 'webhook.test', 'pending']);
    const [request] = await receiver.count(1);
    await stop(node);
    assert.ok(request);
    assert.deepEqual((verify(secret, request)['data'] as { webhookId: string }).webhookId, webhookId);
  });
});

describe('private addresses', () => {
  it('are never connected to, whatever the name resolves to by then', async () => {
    const receiver = await startReceiver();
    const tenant = await service.newTenant();
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { port } = new URL(receiver.url);
    const urls = [receiver.url, `http://rebind.example:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`];
    const webhooks = await Promise.all(
      urls.map((url) => createWebhook(db, tenant.accountId, { url, description: '', events: ['call.ended'] }, secret)),
    );
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    assert.equal(isPublicAddress('127.0.0.1'), false);
    const node = await deliver({ allowPrivate: false, resolve });
    await emit(tenant, 'call-1');
    for (const webhook of webhooks) {
      const failed = await deliveryThat(tenant, webhook?.webhookId ?? '', ({ lastError }) => lastError !== null);
      assert.deepEqual([failed.state, failed.lastStatus], ['pending', null]);
      assert.equal(failed.lastError, 'The host has an address that is not public.');
    }
    await stop(node);
    assert.deepEqual([asked, receiver.received], [['rebind.example'], []]);
  });
});

describe('GET /api/v1/webhooks/{webhookId}/deliveries', () => {
  it('lists the newest first, in pages, by state', async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId } = await setUp(receiver);
    for (let i = 0; i < 5; i++) await emit(tenant, `call-${i}`);
    const callIds = (page: { body: { data: { payload: { data: { callId: string } } }[] } }) =>
      page.body.data.map(({ payload }) => payload.data.callId);
    const first = await api(tenant, 'GET', `/${webhookId}/deliveries?limit=3`);
    assert.deepEqual(callIds(first), ['call-4', 'call-3', 'call-2']);
    const second = await api(tenant, 'GET', `/${webhookId}/deliveries?limit=3&cursor=${first.body.nextCursor}`);
    assert.deepEqual(callIds(second), ['call-1', 'call-0']);
    assert.equal(second.body.nextCursor, null);
    assert.deepEqual(await deliveries(tenant, webhookId, '?state=dead'), []);
    assert.equal((await api(tenant, 'GET', `/${webhookId}/deliveries?state=lost`)).status, 400);
    await api(tenant, 'DELETE', `/${webhookId}`);
    const { rows } = await db.query('SELECT FROM deliveries WHERE endpoint_id = $1', [webhookId]);
    assert.equal(rows.length, 0, 'they go with their webhook');
  });

  it('forgets what was delivered after a week and the rest after a month', async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId } = await setUp(receiver);
    for (const callId of ['a', 'b', 'c', 'd']) await emit(tenant, callId, { id: callId });
    await db.query(
      `UPDATE deliveries SET state = CASE WHEN event_id IN ('a', 'b') THEN 'delivered' ELSE 'dead' END,
         finished_at = now(), created_at = now() - CASE event_id WHEN 'a' THEN interval '6 days'
           WHEN 'b' THEN interval '8 days' WHEN 'c' THEN interval '29 days' ELSE interval '31 days' END
       WHERE endpoint_id = $1`,
      [webhookId],
    );
    await forgetOldDeliveries(db);
    const kept = await deliveries(tenant, webhookId);
    assert.deepEqual(kept.map(({ eventId }: { eventId: string }) => eventId).toSorted(), ['a', 'c']);
  });
});

describe('one account never sees another', () => {
  it('404 for its webhooks and deliveries, and its events come to its own webhooks only', async () => {
    const [mine, theirs] = [await startReceiver(), await startReceiver()];
    const [me, them] = [await setUp(mine), await setUp(theirs)];
    await emit(them.tenant, 'theirs');
    const [delivery] = await deliveries(them.tenant, them.webhookId);
    for (const [method, path, json] of [
      ['GET', `/${them.webhookId}`],
      ['PATCH', `/${them.webhookId}`, { enabled: false }],
      ['DELETE', `/${them.webhookId}`],
      ['POST', `/${them.webhookId}/rotate-secret`],
      ['POST', `/${them.webhookId}/test`],
      ['GET', `/${them.webhookId}/deliveries`],
      ['POST', `/${them.webhookId}/deliveries/${delivery.deliveryId}/replay`],
      ['POST', `/${me.webhookId}/deliveries/${delivery.deliveryId}/replay`],
    ] as const) {
      assert.equal((await api(me.tenant, method, path, json)).status, 404, `${method} ${path}`);
    }
    const node = await deliver();
    await theirs.count(1);
    await stop(node);
    assert.deepEqual([mine.received.length, (await api(me.tenant, 'GET', '')).body.data.length], [0, 1]);
    assert.equal(verify(them.secret, theirs.received[0] as Received)['type'], 'call.ended');
  });
});

describe('parley webhook', async () => {
  const scratch = await scratchFolder();

  async function run(tenant: Tenant, ...args: string[]) {
    const all = ['webhook', ...args, '--account', tenant.accountId, '--json'];
    const { code, stdout, stderr } = await runCommand(all, { scratch, env: { DATABASE_URL: service.databaseUrl } });
    return { code, stderr, value: JSON.parse(stdout || 'null') };
  }

  it('makes, shows, changes, tests, rotates and deletes webhooks, and shows and replays deliveries', async () => {
    const tenant = await service.newTenant();
    const receiver = await startReceiver((response) => response.writeHead(410).end());
    const made = await run(tenant, 'create', '--url', receiver.url, '--event', 'call.ended', '--description', 'CRM');
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stderr, /PARLEY_WEBHOOK_PRIVATE=yes/);
    const { webhookId, secret, ...rest } = made.value;
    assert.deepEqual([rest.url, rest.events, rest.description], [receiver.url, ['call.ended'], 'CRM']);
    const [listed] = (await run(tenant, 'list')).value;
    assert.deepEqual([listed.webhookId, 'secret' in listed], [webhookId, false]);

    const node = await deliver();
    const { value: tested } = await run(tenant, 'test', webhookId);
    await receiver.count(1);
    await stop(node);
    assert.equal(verify(secret, receiver.received[0] as Received)['type'], 'webhook.test');
    assert.equal((await run(tenant, 'show', webhookId)).value.disabledReason, 'gone');
    const [dead] = (await run(tenant, 'deliveries', webhookId, '--state', 'dead')).value;
    assert.deepEqual([dead.deliveryId, dead.lastStatus], [tested.deliveryId, 410]);
    assert.equal((await run(tenant, 'replay', webhookId, dead.deliveryId)).code, 4);
    assert.equal((await run(tenant, 'update', webhookId, '--enable')).value.enabled, true);
    assert.equal((await run(tenant, 'replay', webhookId, dead.deliveryId)).value.state, 'pending');
    assert.notEqual((await run(tenant, 'rotate', webhookId)).value.secret, secret);

    const wrong = await run(tenant, 'create', '--url', 'nowhere', '--event', 'call.exploded');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--url: must be.*\n.*--event \(number 1\): must be one of/);
    assert.equal((await run(service.tenant, 'show', webhookId)).code, 3);
    assert.equal((await run(service.tenant, 'deliveries', webhookId)).code, 3);
    assert.equal((await run(tenant, 'delete', webhookId)).value.deleted, true);
    assert.equal((await run(tenant, 'delete', webhookId)).code, 3);
  });
});

describe('events of calls', () => {
  it('a call that is cancelled before it was dialled has ended, once', async () => {
    const receiver = await startReceiver();
    const { tenant, webhookId, secret } = await setUp(receiver);
    const token = await service.token(tenant);
    const { body } = await send('POST', `${service.url}/outbound`, {
      headers: { authorization: `Bearer ${token}` },
      json: { name: 'Ada', toPhoneNumber: '+12025550100', fromPhoneNumber: tenant.fromPhoneNumber, formInfo: [] },
    });
    const cancel = () =>
      send('POST', `${service.url}/api/v1/calls/${body.callId}/cancel`, { headers: { 'x-api-key': tenant.apiKey } });
    assert.equal((await cancel()).status, 200);
    assert.equal((await cancel()).status, 200);
    await deliver();
    const [received] = await receiver.count(1);
    const event = verify(secret, received as Received) as { type: string; data: Record<string, unknown> };
    assert.equal(event.type, 'call.ended');
    assert.equal(event.data['callId'], body.callId);
    assert.equal((event.data['outcome'] as { kind: string }).kind, 'cancelled');
    assert.equal((await deliveries(tenant, webhookId)).length, 1);
  });
});

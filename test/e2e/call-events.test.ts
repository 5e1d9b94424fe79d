import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import type { CallEvent } from '../../src/domain/call-event.ts';
import { addCallEvent, callEventsAfter, forgetOldCallEvents, writeCallEvent } from '../../src/store/call-events.ts';
import { inTransaction } from '../../src/store/database.ts';
import { openReader } from '../harness/event-reader.ts';
import { until } from '../harness/process.ts';
import { send, startService, type Tenant } from '../harness/service.ts';
import { StandingClock } from '../harness/standing-clock.ts';
import { completed, ended, insertCall, live } from '../harness/stored-calls.ts';

const service = await startService();
const { db, tenant } = service;

const streamUrl = (callId?: string, of = service) =>
  `${of.url}/api/v1/${callId === undefined ? 'events' : `calls/${callId}/events`}`;

const watch = (callId?: string, { as = tenant, lastEventId }: { as?: Tenant; lastEventId?: string } = {}) =>
  openReader(streamUrl(callId), {
    'x-api-key': as.apiKey,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  });

const tell = (callId: string, event: CallEvent, { accountId } = tenant) =>
  addCallEvent(db, { accountId, callId, event });

const typesOf = (events: { data: { type: string } }[]) => events.map(({ data }) => data.type);

const saying = (text: string): CallEvent => ({
  type: 'utterance',
  turn: 0,
  speaker: 'callee',
  text,
  startMs: 0,
  endMs: 900,
  interrupted: false,
});

describe('GET /api/v1/calls/{callId}/events', () => {
  it('begins with the first event, goes on as things happen, and ends with the call', async () => {
    const callId = await insertCall(db, tenant, live('in_progress'));
    await tell(callId, { type: 'dialing' });
    await tell(callId, { type: 'ringing' });
    const reader = await watch(callId);
    assert.equal(reader.response.status, 200);
    assert.equal(reader.response.headers.get('content-type'), 'text/event-stream');
    assert.equal(reader.response.headers.get('cache-control'), 'no-store');
    assert.deepEqual(typesOf(await reader.take(2)), ['dialing', 'ringing']);
    await tell(callId, saying('Grüße,\nund: "Hallo" 👋'));
    const said = await reader.next();
    const { at, ...data } = said?.data ?? {};
    assert.ok(Date.parse(at));
    assert.deepEqual(data, { callId, ...saying('Grüße,\nund: "Hallo" 👋') });
    await tell(callId, { type: 'ended', outcome: completed });
    const [last, ...more] = await reader.rest();
    assert.deepEqual(last?.data.outcome, completed);
    assert.deepEqual(more, []);
  });

  it('is told of nothing but this call', async () => {
    const callId = await insertCall(db, tenant, live('in_progress'));
    const other = await insertCall(db, tenant, live('in_progress'));
    const reader = await watch(callId);
    await tell(other, { type: 'ended', outcome: completed });
    await tell(callId, { type: 'answered' });
    assert.deepEqual((await reader.next())?.data.callId, callId);
    reader.close();
  });

  it('goes on after Last-Event-ID', async () => {
    const callId = await insertCall(db, tenant, live('in_progress'));
    for (const type of ['dialing', 'ringing', 'answered'] as const) await tell(callId, { type });
    const first = await watch(callId);
    const [dialing] = await first.take(1);
    first.close();
    const second = await watch(callId, { lastEventId: dialing?.id ?? '' });
    assert.deepEqual(typesOf(await second.take(2)), ['ringing', 'answered']);
    second.close();
  });

  it('of a call that has ended is told to its end; 204 when there is nothing more to tell', async () => {
    const callId = await insertCall(db, tenant, ended());
    await tell(callId, { type: 'dialing' });
    await tell(callId, { type: 'ended', outcome: completed });
    const events = await (await watch(callId)).rest();
    assert.deepEqual(typesOf(events), ['dialing', 'ended']);
    assert.equal((await watch(callId, { lastEventId: events[1]?.id ?? '' })).response.status, 204);
    assert.equal((await watch(await insertCall(db, tenant, ended()))).response.status, 204);
  });

  it('ends after what is left where the last event was forgotten', async () => {
    const callId = await insertCall(db, tenant, ended());
    await tell(callId, { type: 'dialing' });
    assert.deepEqual(typesOf(await (await watch(callId)).rest()), ['dialing']);
  });

  it('tells of a call that is cancelled in the queue', async () => {
    const callId = await insertCall(db, tenant);
    const reader = await watch(callId);
    await send('POST', `${service.url}/api/v1/calls/${callId}/cancel`, { headers: { 'x-api-key': tenant.apiKey } });
    const [event] = await reader.rest();
    assert.equal(event?.data.outcome.kind, 'cancelled');
  });

  it('is more than one page long', async () => {
    const callId = await insertCall(db, tenant, ended());
    for (let i = 0; i < 250; i++) await tell(callId, { type: 'note', text: String(i) });
    await tell(callId, { type: 'ended', outcome: completed });
    const events = await (await watch(callId)).rest();
    assert.equal(events.length, 251);
    assert.deepEqual(
      events.slice(0, 250).map(({ data }) => data.text),
      Array.from({ length: 250 }, (_, i) => String(i)),
    );
  });

  it('404 for a call of another account, 400 for an id that is none, nothing to read for HEAD', async () => {
    const callId = await insertCall(db, tenant, live('ringing'));
    assert.equal((await watch(callId, { as: await service.newTenant() })).response.status, 404);
    for (const lastEventId of ['x', '-1', '9'.repeat(19)]) {
      assert.equal((await watch(callId, { lastEventId })).response.status, 400);
    }
    const head = await send('HEAD', streamUrl(callId), { headers: { 'x-api-key': tenant.apiKey } });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
  });
});

describe('GET /api/v1/events', () => {
  it('tells what happens from now on in all calls of the account, and of no other', async () => {
    const [owner, stranger] = [await service.newTenant(), await service.newTenant()];
    const [first, second, strange] = [
      await insertCall(db, owner, live('ringing')),
      await insertCall(db, owner, live('ringing')),
      await insertCall(db, stranger, live('ringing')),
    ];
    await tell(first, { type: 'dialing' }, owner);
    const reader = await watch(undefined, { as: owner });
    await tell(strange, { type: 'answered' }, stranger);
    await tell(first, { type: 'ended', outcome: completed }, owner);
    await tell(second, { type: 'ringing' }, owner);
    assert.deepEqual(
      (await reader.take(2)).map(({ data }) => [data.callId, data.type]),
      [
        [first, 'ended'],
        [second, 'ringing'],
      ],
    );
    await tell(second, { type: 'answered' }, owner);
    assert.equal((await reader.next())?.data.type, 'answered');
    reader.close();
  });

  it('goes on after Last-Event-ID, so that nothing is missed in between', async () => {
    const owner = await service.newTenant();
    const callId = await insertCall(db, owner, live('ringing'));
    const first = await watch(undefined, { as: owner });
    await tell(callId, { type: 'dialing' }, owner);
    const seen = await first.next();
    first.close();
    await tell(callId, { type: 'ringing' }, owner);
    const second = await watch(undefined, { as: owner, lastEventId: seen?.id ?? '' });
    await tell(callId, { type: 'answered' }, owner);
    assert.deepEqual(typesOf(await second.take(2)), ['ringing', 'answered']);
    second.close();
  });

  it('goes on when the connection that listens was lost', async () => {
    const callId = await insertCall(db, tenant, live('ringing'));
    const reader = await watch();
    await tell(callId, { type: 'dialing' });
    await reader.next();
    const { rowCount } = await db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query = 'LISTEN "call_events"'`,
    );
    assert.equal(rowCount, 1, 'one connection for all streams');
    await until(async () => {
      const { rows } = await db.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN "call_events"'`,
      );
      return rows.length === 0;
    });
    await tell(callId, { type: 'ringing' });
    assert.equal((await reader.next())?.data.type, 'ringing');
    reader.close();
  });

  it('429 for more than a hundred at once, until one is closed', async () => {
    const owner = await service.newTenant();
    const readers = await Promise.all(Array.from({ length: 100 }, () => watch(undefined, { as: owner })));
    assert.ok(readers.every(({ response }) => response.status === 200));
    const { status, headers, body } = await send('GET', streamUrl(), { headers: { 'x-api-key': owner.apiKey } });
    assert.deepEqual([status, body.code], [429, 'too_many_streams']);
    assert.ok(Number(headers.get('retry-after')) > 0);
    const other = await watch();
    assert.equal(other.response.status, 200, 'another account is not concerned');
    other.close();
    readers.pop()?.close();
    await until(async () => {
      const next = await watch(undefined, { as: owner });
      next.close();
      return next.response.status === 200;
    });
    for (const reader of readers) reader.close();
  });

  it('gives those who read slowly everything in order', async () => {
    const owner = await service.newTenant();
    const callId = await insertCall(db, owner, live('in_progress'));
    const reader = await watch(undefined, { as: owner });
    const long = 'x'.repeat(50_000);
    for (let i = 0; i < 150; i++) await tell(callId, saying(`${i} ${long}`), owner); // more than sockets buffer
    const events = await reader.take(150);
    assert.deepEqual(
      events.map(({ data }) => data.text.split(' ')[0]),
      Array.from({ length: 150 }, (_, i) => String(i)),
    );
    reader.close();
  });
});

describe('the order of events', () => {
  it('is that of their ids, for whoever reads: a later one waits for the one before', async () => {
    const owner = await service.newTenant();
    const { accountId } = owner;
    const callId = await insertCall(db, owner, live('ringing'));
    const written = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const first = inTransaction(db, async (transaction) => {
      await writeCallEvent(transaction, { accountId, callId, event: { type: 'dialing' } });
      written.resolve();
      await finish.promise;
    });
    await written.promise;
    const second = tell(callId, { type: 'ringing' }, owner);
    await until(async () => {
      const { rows } = await db.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows.length === 1;
    });
    await tell(await insertCall(db, tenant, live('ringing')), { type: 'ringing' }); // no other account waits
    const wanted = { accountId, after: '0', limit: 10 };
    assert.deepEqual(await callEventsAfter(db, wanted), []);
    finish.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(
      (await callEventsAfter(db, wanted)).map(({ event }) => event.type),
      ['dialing', 'ringing'],
    );
  });

  it('goes to nobody when the transaction fails', async () => {
    const callId = await insertCall(db, tenant, live('ringing'));
    const reader = await watch(callId);
    const failing = inTransaction(db, async (transaction) => {
      await writeCallEvent(transaction, { accountId: tenant.accountId, callId, event: { type: 'dialing' } });
      throw new Error('undone');
    });
    await assert.rejects(failing, /undone/);
    await tell(callId, { type: 'ringing' });
    assert.equal((await reader.next())?.data.type, 'ringing');
    reader.close();
  });
});

describe('forgetting old events', () => {
  it('leaves those of the last seven days', async () => {
    const callId = await insertCall(db, tenant, live('ringing'));
    await tell(callId, { type: 'dialing' });
    await tell(callId, { type: 'ringing' });
    await db.query(
      `UPDATE call_events SET created_at = now() - interval '7 days 1 minute' WHERE call_id = $1 AND type = 'dialing'`,
      [callId],
    );
    await forgetOldCallEvents(db);
    const left = await callEventsAfter(db, { accountId: tenant.accountId, callId, after: '0', limit: 10 });
    assert.deepEqual(
      left.map(({ event }) => event.type),
      ['ringing'],
    );
  });
});

describe('a stream in which nothing happens', () => {
  it('is kept open by a comment every 15 seconds, and ends with a call that ended without a word', async () => {
    const clock = new StandingClock();
    const quiet = await startService({ clock, databaseUrl: service.databaseUrl });
    const callId = await insertCall(db, tenant, live('ringing'));
    const [response] = (await once(
      get(streamUrl(callId, quiet), { headers: { 'x-api-key': tenant.apiKey } }),
      'response',
    )) as [IncomingMessage];
    let text = '';
    response.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    await until(() => text === ':\n\n');
    await until(() => {
      clock.advance(15_000);
      return text.startsWith(':\n\n:\n\n');
    });
    await db.query(`UPDATE calls SET status = 'ended', node_id = NULL, ended_at = now(), outcome = $2 WHERE id = $1`, [
      callId,
      completed,
    ]);
    const end = once(response, 'end');
    await until(() => {
      clock.advance(15_000);
      return response.readableEnded;
    });
    await end;
  });
});

describe('stopping the service', () => {
  // A service that a test starts is closed at the end of that test: it would hang if these kept it.
  it('ends the stream of those who watch', async () => {
    const stopping = await startService({ databaseUrl: service.databaseUrl });
    const request = get(streamUrl(undefined, stopping), { headers: { 'x-api-key': tenant.apiKey } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    after(() => assert.equal(response.complete, true, 'to its end'));
  });

  it('does not wait for connections over which nothing was asked', async () => {
    const stopping = await startService({ databaseUrl: service.databaseUrl });
    const socket = connect(Number(new URL(stopping.url).port), '127.0.0.1');
    after(() => socket.destroy());
    await once(socket, 'connect');
    await send('GET', `${stopping.url}/health`); // accepted after the connection before it
  });

  it('does not wait for those who do not read', async () => {
    const stopping = await startService({ databaseUrl: service.databaseUrl });
    const callId = await insertCall(db, tenant, live('in_progress'));
    const request = get(streamUrl(callId, stopping), { headers: { 'x-api-key': tenant.apiKey } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => {});
    response.on('error', () => {}).pause();
    const long = 'x'.repeat(200_000);
    for (let i = 0; i < 100; i++) await tell(callId, saying(long)); // more than sockets buffer
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { parseVia, type Via } from './header-values.ts';
import { KeepAlive } from './keep-alive.ts';
import { newRequest } from './message.ts';
import { isLocal, seenAs } from './public-address.ts';
import { call, callee, isIdle, network, phone, sdp, until, uriOf } from './test-phones.ts';
import { TransactionLayer } from './transaction-layer.ts';
import { UserAgent } from './user-agent.ts';

describe('the way to the other side', () => {
  it('is kept open during a call, and not longer', async () => {
    const bob = await callee();
    const ada = await phone({ keepAliveMs: 10 });
    let pings = 0;
    const { promise: pinged, resolve } = Promise.withResolvers<void>();
    const uri = await network(ada, bob.agent, (message, to) => {
      if (message === '\r\n\r\n' && to === 'callee' && ++pings === 3) resolve();
      return [0];
    });
    const placed = call(ada, uri);
    (await bob.next()).answer(sdp('callee'));
    await pinged;
    placed.hangUp();
    await placed.ended;
    const atEnd = pings;
    await until(() => isIdle(ada), 'nothing under way'); // long enough for many more
    assert.ok(pings <= atEnd + 1, `${pings - atEnd} pings after the end`);
  });

  it('is kept open as long as somebody holds it, and not longer', (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] });
    const pings: number[] = [];
    const keepAlive = new KeepAlive(25_000, ({ port }) => pings.push(port));
    const to = { protocol: 'udp' as const, host: '127.0.0.1', port: 1 };
    const releases = [keepAlive.hold(to), keepAlive.hold({ ...to }), keepAlive.hold({ ...to, port: 2 })];
    test.mock.timers.tick(25_000);
    assert.deepEqual(pings, [1, 2]);
    releases[0]?.();
    releases[0]?.();
    test.mock.timers.tick(25_000);
    assert.deepEqual(pings, [1, 2, 1, 2]);
    releases[1]?.();
    releases[2]?.();
    test.mock.timers.tick(100_000);
    assert.equal(pings.length, 4);
    keepAlive.hold(to);
    test.mock.timers.tick(25_000);
    assert.equal(pings.length, 5);
    keepAlive.close();
    test.mock.timers.tick(100_000);
    assert.equal(pings.length, 5);
  });

  it('over TCP is kept open on the connection that there is', async () => {
    const heard: string[] = [];
    const server = createServer((socket) => void socket.on('data', (data) => heard.push(data.toString())));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const layer = new TransactionLayer({
      host: '127.0.0.1',
      port: 0,
      onRequest: () => {},
      onAck: () => {},
      onCancel: () => {},
    });
    await layer.listen();
    after(async () => {
      await layer.close();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const to = { protocol: 'tcp' as const, host: '127.0.0.1', port };
    layer.ping(to);
    const request = newRequest('OPTIONS', 'sip:127.0.0.1');
    for (const name of ['from', 'to'] as const) request.headers.set(name, '<sip:ada@127.0.0.1>;tag=1');
    request.headers.set('call-id', '1').set('cseq', '1 OPTIONS');
    layer.request(request, to, { onResponse: () => {}, onFailure: () => {} });
    await until(() => heard.length === 1, 'a request');
    layer.ping(to);
    await until(() => heard.length === 2, 'a ping');
    assert.equal(heard[1], '\r\n\r\n');
  });
});

describe('our own address', () => {
  const via = (text: string) => parseVia(`SIP/2.0/UDP 192.168.1.5:5060;branch=z9hG4bK1${text}`) as Via;

  it('is learned from who sees us behind a NAT', () => {
    assert.deepEqual(seenAs(via(';received=203.0.113.7;rport=61000'), '192.168.1.5'), {
      host: '203.0.113.7',
      port: 61_000,
    });
    assert.equal(seenAs(via(';received=192.168.1.5;rport=61000'), '192.168.1.5'), undefined);
    assert.equal(seenAs(via(';received=203.0.113.7;rport=61000'), '198.51.100.9'), undefined);
    assert.equal(seenAs(via(';received=evil.example.com'), '192.168.1.5'), undefined);
    assert.deepEqual(['10.1.2.3', '172.31.0.1', '::1', 'fd00::1'].map(isLocal), [true, true, true, true]);
    assert.deepEqual(['172.32.0.1', '8.8.8.8', '2001:db8::1'].map(isLocal), [false, false, false]);
  });

  it('is what publicHost says', async () => {
    const bob = await callee();
    const ada = await phone({ publicHost: 'pbx.example.com' });
    call(ada, bob.uri);
    const { request } = await bob.next();
    assert.equal(request.headers.get('contact'), `<sip:parley@pbx.example.com:${ada.localPort('udp')}>`);
    assert.match(request.headers.get('via') ?? '', /^SIP\/2\.0\/UDP pbx\.example\.com:/);
  });

  it('must be known to listen everywhere', async () => {
    await assert.rejects(new UserAgent({ host: '0.0.0.0', port: 0 }).listen(), /publicHost/);
    const bob = await callee();
    const ada = await phone({ host: '0.0.0.0', publicHost: '127.0.0.1' });
    const placed = call(ada, bob.uri, { onAnswered: () => placed.hangUp() });
    const received = await bob.next();
    received.answer(sdp('callee'));
    assert.equal((await received.ended).endedBy, 'them');
  });
});

describe('an outbound proxy', () => {
  it('gets every request outside of a dialog, which then follows its own route', async () => {
    const proxy = await callee();
    const ada = await phone({ outboundProxy: proxy.uri });
    const placed = call(ada, 'sip:bob@example.invalid', { onAnswered: () => placed.hangUp() });
    const received = await proxy.next();
    assert.equal(received.request.uri, 'sip:bob@example.invalid');
    assert.deepEqual(received.request.headers.all('route'), [`<${proxy.uri};lr>`]);
    received.answer(sdp('callee'));
    assert.equal((await received.ended).endedBy, 'them');
  });

  it('must be a SIP URI', () => {
    assert.throws(() => new UserAgent({ host: '127.0.0.1', port: 0, outboundProxy: 'proxy.example.com' }), /SIP URI/);
  });
});

describe('the identity of the caller', () => {
  it('is asserted, and kept from the callee on demand', async () => {
    const bob = await callee();
    call(await phone(), bob.uri, { assertedIdentity: 'sip:+12025550000@example.com;user=phone', privacy: 'id' });
    const { headers } = (await bob.next()).request;
    assert.equal(headers.get('p-asserted-identity'), '<sip:+12025550000@example.com;user=phone>');
    assert.equal(headers.get('privacy'), 'id');
  });

  it('that is no URI is our own mistake', async () => {
    const ada = await phone();
    for (const wrong of ['+12025550000', 'sip:a@b>\r\nEvil: 1', 'http://example.com']) {
      assert.throws(() => call(ada, uriOf(ada), { assertedIdentity: wrong }), /URI/);
      assert.throws(() => call(ada, uriOf(ada), { from: wrong }), /URI/);
    }
    assert.equal(ada.counts.calls, 0);
  });
});

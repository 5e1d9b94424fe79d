import assert from 'node:assert/strict';
import http, { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { isPublicAddress } from '../domain/public-address.ts';
import { type PostOptions, post } from './post.ts';
import { resolveLocal } from './resolve.ts';

async function serve(answer: RequestListener): Promise<{ port: number; requests: { url: string; body: string }[] }> {
  const requests: { url: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url ?? '', body });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

const anywhere = { resolve: resolveLocal, isAllowed: () => true };
const headers = { 'webhook-id': 'evt' };

/** A name server that gives another answer each time. */
function changing(...answers: string[][]) {
  const asked: string[] = [];
  const resolve: PostOptions['resolve'] = async (host) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(host);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolve, asked };
}

describe('post', () => {
  it('sends the body and tells the answer, of which only the beginning is kept', async () => {
    const { port, requests } = await serve((_, response) => response.writeHead(201).end('ok\0'.repeat(10_000)));
    const result = await post(`http://127.0.0.1:${port}/hook?a=1`, headers, '{"a":"ü"}', anywhere);
    assert.ok(result.status === 201);
    assert.equal(result.response.length, 1024);
    assert.ok(!result.response.includes('\0'));
    assert.deepEqual(requests, [{ url: '/hook?a=1', body: '{"a":"ü"}' }]);
  });

  it('does not follow redirects', async () => {
    const inside = await serve((_, response) => response.end('secret'));
    const location = `http://127.0.0.1:${inside.port}/latest/meta-data`;
    for (const status of [301, 302, 303, 307, 308]) {
      const { port } = await serve((_, response) => response.writeHead(status, { location }).end());
      assert.equal((await post(`http://127.0.0.1:${port}/`, headers, '{}', anywhere)).status, status);
    }
    assert.deepEqual(inside.requests, []);
  });

  it('gives up on a receiver that does not answer in time', async () => {
    const { port } = await serve(() => {});
    const result = await post(`http://127.0.0.1:${port}/`, headers, '{}', { ...anywhere, timeoutMs: 50 });
    assert.deepEqual(result, { status: null, error: 'No answer within 0.05 s.' });
  });

  it('counts the status of a receiver whose body never ends', async () => {
    const { port } = await serve((_, response) => response.writeHead(200).write('beginning'));
    const result = await post(`http://127.0.0.1:${port}/`, headers, '{}', { ...anywhere, timeoutMs: 200 });
    assert.deepEqual(result, { status: 200, retryAfter: undefined, response: 'beginning' });
  });

  it('says why there was no connection', async () => {
    const closed = await post('http://127.0.0.1:1/', headers, '{}', anywhere);
    assert.ok(closed.status === null && closed.error.includes('ECONNREFUSED'), JSON.stringify(closed));
    const { resolve } = changing([]);
    const nameless = await post('http://nowhere.example/', headers, '{}', { ...anywhere, resolve });
    assert.deepEqual(nameless, { status: null, error: 'The host has no address.' });
  });
});

describe('post to an address that is not public', () => {
  const guarded = { resolve: resolveLocal, isAllowed: isPublicAddress };
  const refusal = { status: null, error: 'The host has an address that is not public.' };

  it('never connects, however the address is written', async () => {
    const { port, requests } = await serve((_, response) => response.end());
    for (const host of [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '169.254.169.254',
    ]) {
      assert.deepEqual(await post(`http://${host}:${port}/`, headers, '{}', guarded), refusal, host);
      assert.deepEqual(await post(`https://${host}:${port}/`, headers, '{}', guarded), refusal, host);
    }
    assert.deepEqual(requests, []);
  });

  it('refuses a name with a private address among its public ones', async () => {
    const { port, requests } = await serve((_, response) => response.end());
    for (const answer of [['8.8.8.8', '127.0.0.1'], ['127.0.0.1'], ['2606:4700::1111', '::ffff:127.0.0.1']]) {
      const { resolve } = changing(answer);
      const result = await post(`http://rebind.example:${port}/`, headers, '{}', { ...guarded, resolve });
      assert.deepEqual(result, refusal, answer.join());
    }
    assert.deepEqual(requests, []);
  });

  it('connects to the address it has checked, though the name changes its address (DNS rebinding)', async () => {
    const { port, requests } = await serve((_, response) => response.end());
    // Here 127.0.0.1 plays the public address and all others are private.
    const isAllowed = (address: string) => address === '127.0.0.1';
    const { resolve, asked } = changing(['127.0.0.1'], ['127.0.0.2']);
    const url = `http://rebind.example:${port}/`;
    assert.equal((await post(url, headers, '{}', { resolve, isAllowed })).status, 200);
    assert.deepEqual(asked, ['rebind.example'], 'asked once: nothing can change between check and connect');
    assert.deepEqual(await post(url, headers, '{}', { resolve, isAllowed }), refusal);
    assert.deepEqual([asked.length, requests.length], [2, 1]);
  });

  it('goes through no proxy, though the process has one', async (test) => {
    const proxy = await serve((_, response) => response.end());
    const receiver = await serve((_, response) => response.end());
    const usual = http.globalAgent;
    http.globalAgent = new http.Agent({ proxyEnv: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } });
    test.after(() => {
      http.globalAgent = usual;
    });
    await post(`http://127.0.0.1:${receiver.port}/`, headers, '{}', anywhere);
    assert.deepEqual([proxy.requests.length, receiver.requests.length], [0, 1]);
  });
});

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { newResponse, type SipRequest, type SipResponse } from './message.ts';
import type { RegistrationState } from './registration.ts';
import type { Resolver } from './resolve.ts';
import { phone, quick, until } from './test-phones.ts';
import { TransactionLayer } from './transaction-layer.ts';

type Answer = (request: SipRequest) => SipResponse;

const accepted =
  (expires = 'Expires'): Answer =>
  (request) => {
    const response = newResponse(request, 200, 'OK');
    const seconds = request.headers.get('expires') ?? '';
    if (expires === 'Expires') response.headers.set('expires', seconds);
    else
      response.headers.set(
        'contact',
        `<sip:else@192.0.2.1>;expires=9`,
        `${request.headers.all('contact')[0]};${expires}`,
      );
    return response;
  };

const refused =
  (status: number, reason: string, ...headers: [Lowercase<string>, string][]): Answer =>
  (request) => {
    const response = newResponse(request, status, reason);
    for (const header of headers) response.headers.set(...header);
    return response;
  };

/** A registrar that answers as told, in the end always with 200. */
async function registrar(...answers: Answer[]) {
  const requests: SipRequest[] = [];
  const layer = new TransactionLayer({
    host: '127.0.0.1',
    port: 0,
    timers: quick,
    onRequest: (transaction) => {
      const answer = answers[requests.push(transaction.request) - 1] ?? accepted();
      transaction.respond(answer(transaction.request));
    },
    onAck: () => {},
    onCancel: () => {},
  });
  await layer.listen();
  after(() => layer.close());
  return { uri: `sip:127.0.0.1:${layer.localPort('udp')}`, port: layer.localPort('udp'), requests };
}

function states() {
  const seen: RegistrationState[] = [];
  return {
    seen,
    onState: (state: RegistrationState) => void seen.push(state),
    reached: (count: number) => until(() => seen.length >= count, `${count} states`),
  };
}

const aor = 'sip:+12025550000@example.com';
const shape = (state: RegistrationState) => (state.registered ? 'registered' : (state.status ?? state.reason));

describe('a registration', () => {
  it('says where we are, and takes it back when it is closed', async () => {
    const { uri, requests } = await registrar();
    const agent = await phone();
    const { seen, onState, reached } = states();
    const before = Date.now();
    const registration = agent.register(uri, { aor, expiresS: 600, onState });
    await reached(1);
    assert.ok(seen[0]?.registered && Math.abs(seen[0].expiresAt.getTime() - before - 600_000) < 2_000);
    await registration.close();
    await registration.close();
    assert.deepEqual(seen.map(shape), ['registered', 'We unregistered.']);
    const [first, last] = requests as [SipRequest, SipRequest];
    assert.equal(first.uri, uri);
    assert.equal(first.headers.get('contact'), `<sip:parley@127.0.0.1:${agent.localPort('udp')}>`);
    assert.deepEqual(
      requests.map(({ headers }) => [headers.get('cseq'), headers.get('expires')]),
      [
        ['1 REGISTER', '600'],
        ['2 REGISTER', '0'],
      ],
    );
    assert.equal(first.headers.get('call-id'), last.headers.get('call-id'));
    assert.equal(first.headers.get('to'), `<${aor}>`);
  });

  it('is refreshed before the time that the registrar gave our Contact', async () => {
    const { uri, requests } = await registrar(accepted('expires=1'), accepted('expires=1'));
    const { seen, onState, reached } = states();
    const begun = Date.now();
    (await phone()).register(uri, { aor, onState });
    await reached(3);
    assert.deepEqual(seen.map(shape), ['registered', 'registered', 'registered']);
    assert.equal(requests.length, 3);
    const eachMs = (Date.now() - begun) / 2;
    assert.ok(eachMs > 700 && eachMs < 1_000, `refreshed after ${eachMs} ms`);
  });

  it('comes back with the time that the registrar wants at least (423)', async () => {
    const { uri, requests } = await registrar(refused(423, 'Interval Too Brief', ['min-expires', '1200']));
    const { seen, onState, reached } = states();
    (await phone()).register(uri, { aor, expiresS: 60, onState });
    await reached(1);
    assert.deepEqual(seen.map(shape), ['registered']);
    assert.equal(requests[1]?.headers.get('expires'), '1200');
  });

  it('answers a challenge, and signs the next one at once', async () => {
    const challenge = 'Digest realm="example.com", nonce="abc", algorithm=SHA-256, qop="auth"';
    const { uri, requests } = await registrar(refused(401, 'Unauthorized', ['www-authenticate', challenge]));
    const { onState, reached } = states();
    const agent = await phone({ credentials: { username: 'ada', password: 'secret' } });
    const registration = agent.register(uri, { aor, onState });
    await reached(1);
    await registration.close();
    assert.deepEqual(
      requests.map(({ headers }) => /nc=(\w+)/.exec(headers.get('authorization') ?? '')?.[1]),
      [undefined, '00000001', '00000002'],
    );
  });

  it('that is refused is tried again, and says why', async () => {
    const { uri } = await registrar(refused(403, 'Forbidden'), refused(500, 'Server Error'));
    const { seen, onState, reached } = states();
    (await phone()).register(uri, { aor, onState });
    await reached(3);
    assert.deepEqual(seen.map(shape), [403, 500, 'registered']);
  });

  it('goes to the next registrar when the first is silent or overwhelmed', async () => {
    const busy = await registrar(refused(503, 'Service Unavailable'));
    const good = await registrar();
    const ports: Record<string, number> = {
      'dead.example.com': 9,
      'busy.example.com': busy.port,
      'good.example.com': good.port,
    };
    const resolver: Resolver = {
      naptr: async () => [],
      srv: async (name) =>
        name.startsWith('_sip._udp')
          ? Object.entries(ports).map(([name, port], at) => ({ priority: at, weight: 0, name, port }))
          : [],
      addresses: async () => ['127.0.0.1'],
    };
    const { seen, onState, reached } = states();
    (await phone({ resolver })).register('sip:example.com', { aor, onState });
    await reached(1);
    assert.deepEqual(seen.map(shape), ['registered']);
    assert.equal(busy.requests.length, 1);
  });

  it('ends with its signal and with its telephone', async () => {
    const { uri, requests } = await registrar();
    const controller = new AbortController();
    const [ending, closing] = [states(), states()];
    const [ada, bob] = [await phone(), await phone()];
    ada.register(uri, { aor, signal: controller.signal, onState: ending.onState });
    bob.register(uri, { aor, onState: closing.onState });
    await Promise.all([ending.reached(1), closing.reached(1)]);
    controller.abort();
    await ending.reached(2);
    assert.equal(requests.at(-1)?.headers.get('expires'), '0');
    await bob.close();
    await closing.reached(2);
    assert.equal(requests.length, 3);
  });

  it('behind a NAT moves to the address that the registrar sees', async () => {
    const nat: Answer = (request) => {
      const response = accepted()(request);
      const via = (request.headers.get('via') ?? '').replace(/rport=\d+/, 'rport=61000');
      response.headers.set('via', via.replace('received=127.0.0.1', 'received=203.0.113.7'));
      return response;
    };
    const { uri, requests } = await registrar(nat, nat, nat);
    const { onState, reached } = states();
    const agent = await phone();
    const registration = agent.register(uri, { aor, onState });
    await reached(2);
    await registration.close();
    const inside = `<sip:parley@127.0.0.1:${agent.localPort('udp')}>`;
    const outside = '<sip:parley@203.0.113.7:61000>';
    assert.deepEqual(
      requests.map(({ headers }) => headers.all('contact')),
      [[inside], [outside, `${inside};expires=0`], [outside]],
    );
  });
});

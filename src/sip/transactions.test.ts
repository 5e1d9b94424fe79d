import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { ClientTransaction } from './client-transaction.ts';
import { newRequest, newResponse, type SipRequest, type SipResponse } from './message.ts';
import { ServerTransaction, serverTransactionKey } from './server-transaction.ts';
import { standardTimers } from './timers.ts';

function requestOf(method: string): SipRequest {
  const request = newRequest(method, 'sip:bob@example.com');
  request.headers
    .set('via', 'SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bKabc')
    .set('from', '<sip:ada@example.com>;tag=1')
    .set('to', '<sip:bob@example.com>')
    .set('call-id', 'c1')
    .set('cseq', `7 ${method}`)
    .set('route', '<sip:proxy.example.com;lr>');
  return request;
}

/** Lets sends that are promises settle between two ticks of the clock. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
});

function client(method: string, options: { reliable?: boolean; unreachable?: boolean } = {}) {
  const sent: { at: number; request: SipRequest }[] = [];
  const heard: number[] = [];
  const failures: string[] = [];
  let now = 0;
  let ended = 0;
  const request = requestOf(method);
  const transaction = new ClientTransaction({
    request,
    reliable: options.reliable ?? false,
    timers: standardTimers,
    send: async (message) => {
      sent.push({ at: now, request: message });
      if (options.unreachable) throw new Error('unreachable');
    },
    onResponse: (response) => heard.push(response.status),
    onFailure: (failure) => failures.push(failure),
    onTerminated: () => ended++,
  });
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 100) {
      now += 100;
      mock.timers.tick(100);
    }
  };
  const answer = (status: number) => {
    const response = newResponse(request, status, 'x');
    response.headers.set('to', '<sip:bob@example.com>;tag=2');
    transaction.receive(response);
  };
  transaction.start();
  return {
    transaction,
    sent,
    heard,
    failures,
    pass,
    answer,
    ended: () => ended,
    times: () => sent.map(({ at }) => at),
  };
}

describe('the client transaction of an INVITE (RFC 3261 §17.1.1)', () => {
  it('repeats over UDP at 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s (timer A) and gives up after 32 s (timer B)', () => {
    const invite = client('INVITE');
    invite.pass(31_900);
    assert.deepEqual(invite.times(), [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500]);
    assert.deepEqual(invite.failures, []);
    invite.pass(100);
    assert.deepEqual(invite.failures, ['timeout']);
    assert.equal(invite.ended(), 1);
  });

  it('repeats nothing over TCP, and gives up after 32 s all the same', () => {
    const invite = client('INVITE', { reliable: true });
    invite.pass(32_000);
    assert.deepEqual(invite.times(), [0]);
    assert.deepEqual(invite.failures, ['timeout']);
  });

  it('after a provisional response it repeats no more and rings as long as it is let', () => {
    const invite = client('INVITE');
    invite.answer(180);
    invite.pass(200_000);
    assert.deepEqual(invite.times(), [0]);
    assert.deepEqual(invite.failures, []);
    invite.answer(183);
    assert.deepEqual(invite.heard, [180, 183]);
  });

  it('acknowledges a refusal, each time it comes, with the branch and route of the INVITE; ends after timer D', () => {
    const invite = client('INVITE');
    invite.answer(486);
    invite.answer(486);
    const acks = invite.sent.slice(1).map(({ request }) => request);
    assert.equal(acks.length, 2);
    for (const ack of acks) {
      assert.equal(ack.method, 'ACK');
      assert.match(ack.headers.get('via') ?? '', /branch=z9hG4bKabc/);
      assert.equal(ack.headers.get('cseq'), '7 ACK');
      assert.match(ack.headers.get('to') ?? '', /tag=2/);
      assert.equal(ack.headers.get('route'), '<sip:proxy.example.com;lr>');
    }
    assert.deepEqual(invite.heard, [486], 'the owner hears of it once');
    invite.pass(31_900);
    assert.equal(invite.ended(), 0);
    invite.pass(100);
    assert.equal(invite.ended(), 1);
  });

  it('passes on every 2xx, since forks may all answer, until timer M (RFC 6026)', () => {
    const invite = client('INVITE');
    invite.answer(200);
    invite.answer(200);
    invite.answer(180);
    assert.deepEqual(invite.heard, [200, 200]);
    assert.deepEqual(invite.times(), [0], 'the ACK of a 2xx is not the transaction’s');
    invite.pass(32_000);
    assert.equal(invite.ended(), 1);
    invite.answer(200);
    assert.deepEqual(invite.heard, [200, 200]);
  });

  it('says unreachable when nothing can be sent', async () => {
    const invite = client('INVITE', { unreachable: true });
    await settle();
    assert.deepEqual(invite.failures, ['unreachable']);
    assert.equal(invite.ended(), 1);
  });

  it('leaves no timer behind when it is ended', () => {
    const invite = client('INVITE');
    invite.transaction.terminate();
    invite.pass(100_000);
    assert.deepEqual(invite.times(), [0]);
    assert.deepEqual(invite.failures, []);
  });
});

describe('the client transaction of another request (RFC 3261 §17.1.2)', () => {
  it('repeats over UDP at doubling intervals up to 4 s (timer E) and gives up after 32 s (timer F)', () => {
    const bye = client('BYE');
    bye.pass(32_000);
    assert.deepEqual(bye.times(), [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    assert.deepEqual(bye.failures, ['timeout']);
  });

  it('goes on repeating each 4 s after a provisional response', () => {
    const bye = client('BYE');
    bye.answer(100);
    bye.pass(9_000);
    assert.deepEqual(bye.times(), [0, 500, 4_500, 8_500]);
  });

  it('swallows repeated final responses for 5 s (timer K)', () => {
    const bye = client('BYE');
    bye.answer(200);
    bye.answer(200);
    assert.deepEqual(bye.heard, [200]);
    bye.pass(4_900);
    assert.equal(bye.ended(), 0);
    bye.pass(100);
    assert.equal(bye.ended(), 1);
  });
});

function server(method: string, options: { reliable?: boolean } = {}) {
  const sent: { at: number; response: SipResponse }[] = [];
  let now = 0;
  let ended = 0;
  let unacknowledged = 0;
  const request = requestOf(method);
  const transaction = new ServerTransaction({
    request,
    reliable: options.reliable ?? false,
    timers: standardTimers,
    send: (response) => void sent.push({ at: now, response }),
    onTerminated: () => ended++,
  });
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 100) {
      now += 100;
      mock.timers.tick(100);
    }
  };
  const respond = (status: number) => transaction.respond(newResponse(request, status, 'x'), () => unacknowledged++);
  return {
    transaction,
    pass,
    respond,
    ended: () => ended,
    unacknowledged: () => unacknowledged,
    sent: () => sent.map(({ at, response }) => [at, response.status]),
  };
}

describe('the server transaction of an INVITE (RFC 3261 §17.2.1)', () => {
  it('answers a repeated INVITE with its last response', () => {
    const invite = server('INVITE');
    invite.transaction.trying();
    invite.respond(180);
    invite.transaction.receiveRepeated();
    assert.deepEqual(invite.sent(), [
      [0, 100],
      [0, 180],
      [0, 180],
    ]);
  });

  it('repeats a refusal (timer G) until the ACK, and ends 5 s after it (timer I)', () => {
    const invite = server('INVITE');
    invite.respond(486);
    invite.pass(4_000);
    assert.deepEqual(
      invite.sent().map(([at]) => at),
      [0, 500, 1_500, 3_500],
    );
    invite.transaction.receiveAck();
    invite.pass(4_900);
    assert.equal(invite.sent().length, 4);
    assert.equal(invite.ended(), 0);
    invite.pass(100);
    assert.equal(invite.ended(), 1);
  });

  it('gives up after 32 s without ACK (timer H)', () => {
    const invite = server('INVITE');
    invite.respond(200);
    invite.pass(32_000);
    assert.equal(invite.unacknowledged(), 1);
    assert.equal(invite.ended(), 1);
  });

  it('repeats a 2xx until it is acknowledged, over TCP too (§13.3.1.4)', () => {
    const invite = server('INVITE', { reliable: true });
    invite.respond(200);
    invite.pass(2_000);
    invite.transaction.acknowledged();
    invite.pass(60_000);
    assert.deepEqual(
      invite.sent().map(([at]) => at),
      [0, 500, 1_500],
    );
    assert.equal(invite.unacknowledged(), 0);
    assert.equal(invite.ended(), 1);
  });
});

describe('the server transaction of another request (RFC 3261 §17.2.2)', () => {
  it('answers a repeated request with its final response for 32 s (timer J)', () => {
    const bye = server('BYE');
    bye.respond(200);
    bye.transaction.receiveRepeated();
    bye.respond(500);
    assert.deepEqual(bye.sent(), [
      [0, 200],
      [0, 200],
    ]);
    bye.pass(32_000);
    assert.equal(bye.ended(), 1);
  });
});

describe('matching requests to server transactions (RFC 3261 §17.2.3)', () => {
  it('the ACK of a refusal has the key of its INVITE, a CANCEL one of its own', () => {
    assert.equal(serverTransactionKey(requestOf('ACK')), serverTransactionKey(requestOf('INVITE')));
    assert.notEqual(serverTransactionKey(requestOf('CANCEL')), serverTransactionKey(requestOf('INVITE')));
  });

  it('without the magic cookie (RFC 2543, RFC 4475 §3.2.1) the headers tell', () => {
    const old = (method: string) => {
      const request = requestOf(method);
      request.headers.set('via', 'SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bK');
      return request;
    };
    const other = old('INVITE');
    other.headers.set('call-id', 'c2');
    assert.equal(serverTransactionKey(old('INVITE')), serverTransactionKey(old('ACK')));
    assert.notEqual(serverTransactionKey(old('INVITE')), serverTransactionKey(other));
  });
});

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { OutgoingCallOptions } from '../../../src/sip/outgoing-call.ts';
import { network } from '../../../src/sip/test-phones.ts';
import { UserAgent, type UserAgentOptions } from '../../../src/sip/user-agent.ts';
import { answer, ask, expect, receive, receiveInvite, sdp, startSipp } from './sipp.ts';

async function phone(options: Partial<UserAgentOptions> = {}): Promise<UserAgent> {
  const agent = new UserAgent({ host: '127.0.0.1', port: 0, ...options });
  await agent.listen();
  after(() => agent.close());
  return agent;
}

const from = 'sip:+12025550000@127.0.0.1';

function call(agent: UserAgent, uri: string, options: Partial<OutgoingCallOptions> = {}) {
  return agent.invite(uri, { from, offer: sdp, ...options });
}

const ringThenAnswer = [
  receive('INVITE'),
  answer('180 Ringing'),
  answer('200 OK', { body: true, retransmit: true }),
  receive('ACK'),
];
describe('sipp as the callee', () => {
  for (const tcp of [false, true]) {
    it(`answers and we hang up, over ${tcp ? 'TCP' : 'UDP'}`, async () => {
      const sipp = await startSipp([...ringThenAnswer, receive('BYE'), answer('200 OK')].join('\n'), { tcp });
      const agent = await phone();
      const heard: string[] = [];
      const placed = call(agent, sipp.uri, {
        onRinging: (status) => heard.push(String(status)),
        onAnswered: (answered) => {
          heard.push(answered.includes('m=audio 40000') ? 'answered' : answered);
          placed.hangUp();
        },
      });
      const end = await placed.ended;
      assert.deepEqual(heard, ['180', 'answered']);
      assert.equal(end.kind, 'answered');
      assert.equal(end.endedBy, 'us');
      assert.equal(end.sipStatus, 200);
      assert.ok(end.ringingAt && end.answeredAt && end.answeredAt >= end.ringingAt);
      await sipp.passed;
    });
  }

  for (const [status, kind] of [
    ['486 Busy Here', 'busy'],
    ['600 Busy Everywhere', 'busy'],
    ['603 Decline', 'declined'],
    ['480 Temporarily Unavailable', 'no-answer'],
    ['404 Not Found', 'invalid-number'],
    ['484 Address Incomplete', 'invalid-number'],
    ['500 Server Internal Error', 'carrier-failure'],
    ['503 Service Unavailable', 'carrier-failure'],
  ] as const) {
    it(`${status} is ${kind}, and is acknowledged`, async () => {
      const headers = ['Reason: Q.850;cause=17;text="User busy"'];
      const sipp = await startSipp(
        [receive('INVITE'), answer('100 Trying'), answer(status, { retransmit: true, headers }), receive('ACK')].join(
          '\n',
        ),
      );
      const end = await call(await phone(), sipp.uri).ended;
      assert.equal(end.kind, kind);
      assert.equal(end.endedBy, 'them');
      assert.equal(end.sipStatus, Number(status.slice(0, 3)));
      assert.equal(end.q850Cause, 17);
      assert.equal(end.reason, 'User busy');
      await sipp.passed;
    });
  }

  it('that only rings is cancelled after the ring time: no-answer', async () => {
    const steps = [
      receive('INVITE'),
      answer('180 Ringing'),
      receive('CANCEL'),
      answer('200 OK'),
      terminated(),
      receive('ACK'),
    ];
    const sipp = await startSipp(steps.join('\n'));
    const end = await call(await phone(), sipp.uri, { ringMs: 400 }).ended;
    assert.equal(end.kind, 'no-answer');
    assert.equal(end.endedBy, 'us');
    await sipp.passed;
  });

  it('is cancelled by the signal: cancelled', async () => {
    const steps = [
      receive('INVITE'),
      answer('180 Ringing'),
      receive('CANCEL'),
      answer('200 OK'),
      terminated(),
      receive('ACK'),
    ];
    const sipp = await startSipp(steps.join('\n'));
    const controller = new AbortController();
    const placed = call(await phone(), sipp.uri, { signal: controller.signal, onRinging: () => controller.abort() });
    assert.equal((await placed.ended).kind, 'cancelled');
    await sipp.passed;
  });

  it('that answers in the moment we cancel is hung up at once: cancelled', async () => {
    const accepted = answer('200 OK', { body: true, retransmit: true }).replace('[last_CSeq:]', 'CSeq: 1 INVITE');
    const steps = [
      receive('INVITE'),
      answer('180 Ringing'),
      receive('CANCEL'),
      accepted,
      receive('ACK'),
      receive('BYE'),
      answer('200 OK'),
    ];
    const sipp = await startSipp(steps.join('\n'));
    const controller = new AbortController();
    let answered = false;
    const placed = call(await phone(), sipp.uri, {
      signal: controller.signal,
      onRinging: () => controller.abort(),
      onAnswered: () => {
        answered = true;
      },
    });
    assert.equal((await placed.ended).kind, 'cancelled');
    assert.equal(answered, false);
    await sipp.passed;
  });

  it('401: we authenticate, and sipp finds the answer right', async () => {
    const challenge =
      'WWW-Authenticate: Digest realm="sip.example.com", nonce="47ebe028cda119c35d4877b383027d28", algorithm=MD5, qop="auth"';
    const verify = '<action><verifyauth assign_to="ok" username="ada" password="secret"/></action>';
    const steps = [
      receive('INVITE'),
      answer('401 Unauthorized', { retransmit: true, headers: [challenge] }),
      receive('ACK'),
      `<recv request="INVITE" crlf="true">${verify}</recv>`,
      '<nop condexec="ok" condexec_inverse="true"><action><exec int_cmd="stop_now"/></action></nop>',
      answer('200 OK', { body: true, retransmit: true }),
      receive('ACK'),
      receive('BYE'),
      answer('200 OK'),
    ];
    const sipp = await startSipp(steps.join('\n'));
    const agent = await phone({ credentials: { username: 'ada', password: 'secret' } });
    const placed = call(agent, sipp.uri, { onAnswered: () => placed.hangUp() });
    assert.equal((await placed.ended).kind, 'answered');
    await sipp.passed;
  });

  it('407 is answered to the proxy, and a password that is refused ends the call', async () => {
    const challenge = (nonce: string) =>
      `Proxy-Authenticate: Digest realm="proxy", nonce="${nonce}", algorithm=SHA-256`;
    const answered =
      '<action><ereg regexp="Digest username=.ada., realm=.proxy., nonce=.one." search_in="hdr" header="Proxy-Authorization:" check_it="true" assign_to="found"/></action>';
    const steps = [
      receive('INVITE'),
      answer('407 Proxy Authentication Required', { retransmit: true, headers: [challenge('one')] }),
      receive('ACK'),
      `<recv request="INVITE" crlf="true">${answered}</recv>`,
      answer('407 Proxy Authentication Required', { retransmit: true, headers: [challenge('two')] }),
      receive('ACK'),
      '<Reference variables="found"/>',
    ];
    const sipp = await startSipp(steps.join('\n'));
    const agent = await phone({ credentials: { username: 'ada', password: 'wrong' } });
    const end = await call(agent, sipp.uri).ended;
    assert.equal(end.kind, 'carrier-failure');
    assert.equal(end.sipStatus, 407);
    await sipp.passed;
  });

  it('302 sends us on to where it says', async () => {
    const second = await startSipp([...ringThenAnswer, receive('BYE'), answer('200 OK')].join('\n'));
    const moved = answer('302 Moved Temporarily', { retransmit: true }).replace(
      /Contact: .*/,
      `Contact: <sip:elsewhere@127.0.0.1:9>;q=0.1, <${second.uri}>;q=0.9`,
    );
    const first = await startSipp([receive('INVITE'), moved, receive('ACK')].join('\n'));
    const placed = call(await phone(), first.uri, { onAnswered: () => placed.hangUp() });
    assert.equal((await placed.ended).kind, 'answered');
    await Promise.all([first.passed, second.passed]);
  });

  it('a reliable 183 is confirmed by PRACK, and its SDP is early media', async () => {
    const steps = [
      receiveInvite,
      answer('183 Session Progress', { body: true, retransmit: true, headers: ['Require: 100rel', 'RSeq: 701'] }),
      receive('PRACK'),
      answer('200 OK'),
      answer('200 OK', { retransmit: true })
        .replace('[last_CSeq:]', 'CSeq: 1 INVITE')
        .replace('[last_Via:]', 'Via:[$via]'),
      receive('ACK'),
      receive('BYE'),
      answer('200 OK'),
    ];
    const sipp = await startSipp(steps.join('\n'));
    const heard: string[] = [];
    const placed = call(await phone(), sipp.uri, {
      onEarlyMedia: () => heard.push('early media'),
      onAnswered: () => {
        heard.push('answered');
        placed.hangUp();
      },
    });
    assert.equal((await placed.ended).kind, 'answered');
    assert.deepEqual(heard, ['early media', 'answered']);
    await sipp.passed;
  });

  it('is called over a network that loses what is repeated once and then brings it twice', async () => {
    const sipp = await startSipp([...ringThenAnswer, receive('BYE'), answer('200 OK')].join('\n'));
    const agent = await phone({ timers: { t1: 100, t2: 800, t4: 1_000 } });
    const seen = new Map<string, number>();
    const uri = await network(agent, { localPort: () => sipp.port }, (message, to) => {
      const [start = ''] = message.split('\r\n');
      const key = `${to} ${start} ${/^CSeq:.*$/im.exec(message)?.[0]}`;
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      if (start.startsWith('INVITE')) return times === 2 ? [0] : []; // sipp does not know an INVITE again
      const isRepeated = !start.includes(' 180 ');
      return times === 1 && isRepeated ? [] : [0, 5];
    });
    const placed = call(agent, uri, { onAnswered: () => placed.hangUp() });
    const end = await placed.ended;
    assert.deepEqual([end.kind, end.endedBy, end.sipStatus], ['answered', 'us', 200]);
    await sipp.passed;
  });

  it('hangs up with a cause', async () => {
    const bye = ask('BYE', 1, { headers: ['Reason: Q.850;cause=16;text="Normal call clearing"'] });
    const sipp = await startSipp(
      [receiveInvite, answer('200 OK', { body: true, retransmit: true }), receive('ACK'), bye, expect(200)].join('\n'),
    );
    const end = await call(await phone(), sipp.uri).ended;
    assert.deepEqual(
      [end.kind, end.endedBy, end.q850Cause, end.reason],
      ['answered', 'them', 16, 'Normal call clearing'],
    );
    await sipp.passed;
  });

  it('puts us on hold by re-INVITE, refreshes by UPDATE, and asks what we can by OPTIONS', async () => {
    const hold = `${sdp}a=sendonly\r\n`;
    const steps = [
      receiveInvite,
      answer('200 OK', { body: true, retransmit: true }),
      receive('ACK'),
      ...[ask('INVITE', 1, { body: hold }), expect(200), ask('ACK', 1)],
      ...[ask('UPDATE', 2, { headers: ['Session-Expires: 90;refresher=uac', 'Supported: timer'] }), expect(200)],
      ...[ask('OPTIONS', 3), expect(200)],
      ...[ask('SUBSCRIBE', 4), expect(405)],
      ...[ask('INFO', 3), expect(500)],
      ...[ask('BYE', 5), expect(200)],
    ];
    const sipp = await startSipp(steps.join('\n'));
    const offers: string[] = [];
    const placed = call(await phone(), sipp.uri, {
      onOffer: (offer) => {
        offers.push(offer);
        return sdp.replace('a=rtpmap', 'a=recvonly\r\na=rtpmap');
      },
    });
    assert.equal((await placed.ended).endedBy, 'them');
    assert.equal(offers.length, 1);
    assert.match(offers[0] ?? '', /a=sendonly/);
    await sipp.passed;
  });

  it('wants to be refreshed: we send UPDATE at half time', async () => {
    const accepted = answer('200 OK', {
      body: true,
      retransmit: true,
      headers: ['Allow: INVITE, ACK, BYE, UPDATE', 'Require: timer', 'Session-Expires: 2;refresher=uac'],
    });
    const steps = [
      receiveInvite,
      accepted,
      receive('ACK'),
      receive('UPDATE'),
      answer('200 OK', { headers: ['Session-Expires: 2;refresher=uac'] }),
      receive('UPDATE'),
      answer('200 OK'),
      receive('BYE'),
      answer('200 OK'),
    ];
    const sipp = await startSipp(steps.join('\n'));
    const placed = call(await phone(), sipp.uri, { onAnswered: () => setTimeout(() => placed.hangUp(), 3_500) });
    assert.equal((await placed.ended).endedBy, 'us');
    await sipp.passed;
  });

  it('that promised to refresh and does not is hung up', async () => {
    const accepted = answer('200 OK', { body: true, retransmit: true, headers: ['Session-Expires: 1;refresher=uas'] });
    const sipp = await startSipp(
      [receiveInvite, accepted, receive('ACK'), receive('BYE'), answer('200 OK')].join('\n'),
    );
    const end = await call(await phone(), sipp.uri).ended;
    assert.equal(end.endedBy, 'us');
    await sipp.passed;
  });

  it('takes over a transfer and tells how it went', async () => {
    const notify = (cseq: number, line: string) =>
      ask('NOTIFY', cseq, { headers: ['Event: refer', 'Subscription-State: active'] }).replace(
        'Content-Length: [len]\n',
        `Content-Type: message/sipfrag\nContent-Length: [len]\n\n${line}\n`,
      );
    const steps = [
      receiveInvite,
      answer('200 OK', { body: true, retransmit: true }),
      ...[receive('ACK'), receive('REFER'), answer('202 Accepted')],
      ...[notify(1, 'SIP/2.0 100 Trying'), expect(200), notify(2, 'SIP/2.0 200 OK'), expect(200)],
      ...[receive('BYE'), answer('200 OK')],
    ];
    const sipp = await startSipp(steps.join('\n'));
    const { promise: transferred, resolve } = Promise.withResolvers<number | undefined>();
    const placed = call(await phone(), sipp.uri, {
      onAnswered: () => queueMicrotask(() => placed.session?.transfer('sip:+12025550199@127.0.0.1').then(resolve)),
    });
    assert.equal(await transferred, 200);
    placed.hangUp();
    await placed.ended;
    await sipp.passed;
  });
});

function terminated(): string {
  return answer('487 Request Terminated', { retransmit: true }).replace('[last_CSeq:]', 'CSeq: 1 INVITE');
}

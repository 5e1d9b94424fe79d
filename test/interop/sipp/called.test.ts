import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { IncomingCall } from '../../../src/sip/incoming-call.ts';
import { UserAgent } from '../../../src/sip/user-agent.ts';
import { answer, expect, place, receive, sdp, startSipp } from './sipp.ts';

/** A phone that sipp calls, and its first call. */
async function called(steps: string[], tcp = false): Promise<{ call: IncomingCall; passed: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<IncomingCall>();
  const agent = new UserAgent({ host: '127.0.0.1', port: 0, onInvite: resolve });
  await agent.listen();
  after(() => agent.close());
  const sipp = await startSipp(steps.join('\n'), { calling: agent.localPort('udp'), tcp });
  return { call: await promise, passed: sipp.passed };
}

const timer = ['Supported: timer', 'Session-Expires: 1800'];
const trying = expect(100, 'optional="true"');
const answered = [
  place('INVITE', 1, { body: true, headers: timer }),
  trying,
  expect(180),
  expect(200, 'rrs="true"'),
  place('ACK', 1, { inCall: true }),
];

describe('sipp as the caller', () => {
  for (const tcp of [false, true]) {
    it(`is answered and hangs up, over ${tcp ? 'TCP' : 'UDP'}`, async () => {
      const { call, passed } = await called([...answered, place('BYE', 2, { inCall: true }), expect(200)], tcp);
      assert.match(call.offer ?? '', /m=audio 40000/);
      call.ring();
      call.answer(sdp);
      const end = await call.ended;
      assert.deepEqual([end.kind, end.endedBy], ['answered', 'them']);
      await passed;
    });
  }

  it('is hung up by us', async () => {
    const { call, passed } = await called([...answered, receive('BYE'), answer('200 OK').replace(/;tag=.*/, '')]);
    call.ring();
    call.answer(sdp)?.hangUp(); // waits for the ACK
    assert.equal((await call.ended).endedBy, 'us');
    await passed;
  });

  it('puts us on hold', async () => {
    const hold = [
      place('INVITE', 2, { inCall: true, body: true }),
      trying,
      expect(200, 'rrs="true"'),
      place('ACK', 2, { inCall: true }),
    ];
    const { call, passed } = await called([...answered, ...hold, place('BYE', 3, { inCall: true }), expect(200)]);
    const offers: string[] = [];
    call.ring();
    call.answer(sdp, {
      onOffer: (offer) => {
        offers.push(offer);
        return sdp;
      },
    });
    assert.equal((await call.ended).endedBy, 'them');
    assert.equal(offers.length, 1);
    await passed;
  });

  it('is refused, and acknowledges it', async () => {
    const ack = place('ACK', 1, { inCall: true, branch: '[branch-3]' });
    const { call, passed } = await called([place('INVITE', 1, { body: true }), trying, expect(486), ack]);
    call.refuse(486, 'Busy Here', [['reason', 'Q.850;cause=17']]);
    assert.equal((await call.ended).q850Cause, 17);
    await passed;
  });

  it('gives up while it rings', async () => {
    const { call, passed } = await called([
      place('INVITE', 1, { body: true }),
      trying,
      expect(180),
      place('CANCEL', 1, { branch: '[branch-3]' }),
      expect(200),
      expect(487),
      place('ACK', 1, { inCall: true, branch: '[branch-6]' }),
    ]);
    call.ring();
    assert.equal((await call.ended).kind, 'cancelled');
    assert.equal(call.cancelled.aborted, true);
    await passed;
  });
});

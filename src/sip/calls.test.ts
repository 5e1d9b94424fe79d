import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallSession } from './call-session.ts';
import { Dialog } from './dialog.ts';
import type { IncomingCall } from './incoming-call.ts';
import type { SipResponse } from './message.ts';
import { parseMessage } from './parse-message.ts';
import { call, callee, isIdle, network, phone, sdp, until, uriOf } from './test-phones.ts';

/** An answered call between two phones, and both its ends. */
async function talk(
  options: {
    caller?: Parameters<typeof call>[2];
    callee?: Parameters<IncomingCall['answer']>[1];
    phones?: Parameters<typeof phone>[0];
  } = {},
) {
  const bob = await callee(options.phones);
  const ada = await phone(options.phones);
  const { promise: answered, resolve } = Promise.withResolvers<string>();
  const placed = call(ada, bob.uri, { onAnswered: resolve, ...options.caller });
  const received = await bob.next();
  const theirs = received.answer(sdp('callee'), options.callee) as CallSession;
  await answered;
  return { ada, bob: bob.agent, placed, received, ours: placed.session as CallSession, theirs };
}

describe('a call to us', () => {
  it('comes with its numbers and its offer, rings, has early media and is answered', async () => {
    const bob = await callee();
    const ada = await phone();
    const heard: string[] = [];
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const placed = call(ada, bob.uri, {
      displayName: 'Ada',
      onRinging: (status) => heard.push(String(status)),
      onEarlyMedia: (early) => heard.push(early),
      onAnswered: (answer) => {
        heard.push(answer);
        resolve();
      },
    });
    const received = await bob.next();
    assert.equal(received.from.displayName, 'Ada');
    assert.equal(received.to.uri, bob.uri);
    assert.equal(received.callId, placed.callId);
    assert.equal(received.offer, sdp('caller'));
    received.ring();
    received.ring(183, 'Session Progress', sdp('early'));
    received.answer(sdp('callee'));
    await answered;
    assert.deepEqual(heard, ['180', '183', sdp('early'), sdp('callee')]);
    assert.equal(bob.agent.counts.calls, 1);
  });

  it('is 480 where nobody may call', async () => {
    const end = await call(await phone(), uriOf(await phone())).ended;
    assert.deepEqual([end.kind, end.sipStatus], ['no-answer', 480]);
  });

  it('is refused with a cause', async () => {
    const bob = await callee();
    const ada = await phone();
    const placed = call(ada, bob.uri);
    const received = await bob.next();
    received.refuse(486, 'Busy Here', [['reason', 'Q.850;cause=17;text="User busy"']]);
    const [end, theirs] = await Promise.all([placed.ended, received.ended]);
    assert.deepEqual([end.kind, end.endedBy, end.q850Cause, end.reason], ['busy', 'them', 17, 'User busy']);
    assert.deepEqual(theirs, { kind: 'refused', endedBy: 'us', sipStatus: 486, q850Cause: 17, reason: 'User busy' });
    await until(() => isIdle(ada) && isIdle(bob.agent), 'nothing under way');
  });

  it('is cancelled by the caller, and cannot be answered any more', async () => {
    const bob = await callee();
    const ada = await phone();
    const placed = call(ada, bob.uri, { onRinging: () => placed.hangUp() });
    const received = await bob.next();
    received.ring();
    const [end, theirs] = await Promise.all([placed.ended, received.ended]);
    assert.deepEqual([end.kind, end.sipStatus], ['cancelled', 487]);
    assert.deepEqual([theirs.kind, theirs.endedBy, theirs.sipStatus], ['cancelled', 'them', 487]);
    assert.equal(received.cancelled.aborted, true);
    assert.equal(received.answer(sdp('callee')), undefined);
    await until(() => isIdle(ada) && isIdle(bob.agent), 'nothing under way');
  });

  it('with a session timer below our least is asked to come back with a longer one', async () => {
    const bob = await callee({ minSessionS: 600 });
    const placed = call(await phone({ sessionS: 90 }), bob.uri);
    const received = await bob.next();
    assert.equal(received.request.headers.get('session-expires'), '600');
    assert.equal(received.request.headers.get('cseq'), '2 INVITE');
    placed.hangUp();
    await placed.ended;
  });

  it('that wants reliable provisional responses is 420', async () => {
    const bob = await callee();
    const end = await call(await phone(), bob.uri, { headers: [['require', '100rel']] }).ended;
    assert.equal(end.sipStatus, 420);
  });

  it('goes back through the proxies that recorded themselves', async () => {
    const bob = await callee();
    const routes = '<sip:127.0.0.1:9;lr>, <sip:127.0.0.1:10;lr>';
    const sent: string[] = [];
    const ada = await phone();
    const uri = await network(ada, bob.agent, (message) => {
      sent.push(message);
      return [0];
    });
    call(ada, uri, { headers: [['record-route', routes]] });
    (await bob.next()).ring();
    await until(() => sent.some((message) => message.startsWith('SIP/2.0 180')), 'ringing');
    const ringing = sent.find((message) => message.startsWith('SIP/2.0 180')) ?? '';
    const routed = [...ringing.matchAll(/^Record-Route: (.*)$/gm)].map(([, route]) => route?.trim());
    assert.deepEqual(routed, routes.split(', '));
    assert.match(ringing, /^To: <.*>;tag=\w+/m);
  });
});

describe('hanging up', () => {
  it('by the caller', async () => {
    const { ada, bob, placed, received } = await talk();
    placed.hangUp();
    const [end, theirs] = await Promise.all([placed.ended, received.ended]);
    assert.deepEqual([end.kind, end.endedBy], ['answered', 'us']);
    assert.deepEqual([theirs.kind, theirs.endedBy], ['answered', 'them']);
    await until(() => isIdle(ada) && isIdle(bob), 'nothing under way');
  });

  it('by the callee, with a cause', async () => {
    const { ada, bob, placed, received, theirs } = await talk();
    theirs.hangUp('Normal call clearing', 16);
    const end = await placed.ended;
    assert.deepEqual([end.endedBy, end.q850Cause, end.reason], ['them', 16, 'Normal call clearing']);
    assert.equal((await received.ended).endedBy, 'us');
    await until(() => isIdle(ada) && isIdle(bob), 'nothing under way');
  });

  it('by the callee in the moment of its answer waits for the ACK (RFC 3261 §15)', async () => {
    const bob = await callee();
    const sent: string[] = [];
    const ada = await phone();
    const uri = await network(ada, bob.agent, (message) => {
      sent.push(message.split(' ', 1)[0] ?? '');
      return [0];
    });
    const placed = call(ada, uri);
    (await bob.next()).answer(sdp('callee'))?.hangUp();
    assert.equal((await placed.ended).endedBy, 'them');
    assert.equal(
      sent.find((method) => method === 'ACK' || method === 'BYE'),
      'ACK',
    );
  });

  it('goes through when the BYE is lost', async () => {
    const bob = await callee();
    const ada = await phone();
    let byes = 0;
    const uri = await network(ada, bob.agent, (message) => (message.startsWith('BYE') && ++byes < 3 ? [] : [0]));
    const placed = call(ada, uri, { onAnswered: () => placed.hangUp() });
    const received = await bob.next();
    received.answer(sdp('callee'));
    assert.equal((await received.ended).endedBy, 'them');
    await until(() => isIdle(ada) && isIdle(bob.agent), 'nothing under way');
  });
});

describe('a lost ACK', () => {
  it('is sent again for the repeated answer', async () => {
    const bob = await callee();
    const ada = await phone();
    let acks = 0;
    const uri = await network(ada, bob.agent, (message) => (message.startsWith('ACK') && ++acks < 3 ? [] : [0]));
    call(ada, uri);
    const theirs = (await bob.next()).answer(sdp('callee'));
    assert.equal(await theirs?.reinvite(sdp('callee')), undefined); // waits for the ACK
    assert.ok(acks >= 3);
  });

  it('for ever ends the call on both sides', async () => {
    const bob = await callee();
    const ada = await phone();
    const uri = await network(ada, bob.agent, (message) => (message.startsWith('ACK') ? [] : [0]));
    const placed = call(ada, uri);
    const received = await bob.next();
    received.answer(sdp('callee'));
    assert.deepEqual([(await received.ended).kind, (await received.ended).endedBy], ['answered', 'network']);
    assert.equal((await placed.ended).endedBy, 'them');
    await until(() => isIdle(ada) && isIdle(bob.agent), 'nothing under way');
  });
});

describe('a new offer', () => {
  it('of the caller is answered by the callee', async () => {
    const offers: string[] = [];
    const { ours } = await talk({ callee: { onOffer: (offer) => `answer ${offers.push(offer)}` } });
    assert.equal(await ours.reinvite(sdp('hold')), 'answer 1');
    assert.deepEqual(offers, [sdp('hold')]);
  });

  it('of the callee is answered by the caller', async () => {
    const { theirs } = await talk({ caller: { onOffer: (offer) => offer.replace('hold', 'held') } });
    assert.equal(await theirs.reinvite(sdp('hold')), sdp('held'));
  });

  it('that is refused leaves the call as it was', async () => {
    const { ours, placed } = await talk({ callee: { onOffer: () => undefined } });
    assert.equal(await ours.reinvite(sdp('hold')), undefined);
    placed.hangUp();
    assert.equal((await placed.ended).endedBy, 'us');
  });

  it('several are made one after the other', async () => {
    const offers: string[] = [];
    const { ours } = await talk({
      callee: {
        onOffer: (offer) => {
          offers.push(offer);
          return offer;
        },
      },
    });
    await Promise.all(['a', 'b', 'c'].map((name) => ours.reinvite(sdp(name))));
    assert.deepEqual(offers, ['a', 'b', 'c'].map(sdp));
  });

  it('from both sides at once is made again by both and answered (491)', async () => {
    const bob = await callee();
    const ada = await phone();
    let glares = 0;
    const uri = await network(ada, bob.agent, (message) => {
      if (message.startsWith('SIP/2.0 491')) glares++;
      return [1];
    });
    const { promise: answered, resolve } = Promise.withResolvers<string>();
    const placed = call(ada, uri, { onAnswered: resolve, onOffer: (offer) => offer });
    const received = await bob.next();
    const theirs = received.answer(sdp('callee'), { onOffer: (offer) => offer });
    await answered;
    await theirs?.reinvite(sdp('first')); // by then the ACK of the answer has come
    const answers = await Promise.all([placed.session?.reinvite(sdp('a')), theirs?.reinvite(sdp('b'))]);
    assert.deepEqual(answers, [sdp('a'), sdp('b')]);
    assert.ok(glares >= 2);
  });

  it('resolves when the call ends before it is answered', async () => {
    const { ours, theirs, placed } = await talk({
      callee: {
        onOffer: () => {
          theirs.hangUp();
          return undefined;
        },
      },
    });
    assert.equal(await ours.reinvite(sdp('hold')), undefined);
    await placed.ended;
  });
});

describe('the session timer (RFC 4028)', () => {
  it('is kept by the caller, who asked for it, as long as the call goes on', async () => {
    const bob = await callee({ minSessionS: 1 });
    const ada = await phone({ sessionS: 1, minSessionS: 1 });
    let refreshes = 0;
    const { promise: refreshed, resolve } = Promise.withResolvers<void>();
    const uri = await network(ada, bob.agent, (message, to) => {
      if (message.startsWith('UPDATE') && to === 'callee' && ++refreshes === 3) resolve();
      return [0];
    });
    const placed = call(ada, uri);
    (await bob.next()).answer(sdp('callee'));
    await refreshed;
    placed.hangUp();
    assert.equal((await placed.ended).endedBy, 'us');
  });

  it('runs out at the callee when the caller is gone', async () => {
    const bob = await callee({ minSessionS: 1 });
    const ada = await phone({ sessionS: 1, minSessionS: 1 });
    let isCut = false;
    const uri = await network(ada, bob.agent, () => (isCut ? [] : [0]));
    const placed = call(ada, uri, {
      onAnswered: () => {
        setTimeout(() => {
          isCut = true;
        }, 100);
      },
    });
    const received = await bob.next();
    received.answer(sdp('callee'));
    const [ours, theirs] = await Promise.all([placed.ended, received.ended]);
    assert.equal(theirs.reason, 'session expired');
    assert.deepEqual([ours.endedBy, ours.reason], ['network', 'The other side is gone.']);
    await until(() => isIdle(ada) && isIdle(bob.agent), 'nothing under way');
  });

  it('is kept by the callee when the caller wants it so', async () => {
    const bob = await callee({ minSessionS: 1 });
    const ada = await phone({ minSessionS: 1 });
    const { promise: refreshed, resolve } = Promise.withResolvers<string>();
    const uri = await network(ada, bob.agent, (message, to) => {
      if (message.startsWith('UPDATE') && to === 'caller') resolve(message);
      return [0];
    });
    const placed = call(ada, uri);
    const received = await bob.next();
    received.request.headers.set('session-expires', '1;refresher=uas');
    received.answer(sdp('callee'));
    assert.match(await refreshed, /^Session-Expires: 1;refresher=uac/m);
    placed.hangUp();
    await placed.ended;
  });
});

describe('inside of a call', () => {
  it('INFO arrives on either side', async () => {
    const heard: string[] = [];
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const onInfo = (type: string, body: string) => {
      if (heard.push(`${type} ${body}`) === 2) resolve();
    };
    const { ours, theirs } = await talk({ caller: { onInfo }, callee: { onInfo } });
    ours.sendInfo('application/dtmf-relay', 'Signal=1');
    theirs.sendInfo('application/dtmf-relay', 'Signal=2');
    await both;
    assert.deepEqual(heard.sort(), ['application/dtmf-relay Signal=1', 'application/dtmf-relay Signal=2']);
  });

  it('a transfer is taken, and how it went is told', async () => {
    const targets: string[] = [];
    const { ours } = await talk({
      callee: {
        onTransfer: async (target) => {
          targets.push(target);
          return 486;
        },
      },
    });
    assert.equal(await ours.transfer('sip:+12025550199@example.com'), 486);
    assert.deepEqual(targets, ['sip:+12025550199@example.com']);
  });

  it('a transfer of who takes none is 405', async () => {
    const { theirs } = await talk();
    assert.equal(await theirs.transfer('sip:+12025550199@example.com'), 405);
  });

  it('before the answer: what would change the call has to wait, BYE ends it', async () => {
    const bob = await callee();
    const ada = await phone();
    const { promise: ringing, resolve } = Promise.withResolvers<SipResponse>();
    const uri = await network(ada, bob.agent, (message) => {
      const parsed = parseMessage(Buffer.from(message));
      if (message.startsWith('SIP/2.0 180') && parsed.kind === 'message') resolve(parsed.message as SipResponse);
      return [0];
    });
    const placed = call(ada, uri);
    const received = await bob.next();
    received.ring();
    const dialog = Dialog.ofCaller(received.request, await ringing) as Dialog;
    const ask = (method: string) =>
      new Promise<unknown>((answer) =>
        ada.sendInDialog(dialog.newRequest(method), dialog, answer),
      ) as Promise<SipResponse>;
    const waiting = await ask('UPDATE');
    assert.equal(waiting.status, 500);
    assert.match(waiting.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await ask('PRACK')).status, 481);
    assert.equal((await ask('BYE')).status, 200);
    assert.equal((await received.ended).kind, 'cancelled');
    assert.equal((await placed.ended).sipStatus, 487);
  });
});

describe('closing a telephone', () => {
  it('ends the calls of both kinds, ringing or answered', async () => {
    const { ada, bob, placed, received } = await talk();
    const ringing = call(ada, uriOf(await phone({ onInvite: () => {} })));
    await Promise.all([ada.close(), bob.close()]);
    const [end, ringingEnd, theirs] = await Promise.all([placed.ended, ringing.ended, received.ended]);
    assert.deepEqual([end.kind, end.endedBy], ['answered', 'us']);
    assert.deepEqual([ringingEnd.kind, ringingEnd.endedBy], ['network-failure', 'us']);
    assert.deepEqual([theirs.kind, theirs.endedBy], ['answered', 'us']);
    assert.ok(isIdle(ada) && isIdle(bob));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallSession } from './call-session.ts';
import type { IncomingCall } from './incoming-call.ts';
import { call, callee, type Fate, isIdle, network, phone, quick, sdp, until, uriOf } from './test-phones.ts';
import type { UserAgent } from './user-agent.ts';

/** Mulberry32: the same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Loses a fifth, doubles and reorders some; the same datagram is lost three times at most, or any call might fail. */
function badNetwork(seed: number): Fate {
  const random = generator(seed);
  const losses = new Map<string, number>();
  return (message, to) => {
    const lost = losses.get(to + message) ?? 0;
    if (lost < 3 && random() < 0.2) {
      losses.set(to + message, lost + 1);
      return [];
    }
    const delayMs = random() < 0.1 ? 1 + Math.floor(random() * 15) : 0;
    return random() < 0.05 ? [delayMs, delayMs + 2] : [delayMs];
  };
}

/** Runs `work` for 0 to `count`, some at once. */
async function inTurn(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

async function idle(...agents: UserAgent[]): Promise<void> {
  await until(() => agents.every(isIdle), 'nothing under way', 10_000);
}

describe('over a network that loses, doubles and reorders', () => {
  const fates = ['we-hang-up', 'they-hang-up', 'busy', 'cancelled', 'no-answer'] as const;
  const ends: Record<string, string[]> = {
    'we-hang-up': ['answered us 200', 'answered them'],
    'they-hang-up': ['answered them 200', 'answered us'],
    busy: ['busy them 486', 'refused us'],
    cancelled: ['cancelled us 487', 'cancelled them'],
    'no-answer': ['no-answer us 487', 'cancelled them'],
  };

  it('300 calls each end as they should', async () => {
    const received = new Map<string, PromiseWithResolvers<IncomingCall>>();
    const arrivalOf = (user: string) => {
      const known = received.get(user) ?? Promise.withResolvers<IncomingCall>();
      received.set(user, known);
      return known;
    };
    const onInvite = (each: IncomingCall) => {
      const user = /sip:(.*)@/.exec(each.to.uri)?.[1] ?? '';
      arrivalOf(user).resolve(each);
      each.ring();
      if (user.startsWith('busy')) each.refuse(486, 'Busy Here');
      if (user.startsWith('we-hang-up')) each.answer(sdp('callee'));
      if (user.startsWith('they-hang-up')) each.answer(sdp('callee'))?.hangUp();
    };
    const bob = await phone({ onInvite });
    const ada = await phone();
    const uri = await network(ada, bob, badNetwork(20_251));
    await inTurn(300, 30, async (index) => {
      const fate = fates[index % fates.length] ?? 'busy';
      const user = `${fate}-${index}`;
      const placed = call(ada, uri.replace('bob', user), {
        ringMs: fate === 'no-answer' ? 200 : 10_000,
        onAnswered: () => fate === 'we-hang-up' && placed.hangUp(),
      });
      const theirs = await arrivalOf(user).promise;
      if (fate === 'cancelled') placed.hangUp();
      const [ours, their] = await Promise.all([placed.ended, theirs.ended]);
      assert.deepEqual(
        [`${ours.kind} ${ours.endedBy} ${ours.sipStatus}`, `${their.kind} ${their.endedBy}`],
        ends[fate],
        user,
      );
    });
    await idle(ada, bob);
  });
});

async function talking(options: Parameters<typeof phone>[0] = {}) {
  const bob = await callee(options);
  const ada = await phone(options);
  const { promise: answered, resolve } = Promise.withResolvers<string>();
  const placed = call(ada, bob.uri, { onAnswered: resolve });
  const received = await bob.next();
  received.answer(sdp('callee'), { onOffer: (offer) => offer });
  await answered;
  await received.session?.reinvite(sdp('callee')); // by then the ACK has come
  return { ada, bob: bob.agent, placed, received, ours: placed.session as CallSession };
}

describe('a peer that vanishes', () => {
  it('can be hung up all the same', async () => {
    const { ada, bob, placed } = await talking();
    await bob.close();
    placed.hangUp();
    const end = await placed.ended;
    assert.deepEqual([end.kind, end.endedBy], ['answered', 'us']);
    await idle(ada);
  });

  it('is noticed by the caller, whose refresh stays without an answer', async () => {
    const { ada, bob, placed } = await talking({ sessionS: 1, minSessionS: 1 });
    await bob.close();
    const end = await placed.ended;
    assert.deepEqual([end.kind, end.endedBy, end.reason], ['answered', 'network', 'The other side is gone.']);
    await idle(ada);
  });

  it('is noticed by the callee, who is not refreshed', async () => {
    const { ada, bob, received } = await talking({ sessionS: 1, minSessionS: 1 });
    await ada.close();
    const end = await received.ended;
    assert.deepEqual([end.kind, end.endedBy, end.reason], ['answered', 'us', 'session expired']);
    await idle(bob);
  });

  it('is noticed by a new offer', async () => {
    const { ada, bob, placed, ours } = await talking();
    await bob.close();
    assert.equal(await ours.reinvite(sdp('hold')), undefined);
    assert.equal((await placed.ended).endedBy, 'network');
    await idle(ada);
  });
});

describe('a peer that was restarted', () => {
  it('does not know the call: a new offer ends it', async () => {
    const { ada, bob, placed, ours } = await talking();
    const port = bob.localPort('udp');
    await bob.close();
    await phone({ port });
    assert.equal(await ours.reinvite(sdp('hold')), undefined);
    const end = await placed.ended;
    assert.deepEqual([end.endedBy, end.reason], ['network', 'The other side does not know the call.']);
    await idle(ada);
  });

  it('does not know the call: hanging up is over at once', async () => {
    const { ada, bob, placed } = await talking();
    const port = bob.localPort('udp');
    await bob.close();
    const again = await phone({ port });
    placed.hangUp();
    assert.equal((await placed.ended).endedBy, 'us');
    await idle(ada, again);
  });
});

describe('5,000 calls', () => {
  it('leave no call, dialog, transaction, timer or socket behind', async () => {
    const timers = { ...quick, t1: 30, t2: 240 };
    const onInvite = (each: IncomingCall) => {
      each.ring();
      each.answer(sdp('callee'));
    };
    const bob = await phone({ timers, onInvite });
    const ada = await phone({ timers });
    const held = () => {
      const counts: Record<string, number> = {};
      for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    };
    const before = held();
    const ends: Record<string, number> = {};
    await inTurn(5_000, 50, async () => {
      const placed = call(ada, uriOf(bob), { onAnswered: () => placed.hangUp() });
      const { kind } = await placed.ended;
      ends[kind] = (ends[kind] ?? 0) + 1;
    });
    assert.deepEqual(ends, { answered: 5_000 });
    await idle(ada, bob);
    for (const [kind, count] of Object.entries(held())) assert.ok(count <= (before[kind] ?? 0), `${count} ${kind}`);
  });
});

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { DeliveryWorker } from './deliver.ts';

type Item = { endpointId: string; name: string };

/** A clock whose sleepers wake when they are told. */
function standingClock() {
  const sleepers = new Set<() => void>();
  return {
    now: () => new Date(),
    sleep: (_ms: number, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise<void>((resolve, reject) => {
        sleepers.add(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
    ring: () => {
      for (const sleeper of sleepers) sleeper();
    },
  };
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

function setUp(queue: Item[], limits = { total: 10, perEndpoint: 2 }) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const errors: unknown[] = [];
  const clock = standingClock();
  const worker = new DeliveryWorker<Item>({
    // What the database does, without one.
    claim: async (limit, underWay) => {
      const counts = new Map(underWay);
      const taken: Item[] = [];
      for (const item of [...queue]) {
        const count = counts.get(item.endpointId) ?? 0;
        if (taken.length >= limit || count >= limits.perEndpoint) continue;
        counts.set(item.endpointId, count + 1);
        queue.splice(queue.indexOf(item), 1);
        taken.push(item);
      }
      return taken;
    },
    deliver: (item) => {
      begun.push(item.name);
      return new Promise((resolve, reject) => {
        ends.set(item.name, (error) => (error ? reject(error) : resolve()));
      });
    },
    limits,
    clock,
    onError: (error) => errors.push(error),
  });
  open.push(() => {
    for (const end of ends.values()) end();
    return worker.close();
  });
  return { worker, begun, ends, errors, clock };
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const items = (endpointId: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ endpointId, name: `${endpointId}${i}` }));

describe('DeliveryWorker', () => {
  it('a slow receiver does not hold up another', async () => {
    const { begun, ends } = setUp([...items('slow', 5), ...items('fast', 5)]);
    await settle();
    for (let i = 0; i < 5; i++) {
      ends.get(`fast${i}`)?.();
      await settle();
    }
    assert.deepEqual(begun.toSorted(), ['fast0', 'fast1', 'fast2', 'fast3', 'fast4', 'slow0', 'slow1']);
    ends.get('slow0')?.();
    await settle();
    assert.ok(begun.includes('slow2'));
  });

  it('has no more under way than it may', async () => {
    const { begun, ends } = setUp([...items('a', 2), ...items('b', 2), ...items('c', 2)], { total: 3, perEndpoint: 2 });
    await settle();
    assert.equal(begun.length, 3);
    ends.get('a0')?.();
    await settle();
    assert.equal(begun.length, 4);
  });

  it('looks again when it is woken, and by itself after a while', async () => {
    const queue: Item[] = [];
    const { worker, begun, clock } = setUp(queue);
    await settle();
    queue.push(...items('a', 1));
    await settle();
    assert.deepEqual(begun, []);
    worker.wake();
    await settle();
    assert.deepEqual(begun, ['a0']);
    queue.push(...items('b', 1));
    clock.ring();
    await settle();
    assert.deepEqual(begun, ['a0', 'b0']);
  });

  it('goes on after a delivery that threw', async () => {
    const { begun, ends, errors } = setUp(items('a', 3));
    await settle();
    ends.get('a0')?.(new Error('broken'));
    await settle();
    assert.equal(errors.length, 1);
    assert.ok(begun.includes('a2'));
  });

  it('closes once what is under way is done, and takes nothing more', async () => {
    const queue = items('a', 3);
    const { worker, begun, ends } = setUp(queue);
    await settle();
    let closed = false;
    const closing = worker.close().then(() => {
      closed = true;
    });
    await settle();
    assert.equal(closed, false);
    ends.get('a0')?.();
    ends.get('a1')?.();
    await closing;
    assert.deepEqual([begun.length, queue.length], [2, 1]);
    await worker.close();
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { inBatches } from './batches.ts';

describe('inBatches', () => {
  it('runs one alone at once, and what arrives meanwhile together', async () => {
    const batches: number[][] = [];
    const gates: (() => void)[] = [];
    const double = inBatches(async (items: number[]) => {
      batches.push(items);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items.map((item) => item * 2);
    });
    const tick = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const first = double(1);
    await tick();
    const second = double(2);
    await tick();
    const others = [3, 4, 5].map(double);
    await tick();
    assert.deepEqual(batches, [[1], [2]]);
    gates.shift()?.();
    assert.equal(await first, 2);
    await tick();
    assert.deepEqual(batches, [[1], [2], [3, 4, 5]]);
    for (const gate of gates) gate();
    assert.deepEqual(await Promise.all([second, ...others]), [4, 6, 8, 10]);
  });

  it('one that the database refuses does not fail the others', async () => {
    const refusal = Object.assign(new pg.DatabaseError('no', 2, 'error'), { code: '22021' });
    const run = inBatches(async (items: number[]) => {
      if (items.includes(2)) throw refusal;
      return items;
    });
    const results = await Promise.allSettled([1, 2, 3].map(run));
    assert.deepEqual(results, [
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 3 },
    ]);
  });

  it('a lost connection fails all of its batch: what became of them is not known', async () => {
    let runs = 0;
    const run = inBatches(async () => {
      runs++;
      throw new Error('Connection terminated');
    });
    const results = await Promise.allSettled([1, 2, 3].map(run));
    assert.ok(results.every((result) => result.status === 'rejected'));
    assert.equal(runs, 1);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PortPool } from './port-pool.ts';

describe('the ports for media', () => {
  it('are pairs within the range, the first of each even', () => {
    const taken = (range: { from: number; to: number }) => {
      const pool = new PortPool(range);
      return Array.from({ length: pool.available + 1 }, () => pool.take());
    };
    assert.deepEqual(taken({ from: 10, to: 15 }), [10, 12, 14, undefined]);
    assert.deepEqual(taken({ from: 11, to: 16 }), [12, 14, undefined]);
    assert.deepEqual(taken({ from: 12, to: 12 }), [undefined]);
    assert.deepEqual(taken({ from: 65_534, to: 65_535 }), [65_534, undefined]);
  });

  it('come back after all others', () => {
    const pool = new PortPool({ from: 10, to: 15 });
    pool.give(pool.take() ?? 0);
    assert.equal(pool.available, 3);
    assert.deepEqual([pool.take(), pool.take(), pool.take(), pool.take()], [12, 14, 10, undefined]);
    assert.equal(pool.available, 0);
  });

  it('are all there after many calls', () => {
    const pool = new PortPool({ from: 10_000, to: 14_999 });
    for (let call = 0; call < 10_000; call++) pool.give(pool.take() ?? 0);
    assert.equal(pool.available, 2_500);
    assert.equal(new Set(Array.from({ length: 2_500 }, () => pool.take())).size, 2_500);
  });
});

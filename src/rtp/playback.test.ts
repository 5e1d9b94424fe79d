import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Playback } from './playback.ts';

type Told = [id: number, samples: number, isComplete: boolean];

function newPlayback(): { playback: Playback; told: Told[]; next: () => number[] } {
  const told: Told[] = [];
  const playback = new Playback(8_000, (...each) => told.push(each));
  const next = () => {
    const frame = new Int16Array(160);
    return [...frame.subarray(0, playback.next(frame))];
  };
  return { playback, told, next };
}

const constant = (value: number, length: number) => new Int16Array(length).fill(value);

describe('what is to be said', () => {
  it('is said piece by piece without a gap', () => {
    const { playback, told, next } = newPlayback();
    playback.push(1, constant(1, 100));
    playback.push(2, constant(2, 200));
    playback.push(3, constant(3, 20));
    assert.deepEqual(next(), [...constant(1, 100), ...constant(2, 60)]);
    assert.deepEqual(told, [[1, 100, true]]);
    assert.deepEqual(next(), [...constant(2, 140), ...constant(3, 20)]);
    assert.deepEqual(next(), []);
    assert.deepEqual(told.slice(1), [
      [2, 200, true],
      [3, 20, true],
    ]);
  });

  it('may be nothing, which is said at once', () => {
    const { playback, told, next } = newPlayback();
    playback.push(1, constant(0, 0));
    playback.push(2, constant(2, 160));
    playback.push(3, constant(0, 0));
    assert.deepEqual(next(), [...constant(2, 160)]);
    assert.deepEqual(told.slice(0, 2), [
      [1, 0, true],
      [2, 160, true],
    ]);
    assert.deepEqual(next(), []);
    assert.deepEqual(told[2], [3, 0, true]);
  });

  it('tells how much of it was said when it is stopped, and fades out in 5 ms', () => {
    const { playback, told, next } = newPlayback();
    playback.push(1, constant(1_000, 800));
    playback.push(2, constant(1_000, 800));
    next();
    next();
    playback.stop();
    assert.deepEqual(told, [
      [1, 320, false],
      [2, 0, false],
    ]);
    const tail = next();
    assert.equal(tail.length, 40);
    for (const [i, sample] of tail.entries()) assert.equal(sample, Math.round(1_000 * (1 - (i + 1) / 40)));
    assert.deepEqual(next(), []);
  });

  it('fades out as well when it is stopped between two pieces', () => {
    const { playback, next } = newPlayback();
    playback.push(1, constant(1_000, 160));
    playback.push(2, constant(1_000, 160));
    next();
    playback.stop();
    assert.equal(next().length, 40);
  });

  it('is not heard at all when it is stopped before it began', () => {
    const { playback, told, next } = newPlayback();
    playback.push(1, constant(1_000, 160));
    playback.stop();
    playback.stop();
    assert.deepEqual(told, [[1, 0, false]]);
    assert.deepEqual(next(), []);
  });

  it('goes on with something else right after the fading', () => {
    const { playback, next } = newPlayback();
    playback.push(1, constant(1_000, 800));
    next();
    playback.stop();
    playback.push(2, constant(7, 160));
    assert.deepEqual(next().slice(40), [...constant(7, 120)]);
  });
});

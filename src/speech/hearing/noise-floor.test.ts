import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoiseFloor } from './noise-floor.ts';

function hearAll(floor: NoiseFloor, levels: number[]): number {
  let last = 0;
  for (const level of levels) last = floor.hear(level);
  return last;
}

const seconds = (count: number, level: number) => Array<number>(count * 50).fill(level);

test('the floor is the quietest, not the average', () => {
  assert.equal(hearAll(new NoiseFloor(), [-20, -22, -50, -21, -20]), -50);
});

test('a room that becomes louder is the new floor after four seconds', () => {
  const floor = new NoiseFloor();
  hearAll(floor, seconds(5, -60));
  assert.equal(hearAll(floor, seconds(2, -40)), -60);
  assert.equal(hearAll(floor, seconds(3, -40)), -40);
});

test('a room that becomes quieter is the new floor at once', () => {
  const floor = new NoiseFloor();
  hearAll(floor, seconds(5, -40));
  assert.equal(floor.hear(-55), -55);
});

test('digital silence is no floor', () => {
  const floor = new NoiseFloor();
  hearAll(floor, seconds(1, -45));
  assert.equal(hearAll(floor, seconds(2, -96)), -45);
});

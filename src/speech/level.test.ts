import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelDb } from './level.ts';

test('the level is in dB below full scale, without an offset of the line', () => {
  assert.ok(Math.abs(levelDb(new Int16Array(160).map((_, at) => (at % 2 ? 32_767 : -32_767)))) < 0.1);
  assert.equal(levelDb(new Int16Array(160).fill(1_000)), -96);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeZoneOf } from './time-zone.ts';

test('a number of a country with one clock has that clock', () => {
  assert.equal(timeZoneOf('+493012345678'), 'Europe/Berlin');
  assert.equal(timeZoneOf('+442079460000'), 'Europe/London');
});

test('a number of a country with several clocks, or of none, has ours', () => {
  const ours = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  assert.equal(timeZoneOf('+12025550100'), ours);
  assert.equal(timeZoneOf('+9990000000'), ours);
});

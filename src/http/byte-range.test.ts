import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readByteRange } from './byte-range.ts';

const size = 100;

describe('a Range header', () => {
  for (const [header, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=0-9', 0, 9],
    ['bytes=90-', 90, 99],
    ['bytes=99-99', 99, 99],
    ['bytes=50-1000', 50, 99],
    ['bytes=-10', 90, 99],
    ['bytes=-1000', 0, 99],
    ['bytes=-99999999999999999999999', 0, 99],
    ['Bytes=0-9', 0, 9],
    ['bytes= 0-9 ', 0, 9],
  ] as const) {
    it(`${header} of ${size} bytes is ${start} to ${end}`, () => {
      assert.deepEqual(readByteRange(header, size), { start, end });
    });
  }

  for (const header of ['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=99999999999999999999999-']) {
    it(`${header} of ${size} bytes cannot be satisfied`, () => {
      assert.equal(readByteRange(header, size), 'not_satisfiable');
    });
  }

  for (const header of [
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=9-0',
    'bytes=a-b',
    'bytes=0-1,3-4',
    'items=0-9',
  ]) {
    it(`${header} is ignored`, () => {
      assert.equal(readByteRange(header, size), 'whole');
    });
  }

  it('of an empty file cannot be satisfied', () => {
    for (const header of ['bytes=0-', 'bytes=-5', 'bytes=0-0'])
      assert.equal(readByteRange(header, 0), 'not_satisfiable');
  });

  it('never leads outside of the file', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^bytes=\d{0,5}-\d{0,5}$/), fc.nat(3_000), (header, size) => {
        const range = readByteRange(header, size);
        if (typeof range === 'string') return;
        assert.ok(0 <= range.start && range.start <= range.end && range.end < size);
      }),
    );
  });
});

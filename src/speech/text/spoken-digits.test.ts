import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { digitsInGroups } from './number-words.ts';
import { parseSpokenDigits } from './spoken-digits.ts';

const table: [heard: string, digits: string | undefined][] = [
  ['one two three four', '1234'],
  ['double five oh one', '5501'],
  ['triple nine', '999'],
  ['double oh seven', '007'],
  ["It's 555-0142.", '5550142'],
  ['my pin is 4 8 2 1', '4821'],
  ['4821', '4821'],
  ['oh seven oh', '070'],
  ['forty two seventeen', '4217'],
  ['eight hundred', '800'],
  ['one eight hundred five five five', '1800555'],
  ['two thousand twenty six', '2026'],
  ['five five dash oh one', '5501'],
  ['five five for two', '5542'],
  ['four eight two for', '4824'],
  ['twelve, no wait, thirteen', '13'],
  ['five guys and two girls', undefined],
  ['not one two three', undefined],
  ['hello', undefined],
  ['for you', undefined],
];

describe('parseSpokenDigits', () => {
  for (const [heard, digits] of table) {
    it(`hears ${digits} in "${heard}"`, () => assert.equal(parseSpokenDigits(heard)?.value, digits));
  }

  it('refuses another number of digits than was asked for', () => {
    assert.equal(parseSpokenDigits('one two three four', { length: 4 })?.value, '1234');
    assert.equal(parseSpokenDigits('one two three', { length: 4 }), undefined);
  });

  it('is less sure of pairs and of words that sound like digits', () => {
    const sure = parseSpokenDigits('four two one seven')?.confidence ?? 0;
    assert.ok((parseSpokenDigits('forty two seventeen')?.confidence ?? 1) < sure);
    assert.ok((parseSpokenDigits('five five for two')?.confidence ?? 1) < 0.8);
  });

  it('hears all digits that are said', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,16}$/), (digits) => {
        assert.equal(parseSpokenDigits(digitsInGroups(digits))?.value, digits);
      }),
    );
  });
});

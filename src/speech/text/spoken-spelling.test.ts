import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseSpokenSpelling } from './spoken-spelling.ts';

const table: [heard: string, letters: string | undefined][] = [
  ['S M I T H', 'SMITH'],
  ['S-M-I-T-H.', 'SMITH'],
  ['J. O. H. N.', 'JOHN'],
  ['Smith, S M I T H', 'SMITH'],
  ["It's spelled J O H N", 'JOHN'],
  ['Sierra Mike India Tango Hotel', 'SMITH'],
  ['X-ray, yankee, zulu', 'XYZ'],
  ['S as in Sam, M as in Mary, I', 'SMI'],
  ['B for bravo, O, B', 'BOB'],
  ['A double N A', 'ANNA'],
  ['w as in whiskey, E, double u', 'WEW'],
  ['m as in november a n', 'NAN'],
  ['O apostrophe B R I E N', "O'BRIEN"],
  ['A B one two three', 'AB123'],
  ['I A N', 'IAN'],
  ['M see K', 'MCK'],
  ['capital J O', 'JO'],
  ['I am John', undefined],
  ['Hello there', undefined],
  ['a', undefined],
  ['not S M I T H', undefined],
  ['', undefined],
];

describe('parseSpokenSpelling', () => {
  for (const [heard, letters] of table) {
    it(`hears ${letters} in "${heard}"`, () => assert.equal(parseSpokenSpelling(heard)?.value, letters));
  }

  it('trusts the example above the letter, but less than both together', () => {
    assert.ok((parseSpokenSpelling('m as in november a n')?.confidence ?? 1) <= 0.7);
    assert.equal(parseSpokenSpelling('n as in november a n')?.confidence, 1);
  });

  it('is sure when the word stands beside its spelling', () => {
    assert.ok((parseSpokenSpelling('Bo, B O')?.confidence ?? 0) > (parseSpokenSpelling('B O')?.confidence ?? 1));
  });

  it('hears every word that is spelled', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z]{2,12}$/), (word) => {
        assert.equal(parseSpokenSpelling(word.split('').join(' '))?.value, word);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sentences } from './sentences.ts';
import { growthOf } from './test-growth.ts';

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();

const table: string[][] = [
  ['Hello.', 'How are you?', 'Fine!'],
  ['I am Dr. Smith.', 'Mr. and Mrs. Lee are here.'],
  ['It costs 3.5 dollars.', 'See e.g. this one, i.e. that.'],
  ['J. R. Smith called.', 'George W. Bush too.'],
  ['What?!', 'No... really.', 'Wait... what?'],
  ['He said "Stop."', 'Then he left.'],
  ['"Is it?" she said.', '"Yes!" he said.'],
  ['I live in the U.S. and like it.', 'So do I.', 'We go.'],
  ['Plan B.', 'Then we go.'],
  ['No. 5 is alive.', 'No.', 'I said no.'],
  ['Come at 9 a.m. on Monday.', 'It is 5 p.m.', 'We go now.'],
  ['It was Nov. 5 then.', '5 Nov. 2026 is fine.'],
  ['Cats vs. dogs, etc.', 'All of them.'],
  ['Hello!World is one.', 'Yes.'],
  ['Visit acme.com today.', 'Thanks.'],
];

describe('sentences', () => {
  for (const expected of table) {
    it(`ends sentences where a speaker would: ${expected.join(' | ')}`, () => {
      assert.deepEqual(sentences(expected.join(' ')), expected);
    });
  }

  it('takes an empty line as an end', () => {
    assert.deepEqual(sentences('A heading\n\nThe text'), ['A heading', 'The text']);
    assert.deepEqual(sentences(' \n '), []);
  });

  it('splits a long sentence at a comma, so that speaking starts soon', () => {
    const parts = sentences(
      'We would like to let you know that your appointment with the clinic, which was planned for Monday, has been moved to Tuesday, and that you should bring your card, your letter, and if you can the list of the medicines that you take.',
    );
    assert.equal(parts.length, 2);
    assert.ok(parts.every((part) => part.length <= 200));
    assert.match(parts[0] ?? '', /,$/);
  });

  it('does not split a long sentence inside a number', () => {
    const parts = sentences(`${'word '.repeat(30)}1,000,000 ${'word '.repeat(30)}end.`);
    assert.ok(parts.length > 1);
    assert.ok(parts.some((part) => part.includes('1,000,000')));
  });

  it('keeps the pieces of any long text under the limit, where it has spaces', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}[,;]?$/), { minLength: 40, maxLength: 200 }), (words) => {
        for (const part of sentences(words.join(' '))) assert.ok(part.length <= 200, part);
      }),
    );
  });

  it('gives back the text when joined, whatever the text', () => {
    const scraps = table.flat();
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(fc.constantFrom(...scraps, '\n', '...', '"', 'Dr.', 'A.', '1.', '\u3002', ' '), { maxLength: 20 })
        .map((parts) => parts.join(' ')),
      fc.array(fc.string({ maxLength: 30 }), { maxLength: 30 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const parts = sentences(text);
        assert.equal(parts.join(' '), squeezed(text));
        assert.ok(parts.every((part) => part === part.trim() && part !== ''));
      }),
      { numRuns: 1000 },
    );
  });

  it('takes time in proportion to the length of the text', () => {
    for (const scrap of ['Dr. ', 'a', 'a ', '. ', 'A. ', ', ', '"', '1.', '\n', 'a.\n']) {
      assert.ok(growthOf(sentences, scrap) < 9, JSON.stringify(scrap));
    }
  });
});

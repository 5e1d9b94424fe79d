import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { speakable } from './speakable.ts';
import { parseSpokenNumber } from './spoken-number.ts';

const table: [heard: string, value: number | undefined][] = [
  ['Four.', 4],
  ['Uh, twenty twenty six', 2026],
  ['nineteen eighty-five', 1985],
  ['nineteen oh five', 1905],
  ['two thousand five', 2005],
  ['zero', 0],
  ['Forty-two.', 42],
  ['a hundred', 100],
  ['hundred', 100],
  ['a hundred and one', 101],
  ['two hundred and five', 205],
  ['twenty five hundred', 2500],
  ['eleven hundred', 1100],
  ['a thousand', 1000],
  ['ten thousand and five', 10005],
  ['one hundred twenty three thousand', 123000],
  ['one million two hundred thirty-four thousand five hundred sixty-seven', 1234567],
  ['three hundred million', 3e8],
  ['3.5', 3.5],
  ['three point one four', 3.14],
  ['zero point zero five', 0.05],
  ['3.5 point zero', 3.5],
  ['two and a half', 2.5],
  ['one and a half million', 1.5e6],
  ['two point five million', 2.5e6],
  ['half a million', 5e5],
  ['half', 0.5],
  ['three quarters', 0.75],
  ['minus five', -5],
  ['negative two', -2],
  ['1,200', 1200],
  ['2,000,000', 2e6],
  ['3 million', 3e6],
  ['1.5k', 1500],
  ['25 hundred', 2500],
  ['a dozen', 12],
  ['two dozen', 24],
  ['half a dozen', 6],
  ['twenty first', 21],
  ['the 3rd', 3],
  ['the second one', 2],
  ['It is five, yes, five.', 5],
  ["I'm sixty seven years old", 67],
  ['None.', 0],
  ['no one', undefined],
  ['that one', undefined],
  ['one moment', undefined],
  ['just a second', undefined],
  ['not five', undefined],
  ["I don't have five", undefined],
  ['Hello there', undefined],
  ['', undefined],
];

describe('parseSpokenNumber', () => {
  for (const [heard, value] of table) {
    it(`hears ${value} in "${heard}"`, () => assert.equal(parseSpokenNumber(heard)?.value, value));
  }

  const confidence = (heard: string) => parseSpokenNumber(heard)?.confidence ?? 0;

  it('is sure of a plain number and less so of one among other words', () => {
    assert.equal(confidence('Four.'), 1);
    assert.ok(confidence('I saw four ducks swimming by yesterday') < 0.8);
  });

  it('doubts what may be said otherwise: "two fifty", single digits, words that sound alike', () => {
    assert.ok(confidence('two fifty') <= 0.7);
    assert.ok(confidence('five five five') <= 0.8);
    assert.deepEqual(parseSpokenNumber('For.'), { value: 4, confidence: 0.4, approximate: false });
    assert.equal(parseSpokenNumber('I came for it'), undefined);
  });

  it('hardly believes either of two numbers, but takes the corrected one', () => {
    assert.ok(confidence('two or three') <= 0.3);
    assert.equal(parseSpokenNumber('five, no wait, six')?.value, 6);
    assert.ok(confidence('five, no wait, six') < 0.7);
  });

  it('tells about how much from how much', () => {
    assert.equal(parseSpokenNumber('about fifty')?.approximate, true);
    assert.equal(parseSpokenNumber('fifty')?.approximate, false);
  });

  it('hears every whole number that is said', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.integer({ min: -999_999, max: 999_999 })),
        (value) => {
          assert.equal(parseSpokenNumber(speakable(String(value)))?.value, value);
        },
      ),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1e6, max: 999_999_999_999 }), (value) => {
        assert.equal(parseSpokenNumber(speakable(value.toLocaleString('en-US')))?.value, value);
      }),
    );
  });

  it('hears every decimal number that is said', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99999 }), fc.integer({ min: 1, max: 999 }), (whole, thousandths) => {
        const written = `${whole}.${String(thousandths).padStart(3, '0')}`;
        assert.equal(parseSpokenNumber(speakable(written))?.value, Number(written));
      }),
    );
  });

  it('never throws', () => {
    const words =
      'a and the one two twenty hundred thousand million point half minus oh 5 3.5 2nd zero dozen quarter'.split(' ');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...words)).map((all) => all.join(' ')),
        ),
        (text) => {
          const heard = parseSpokenNumber(text);
          if (heard) assert.ok(Number.isFinite(heard.value) && heard.confidence >= 0 && heard.confidence <= 1);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

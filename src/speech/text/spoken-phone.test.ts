import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { speakable } from './speakable.ts';
import { parseSpokenPhone } from './spoken-phone.ts';

const table: [heard: string, number: string][] = [
  ['two oh two five five five oh one oh oh', '+12025550100'],
  ["it's two oh two triple five oh one double oh", '+12025550100'],
  ['(202) 555-0100', '+12025550100'],
  ['202.555.0100', '+12025550100'],
  ['My number is 202-555-0100.', '+12025550100'],
  ['area code two oh two, five five five, oh one hundred', '+12025550100'],
  ['plus one, two zero two, five five five, zero one zero zero', '+12025550100'],
  ['+1 202 555 0100', '+12025550100'],
  ['plus four four two zero seven one eight three eight seven five zero', '+442071838750'],
  ['one eight hundred five five five oh one nine nine', '+18005550199'],
];

describe('parseSpokenPhone', () => {
  for (const [heard, number] of table) {
    it(`hears ${number} in "${heard}"`, () => {
      const phone = parseSpokenPhone(heard);
      assert.equal(phone?.kind, 'number');
      assert.equal(phone?.value, number);
    });
  }

  it('takes national numbers of the region', () => {
    assert.equal(
      parseSpokenPhone('oh two oh, seven one eight three, eight seven five oh', { region: 'GB' })?.value,
      '+442071838750',
    );
  });

  it('keeps the digits of a number that is not whole, as a guess', () => {
    const phone = parseSpokenPhone('five five five, oh one four two');
    assert.deepEqual(phone, { kind: 'digits', value: '5550142', confidence: 0.5 });
    assert.equal(parseSpokenPhone('one one one, one one one, one one one one')?.kind, 'digits');
  });

  it('hears the extension', () => {
    assert.equal(parseSpokenPhone('202-555-0100 extension five')?.extension, '5');
  });

  it('understands nothing in words without digits, in broken-up digits and in "not"', () => {
    for (const heard of ['I have none', 'two kids and five dogs', "don't call 202-555-0100", '']) {
      assert.equal(parseSpokenPhone(heard), undefined, heard);
    }
  });

  it('hears every number that is said, with and without the country', () => {
    const national = fc
      .tuple(
        fc.constantFrom('202', '212', '415', '512'),
        fc.integer({ min: 200, max: 999 }),
        fc.integer({ min: 0, max: 9999 }),
      )
      .map(([area, exchange, line]) => `${area}${exchange}${String(line).padStart(4, '0')}`)
      .filter((digits) => parsePhoneNumberFromString(digits, 'US')?.isValid() === true);
    fc.assert(
      fc.property(national, (digits) => {
        assert.equal(parseSpokenPhone(speakable(`+1${digits}`))?.value, `+1${digits}`);
        assert.equal(parseSpokenPhone(speakable(`Call ${digits}.`))?.value, `+1${digits}`);
      }),
    );
  });
});

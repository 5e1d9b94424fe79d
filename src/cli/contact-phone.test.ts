import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CountryCode } from 'libphonenumber-js/min';
import { toContactPhone } from './contact-phone.ts';

describe('toContactPhone', () => {
  const numbers: [string, CountryCode, string][] = [
    ['(202) 555-0100', 'US', '12025550100'],
    ['12025550100', 'US', '12025550100'],
    ['+44 20 7946 0958', 'US', '442079460958'],
    ['020 7946 0958', 'GB', '442079460958'],
    ['0044 20 7946 0958', 'DE', '442079460958'],
    ['\u202a+12025550100\u202c', 'GB', '12025550100'],
    ['tel:+1-202-555-0100', 'GB', '12025550100'],
  ];
  for (const [text, country, phone] of numbers) {
    it(`reads ${JSON.stringify(text)} in ${country} as ${phone}`, () => {
      assert.deepEqual(toContactPhone(text, country), { phone });
    });
  }

  const faults: [string, CountryCode, RegExp][] = [
    ['12345', 'US', /^is not a valid number in US$/],
    ['+1 202 555', 'GB', /^is not a valid number$/],
    ['call me', 'US', /not a valid number/],
    ['2025550100 / 2025550101', 'US', /not a valid number/],
    ['202-555-0100 ext. 7', 'US', /extension/],
    ['1.20256E+10', 'US', /shortened by a spreadsheet/],
  ];
  for (const [text, country, reason] of faults) {
    it(`refuses ${JSON.stringify(text)} in ${country}`, () => {
      const read = toContactPhone(text, country);
      assert.match('fault' in read ? read.fault : '', reason);
    });
  }

  it('does not guess a country code: a mistyped national number must not ring abroad', () => {
    assert.deepEqual(toContactPhone('442079460958', 'US'), {
      fault: 'is not a valid number in US; if it has a country code, write "+442079460958"',
    });
  });
});

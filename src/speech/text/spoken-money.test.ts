import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { speakable } from './speakable.ts';
import { parseSpokenMoney } from './spoken-money.ts';

const table: [heard: string, amount: number | undefined, currency?: string][] = [
  ['about twenty five hundred dollars', 2500, 'USD'],
  ['Twenty dollars.', 20, 'USD'],
  ['two dollars and fifty cents', 2.5, 'USD'],
  ['two dollars fifty', 2.5, 'USD'],
  ['one thousand two hundred dollars and five cents', 1200.05, 'USD'],
  ['$1,200.50', 1200.5, 'USD'],
  ['a hundred bucks', 100, 'USD'],
  ['five grand', 5000, 'USD'],
  ['fifty cents', 0.5, 'USD'],
  ['half a million dollars', 500_000, 'USD'],
  ['one and a half million dollars', 1_500_000, 'USD'],
  ['$3 million', 3_000_000, 'USD'],
  ['20 euros', 20, 'EUR'],
  ['€20', 20, 'EUR'],
  ['thirty pounds', 30, 'GBP'],
  ['ten quid', 10, 'GBP'],
  ['fifty pence', 0.5, 'GBP'],
  ['five hundred yen', 500, 'JPY'],
  ['two hundred rupees', 200, 'INR'],
  ['five dollars, no sorry, six dollars', 6, 'USD'],
  ['twelve hundred', 1200, 'USD'],
  ['twenty to thirty dollars', undefined],
  ['between 20 and 30 dollars', undefined],
  ['not five dollars', undefined],
  ['fifty percent', undefined],
  ['a lot of money', undefined],
  ['', undefined],
];

describe('parseSpokenMoney', () => {
  for (const [heard, amount, currency] of table) {
    it(`hears ${amount} ${currency ?? ''} in "${heard}"`, () => {
      const money = parseSpokenMoney(heard)?.value;
      assert.equal(money?.amount, amount);
      assert.equal(money?.currency, currency);
    });
  }

  it('tells about how much from how much', () => {
    assert.equal(parseSpokenMoney('about twenty five hundred dollars')?.value.approximate, true);
    assert.equal(parseSpokenMoney('twenty five hundred dollars')?.value.approximate, false);
  });

  it('is less sure without a currency, and then takes the one it is given', () => {
    assert.equal(parseSpokenMoney('twenty', { currency: 'GBP' })?.value.currency, 'GBP');
    assert.ok((parseSpokenMoney('twenty')?.confidence ?? 1) <= 0.6);
    assert.ok((parseSpokenMoney('two fifty')?.confidence ?? 1) < 0.5);
  });

  it('hears every amount that is said', () => {
    const signs: [string, string][] = [
      ['$', 'USD'],
      ['€', 'EUR'],
      ['£', 'GBP'],
      ['₹', 'INR'],
    ];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.constantFrom(...signs), (cents, [sign, currency]) => {
        const said = speakable(`${sign}${(cents / 100).toFixed(2)}`);
        const heard = parseSpokenMoney(said)?.value;
        assert.equal(heard?.amount, cents / 100, said);
        if (cents >= 100 && said.includes(' and ')) assert.equal(heard?.currency, currency, said);
      }),
    );
  });
});

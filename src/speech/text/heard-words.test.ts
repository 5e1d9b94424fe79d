import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heardWords, trustBeside } from './heard-words.ts';
import { parseSpokenEmail } from './spoken-email.ts';
import { parseSpokenNumber } from './spoken-number.ts';
import { parseSpokenYesNo } from './spoken-yes-no.ts';

describe('heardWords', () => {
  it('keeps the points and colons of numbers and takes everything else apart', () => {
    assert.deepEqual(heardWords("It's $1,200.50, at 2:30pm - Twenty-six!"), [
      "it's",
      '$',
      '1200.50',
      'at',
      '2:30',
      'pm',
      'twenty',
      'six',
    ]);
  });

  it('trusts an answer less with every word that has nothing to do with it', () => {
    assert.equal(trustBeside(['uh', 'my', 'number', 'is']), 1);
    assert.ok(trustBeside(['purple']) < 1);
    assert.ok(trustBeside(['purple', 'elephants']) < trustBeside(['purple']));
  });
});

describe('every parser', () => {
  it('understands nothing in a text too long to be an answer', () => {
    const story = 'blah '.repeat(300);
    assert.equal(parseSpokenNumber(`${story} five`), undefined);
    assert.equal(parseSpokenYesNo(`yes ${story}`), undefined);
    assert.equal(parseSpokenEmail(`${story} a@b.com`), undefined);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishedMs, patienceMs } from './patience.ts';

const sure = 0.9;

for (const text of [
  'Yes.',
  'No, thanks.',
  'Tuesday at three works for me.',
  'Who is this?',
  'I do.',
  'Four.',
  'It is.',
  'Thank you.',
  'Stop it.',
  'Yes, I can.',
  'Maybe.',
]) {
  test(`"${text}" is finished`, () => assert.equal(patienceMs(text, sure), finishedMs));
}

for (const text of [
  'I would like to',
  'Yes, and.',
  'We have, um,',
  'Because I',
  'My name is',
  'It is the.',
  'We went with…',
  'On Monday or.',
  'I live in the',
]) {
  test(`"${text}" goes on`, () => assert.ok(patienceMs(text, sure) > 2 * finishedMs));
}

test('somebody who dictates a number is waited for between its groups, but not after the last', () => {
  assert.ok(patienceMs('My number is 202-555.', sure) > finishedMs);
  assert.ok(patienceMs('Two oh two, five five five.', sure) > finishedMs);
  assert.equal(patienceMs('My number is 202-555-0142.', sure), finishedMs);
});

test('somebody who spells is waited for', () => {
  assert.ok(patienceMs('S M I', sure) > finishedMs);
});

test('what was hardly understood is waited for longer than what is clear', () => {
  assert.ok(patienceMs('Yes.', 0.2) > finishedMs);
  assert.ok(patienceMs('', 0) > finishedMs);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { speakable } from './speakable.ts';

const table: [sentence: string, spoken: string][] = [
  ['Great, thank you.', 'Great, thank you.'],
  ['**Great**, that is _very_ kind!', 'Great, that is very kind!'],
  ['*smiles warmly* Of course.', 'Of course.'],
  ['(laughs) Of course.', 'Of course.'],
  ['(in a friendly tone) Of course.', 'Of course.'],
  ['We come on Tuesday (the 7th).', 'We come on Tuesday (the 7th).'],
  ['## Next question', 'Next question'],
  ['- When would a visit suit you?', 'When would a visit suit you?'],
  ['1. When would a visit suit you?', 'When would a visit suit you?'],
  ['It costs 5 * 3 dollars.', 'It costs 5 3 dollars.'],
  ['Wonderful 😀!', 'Wonderful!'],
  ['Assistant: Good morning.', 'Good morning.'],
  ['"Good morning.', 'Good morning.'],
  ['He said "yes" to it.', 'He said "yes" to it.'],
  ['.. okay then.', 'okay then.'],
  ['See https://example.com/x for more.', ''],
  ['{"question": 1}', ''],
  ['"status": "answered"', ''],
  ['I call record_answer now.', ''],
  ['***', ''],
  ['', ''],
];

describe('what a voice can say of a sentence', () => {
  for (const [sentence, spoken] of table) {
    it(JSON.stringify(sentence), () => assert.equal(speakable(sentence), spoken));
  }
});

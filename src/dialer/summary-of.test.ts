import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Outcome } from '../domain/outcome.ts';
import { summaryOf } from './summary-of.ts';

const outcome = (kind: Outcome['kind'], reason: string): Outcome => ({
  kind,
  side: 'callee',
  retryable: false,
  endedBy: 'assistant',
  sipStatus: 200,
  reason,
});
const said = { name: 'Ada', wasAnswered: true, ofConversation: 'Ada was reached.' };

it('is the summary of the mind when there was a conversation', () => {
  assert.equal(summaryOf(outcome('completed', 'All questions were asked.'), said), 'Ada was reached.');
});

it('does not say that somebody was reached whose voicemail answered', () => {
  const summary = summaryOf(outcome('voicemail_left', 'A voicemail was left.'), said);
  assert.equal(summary, 'Ada was not reached. A voicemail was left.');
});

it('says why nobody answered', () => {
  const summary = summaryOf(outcome('busy', '486 Busy Here'), { ...said, wasAnswered: false });
  assert.equal(summary, 'Ada was not reached. 486 Busy Here.');
});

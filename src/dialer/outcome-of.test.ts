import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noReport } from '../rtp/media-line.ts';
import type { VoiceCallEnd } from '../telephone/voice-call.ts';
import { outcomeOf } from './outcome-of.ts';

const end = (changes: Partial<VoiceCallEnd>): VoiceCallEnd => ({
  kind: 'answered',
  endedBy: 'us',
  sipStatus: 200,
  q850Cause: null,
  reason: 'Normal call clearing',
  startedAt: new Date(),
  ringingAt: null,
  answeredAt: new Date(),
  endedAt: new Date(),
  media: noReport,
  ...changes,
});
const completed = { kind: 'completed', reason: 'All questions were asked.' } as const;
const hungUp = { kind: 'hung_up', reason: 'The person hung up.' } as const;

describe('outcomeOf', () => {
  for (const [kind, expected, side, retryable] of [
    ['busy', 'busy', 'callee', true],
    ['declined', 'declined', 'callee', false],
    ['no-answer', 'no_answer', 'callee', true],
    ['invalid-number', 'invalid_number', 'carrier', false],
    ['carrier-failure', 'carrier_failed', 'carrier', true],
    ['network-failure', 'carrier_failed', 'carrier', true],
    ['failed', 'failed', 'platform', true],
  ] as const) {
    it(`makes ${expected} of ${kind}`, () => {
      const outcome = outcomeOf(end({ kind, endedBy: 'them', sipStatus: 486 }), undefined, undefined);
      assert.deepEqual([outcome.kind, outcome.side, outcome.retryable], [expected, side, retryable]);
    });
  }

  it('says what was said to be the end, and who hung up', () => {
    assert.equal(outcomeOf(end({}), completed, undefined).endedBy, 'assistant');
    const outcome = outcomeOf(end({ endedBy: 'them' }), hungUp, undefined);
    assert.deepEqual([outcome.kind, outcome.endedBy, outcome.reason], ['hung_up', 'callee', 'The person hung up.']);
  });

  it('does not blame the person for a line that broke', () => {
    const outcome = outcomeOf(end({ endedBy: 'network', reason: 'Nothing was heard any more.' }), hungUp, undefined);
    assert.deepEqual([outcome.kind, outcome.endedBy], ['carrier_failed', 'carrier']);
  });

  it('is cancelled when the operator ended it, interrupted when the service stopped', () => {
    assert.equal(outcomeOf(end({}), hungUp, 'operator').kind, 'cancelled');
    assert.equal(outcomeOf(end({ kind: 'cancelled' }), undefined, 'operator').endedBy, 'operator');
    assert.equal(outcomeOf(end({}), hungUp, 'stopping').kind, 'interrupted');
  });

  it('stays what it was when the person was faster than the operator', () => {
    assert.equal(outcomeOf(end({ endedBy: 'them' }), completed, 'operator').kind, 'completed');
  });

  it('tells nothing of our own faults', () => {
    assert.doesNotMatch(outcomeOf(end({ kind: 'failed', reason: 'EMFILE' }), undefined, undefined).reason, /EMFILE/);
  });
});

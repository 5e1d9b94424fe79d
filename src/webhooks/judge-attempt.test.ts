import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeAttempt, mostAttempts } from './judge-attempt.ts';

const now = new Date('2026-03-01T12:00:00Z');
const hourMs = 3_600_000;

function judge(status: number, options: { attempts?: number; retryAfter?: string; random?: number } = {}) {
  const answer = { status, retryAfter: options.retryAfter, response: 'text' };
  const verdict = judgeAttempt(answer, options.attempts ?? 1, { now, random: () => options.random ?? 0.5 });
  const waitMs = verdict.nextAttemptAt && verdict.nextAttemptAt.getTime() - now.getTime();
  return { ...verdict, waitMs };
}

describe('judgeAttempt', () => {
  it('takes every 2xx as delivered', () => {
    for (const status of [200, 201, 204, 299]) assert.equal(judge(status).state, 'delivered');
  });

  it('tries again after anything else, redirects among it', () => {
    for (const status of [301, 302, 307, 400, 401, 404, 429, 500, 503]) {
      assert.equal(judge(status).state, 'pending', String(status));
    }
    assert.match(judge(307).error ?? '', /[Rr]edirect/);
    const silence = judgeAttempt({ status: null, error: 'No answer.' }, 1, { now, random: () => 0.5 });
    assert.deepEqual([silence.state, silence.status, silence.error], ['pending', null, 'No answer.']);
  });

  it('tries over about a day, each pause at least as long as the one before, then gives up', () => {
    const waits = Array.from({ length: mostAttempts - 1 }, (_, i) => judge(500, { attempts: i + 1 }).waitMs ?? 0);
    assert.deepEqual(
      waits,
      waits.toSorted((a, b) => a - b),
    );
    assert.equal(waits[0], 5_000);
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    assert.ok(total > 23 * hourMs && total < 25 * hourMs, String(total / hourMs));
    assert.equal(judge(500, { attempts: mostAttempts }).state, 'dead');
    assert.equal(judge(500, { attempts: mostAttempts + 3 }).state, 'dead');
  });

  it('spreads the attempts of many', () => {
    assert.equal(judge(500, { random: 0 }).waitMs, 4_500);
    assert.equal(judge(500, { random: 1 }).waitMs, 5_500);
  });

  it('410 is the end, of the webhook too', () => {
    const verdict = judge(410);
    assert.deepEqual([verdict.state, verdict.gone], ['dead', true]);
    assert.equal(judge(404).gone, false);
  });

  it('waits as long as Retry-After asks for, but no shorter than usual and no longer than 12 hours', () => {
    assert.equal(judge(429, { retryAfter: '90' }).waitMs, 90_000);
    assert.equal(judge(503, { retryAfter: 'Sun, 01 Mar 2026 12:02:00 GMT' }).waitMs, 120_000);
    assert.equal(judge(503, { retryAfter: '1' }).waitMs, 5_000);
    assert.equal(judge(503, { retryAfter: '99999999999999999999' }).waitMs, 12 * hourMs);
    for (const nonsense of ['', 'soon', '-5', '1e9', '9'.repeat(400)]) {
      const { waitMs } = judge(503, { retryAfter: nonsense });
      assert.ok(waitMs === 5_000 || waitMs === 12 * hourMs, nonsense);
    }
  });
});

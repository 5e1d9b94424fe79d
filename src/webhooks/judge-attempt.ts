import type { AttemptResult } from '../store/deliveries.ts';
import type { PostResult } from './post.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What lies between the attempts: about a day in all. */
const pausesMs = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  8 * hour,
];

export const mostAttempts = pausesMs.length + 1;

const longestRetryAfterMs = 12 * hour;
const jitter = 0.1;

/** What becomes of a delivery after its attempt number `attempts`. */
export function judgeAttempt(
  answer: PostResult,
  attempts: number,
  { now, random }: { now: Date; random: () => number },
): AttemptResult {
  if (answer.status === null) {
    return { ...failure(attempts, 0, now, random), status: null, error: answer.error, response: null };
  }
  const { status, response } = answer;
  if (status >= 200 && status < 300) {
    return { state: 'delivered', nextAttemptAt: null, status, error: null, response, gone: false };
  }
  if (status === 410) {
    const error = 'The receiver is gone for good (410): the webhook is disabled.';
    return { state: 'dead', nextAttemptAt: null, status, error, response, gone: true };
  }
  const error = status >= 300 && status < 400 ? 'Redirects are not followed.' : `The receiver answered ${status}.`;
  const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
  return { ...failure(attempts, retryAfterMs, now, random), status, error, response };
}

function failure(attempts: number, retryAfterMs: number, now: Date, random: () => number) {
  const pauseMs = pausesMs[attempts - 1];
  if (pauseMs === undefined) return { state: 'dead', nextAttemptAt: null, gone: false } as const;
  const waitMs = Math.max(pauseMs * (1 - jitter + 2 * jitter * random()), Math.min(retryAfterMs, longestRetryAfterMs));
  return { state: 'pending', nextAttemptAt: new Date(now.getTime() + waitMs), gone: false } as const;
}

/** RFC 9110 §10.2.3: seconds or a date. */
function parseRetryAfter(value: string | undefined, now: Date): number {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * second : Date.parse(value) - now.getTime();
  return Number.isFinite(ms) ? ms : 0;
}

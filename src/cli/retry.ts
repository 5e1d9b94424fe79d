import { systemClock } from '../clock.ts';
import { type Answer, problemOf, Unreachable } from './ask-service.ts';

const tries = 5;
const firstDelayMs = 500;

/** Asks until there is an answer worth having; only for requests that carry an Idempotency-Key. */
export async function askUntilAnswered(
  attempt: () => Promise<Answer>,
  options: { signal: AbortSignal; onRetry: (reason: string, delayMs: number) => void },
): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    const answer = await attempt().catch((error) => {
      if (error instanceof Unreachable) return error;
      throw error;
    });
    const reason = retryReason(answer);
    if (reason === undefined || tried === tries) {
      if (answer instanceof Unreachable) throw answer;
      return answer;
    }
    const delayMs = retryAfterMs(answer) ?? firstDelayMs * 2 ** (tried - 1) * (0.5 + Math.random() / 2);
    options.onRetry(reason, delayMs);
    await systemClock.sleep(delayMs, { signal: options.signal });
  }
}

function retryReason(answer: Answer | Unreachable): string | undefined {
  if (answer instanceof Unreachable) return 'no answer';
  const { status } = answer;
  const inProgress = status === 409 && problemOf(answer).code === 'idempotency_in_progress';
  return status === 429 || status >= 500 || inProgress ? `status ${status}` : undefined;
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryAfterMs(answer: Answer | Unreachable): number | undefined {
  const value = answer instanceof Unreachable ? null : answer.headers.get('retry-after');
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

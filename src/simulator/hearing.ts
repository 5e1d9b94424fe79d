import type { Heard } from './person.ts';

const frameMs = 20;
/** Louder than the noise of a line, softer than any voice. */
const speechLevel = 250;
const pauseMs = 800;
const shortestSpeechMs = 100;

type Waiting = { speechMs: number | undefined; silentAfterMs: number; resolve: (heard: Heard) => void };

/** Tells by loudness when the other one speaks and when it pauses. */
export class Hearing {
  #speechMs = 0;
  #quietMs = 0;
  #waitedMs = 0;
  #waiting: Waiting | undefined;

  /** Until speech and a pause, or, with `speechMs`, until so much speech. */
  next(silentAfterMs: number, speechMs?: number): Promise<Heard> {
    this.#waitedMs = 0;
    if (speechMs === undefined) this.#speechMs = 0;
    return new Promise((resolve) => {
      this.#waiting = { speechMs, silentAfterMs, resolve };
    });
  }

  digit(digit: string): void {
    this.#tell({ kind: 'digit', digit });
  }

  hear(pcm: Int16Array): void {
    if (levelOf(pcm) > speechLevel) {
      this.#speechMs += frameMs;
      this.#quietMs = 0;
    } else this.#quietMs += frameMs;
    this.#waitedMs += frameMs;
    const { speechMs, silentAfterMs } = this.#waiting ?? { speechMs: undefined, silentAfterMs: 0 };
    if (!this.#waiting) {
      if (this.#quietMs >= pauseMs) this.#speechMs = 0;
      return;
    }
    const hasSpoken = this.#speechMs >= shortestSpeechMs;
    if (speechMs !== undefined && this.#speechMs >= speechMs) this.#tell({ kind: 'speaking' });
    else if (hasSpoken && this.#quietMs >= pauseMs) {
      if (speechMs === undefined) this.#tell({ kind: 'spoke', ms: this.#speechMs });
      else this.#speechMs = 0;
    } else if (!hasSpoken && this.#waitedMs >= silentAfterMs) this.#tell({ kind: 'silence' });
  }

  #tell(heard: Heard): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    this.#speechMs = 0;
    waiting.resolve(heard);
  }
}

function levelOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return Math.sqrt(sum / pcm.length);
}

import type { Clock } from '../../src/clock.ts';

/** A clock that stands until it is moved; sleepers wake when their time has come. */
export class StandingClock implements Clock {
  #now = Date.now();
  readonly #sleepers = new Map<() => void, number>();

  now(): Date {
    return new Date(this.#now);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const [wake, at] of this.#sleepers) if (at <= this.#now) wake();
  }

  sleep(ms: number, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (act: () => void) => {
        this.#sleepers.delete(wake);
        signal?.removeEventListener('abort', stop);
        act();
      };
      const wake = () => done(resolve);
      const stop = () => done(() => reject(signal?.reason));
      this.#sleepers.set(wake, this.#now + ms);
      signal?.addEventListener('abort', stop);
      if (signal?.aborted) stop();
    });
  }
}

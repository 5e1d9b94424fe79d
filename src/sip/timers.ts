/** RFC 3261 §17.1.1.1: round trip, longest interval, longest life of a message in the network. */
export type TimerValues = { t1: number; t2: number; t4: number };

export const standardTimers: TimerValues = { t1: 500, t2: 4_000, t4: 5_000 };

/** The running timers of one owner, by their letter in the RFC; none outlives `clear`. */
export class Timers {
  readonly #running = new Map<string, NodeJS.Timeout>();

  set(letter: string, ms: number, fire: () => void): void {
    this.stop(letter);
    const timeout = setTimeout(() => {
      this.#running.delete(letter);
      fire();
    }, ms);
    this.#running.set(letter, timeout);
  }

  stop(letter: string): void {
    clearTimeout(this.#running.get(letter));
    this.#running.delete(letter);
  }

  clear(): void {
    for (const letter of [...this.#running.keys()]) this.stop(letter);
  }
}

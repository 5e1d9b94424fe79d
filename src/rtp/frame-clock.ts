import { performance } from 'node:perf_hooks';

/**
 * Whoever has something to do every 20 ms. `frame` counts them; a number may be left out after a standstill.
 * `nowMs` is that of `performance.now()`.
 */
export type FrameListener = { onFrame(frame: number, nowMs: number): void };

export type ClockHooks = {
  /** Every few milliseconds, while there is anybody to serve. */
  onWake: () => void;
  /** Several frames are done that were due together. */
  onServed: () => void;
  /** Sleeps to a fraction of a millisecond; Node's own timers know whole ones only. */
  rest?: ((ms: number) => void) | undefined;
};

const frameMs = 20;
const slots = 10;
const slotMs = frameMs / slots;
/** After a standstill of the machine what was missed for longer than this is left out. */
const longestCatchUp = 5 * slots;
/** So many frames leave together: few enough that the first ones do not wait long for the last. */
const servedTogether = 32;
const bucketsPerMs = 10;
const buckets = 100 * bucketsPerMs;

export type Lateness = { frames: number; p50Ms: number; p99Ms: number; maxMs: number };

/**
 * One clock for all calls. It counts from a fixed start, so that lateness never adds up, and spreads
 * the calls over ten moments of each frame, so that none waits for all others.
 */
export class FrameClock {
  readonly #slots = Array.from({ length: slots }, () => new Set<FrameListener>());
  readonly #slotOf = new Map<FrameListener, Set<FrameListener>>();
  readonly #hooks: ClockHooks;
  readonly #lateness = new Uint32Array(buckets);
  #maxLatenessMs = 0;
  readonly #startedAt = performance.now();
  #done = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(hooks: ClockHooks) {
    this.#hooks = hooks;
  }

  /** The first frame is due at once. */
  add(listener: FrameListener): void {
    if (this.#slotOf.has(listener)) return;
    if (this.#slotOf.size === 0) this.#start();
    // The slots just past come again in almost a whole frame. Many that begin together are spread over them.
    const past = [0, 1, 2].map((back) => this.#done - back);
    const sizes = past.map((moment) => this.#slotAt(moment).size);
    const chosen = past[sizes.indexOf(Math.min(...sizes))] ?? this.#done;
    const slot = this.#slotAt(chosen);
    slot.add(listener);
    this.#slotOf.set(listener, slot);
    listener.onFrame(Math.floor(chosen / slots), performance.now());
  }

  remove(listener: FrameListener): void {
    this.#slotOf.get(listener)?.delete(listener);
    this.#slotOf.delete(listener);
    if (this.#slotOf.size === 0) this.stop();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }

  /** How late frames were since the last time it was asked for. */
  takeLateness(): Lateness {
    const frames = this.#lateness.reduce((sum, count) => sum + count, 0);
    if (frames === 0) return { frames, p50Ms: 0, p99Ms: 0, maxMs: 0 };
    const quantile = (share: number): number => {
      let left = frames * share;
      const bucket = this.#lateness.findIndex((count) => {
        left -= count;
        return left <= 0;
      });
      return (bucket + 1) / bucketsPerMs;
    };
    const result = { frames, p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: this.#maxLatenessMs };
    this.#lateness.fill(0);
    this.#maxLatenessMs = 0;
    return result;
  }

  #start(): void {
    this.#done = this.#dueMoment();
    this.#scheduleWake();
  }

  #scheduleWake(): void {
    this.stop(); // of a start meanwhile
    if (this.#hooks.rest) this.#turn = setImmediate(this.#rest);
    else this.#timer = setTimeout(this.#wake, Math.max(0, Math.ceil(this.#untilNextMs())));
  }

  /** Messages to this thread have been read before; those that come now wait for two milliseconds at most. */
  readonly #rest = (): void => {
    const ms = this.#untilNextMs();
    if (ms > 0) this.#hooks.rest?.(ms);
    this.#wake();
  };

  /** Sending is what must not wait; what has come is read afterwards. */
  readonly #wake = (): void => {
    const due = this.#dueMoment();
    this.#done = Math.max(this.#done, due - longestCatchUp);
    while (this.#done < due) this.#serve(++this.#done);
    this.#hooks.onWake();
    if (this.#slotOf.size > 0) this.#scheduleWake();
  };

  #untilNextMs(): number {
    return this.#startedAt + (this.#done + 1) * slotMs - performance.now();
  }

  #dueMoment(): number {
    return Math.floor((performance.now() - this.#startedAt) / slotMs);
  }

  #slotAt(moment: number): Set<FrameListener> {
    return this.#slots[(moment + slots) % slots] as Set<FrameListener>;
  }

  #serve(moment: number): void {
    const dueAt = this.#startedAt + moment * slotMs;
    const frame = Math.floor(moment / slots);
    const nowMs = performance.now();
    let served = 0;
    for (const listener of this.#slotAt(moment)) {
      listener.onFrame(frame, nowMs);
      if (++served % servedTogether === 0) this.#letGo(servedTogether, dueAt);
    }
    if (served % servedTogether > 0) this.#letGo(served % servedTogether, dueAt);
  }

  #letGo(frames: number, dueAt: number): void {
    this.#hooks.onServed();
    this.#noteLateness(performance.now() - dueAt, frames);
  }

  #noteLateness(ms: number, frames: number): void {
    const bucket = Math.min(buckets - 1, Math.floor(ms * bucketsPerMs));
    this.#lateness[bucket] = (this.#lateness[bucket] ?? 0) + frames;
    if (ms > this.#maxLatenessMs) this.#maxLatenessMs = ms;
  }
}

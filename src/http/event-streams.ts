import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problem.ts';
import { callEventsChannel } from '../store/call-events.ts';
import type { DatabasePool } from '../store/database.ts';
import { type Listener, listen } from '../store/listen.ts';

export const mostStreams = 100;

type Options = { db: DatabasePool; clock: Clock; onError: (error: Error) => void };

/** One of those who watch; woken when there may be something new for them. */
export class Watcher {
  readonly accountId: string;
  /** Without it, all calls of the account. */
  readonly callId: string | undefined;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #isWoken = false;
  #pause = new AbortController();

  constructor(clock: Clock, accountId: string, callId: string | undefined) {
    this.#clock = clock;
    this.accountId = accountId;
    this.callId = callId;
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Whatever wakes it from here on counts for the next `wait`: call it before looking what there is. */
  settle(): void {
    this.#isWoken = false;
  }

  wake(): void {
    this.#isWoken = true;
    this.#pause.abort();
  }

  /** Until it is woken or closed; false if neither happened in time. */
  async wait(ms: number): Promise<boolean> {
    if (this.#isWoken || this.closed.aborted) return true;
    this.#pause = new AbortController();
    return this.#clock.sleep(ms, { signal: this.#pause.signal }).then(
      () => false,
      () => true,
    );
  }

  close(): void {
    this.#closed.abort();
    this.#pause.abort();
  }
}

/** All who watch calls through this process. One connection listens for all of them, from the first one on. */
export class EventStreams {
  readonly #options: Options;
  readonly #watchers = new Map<string, Set<Watcher>>();
  #listener: Listener | undefined;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whoever opens a watcher also closes it. */
  open(accountId: string, callId: string | undefined): Watcher {
    if (this.#isClosed)
      throw new Problem('unavailable', 'The service is stopping.', { headers: { 'retry-after': '1' } });
    const watchers = this.#watchers.get(accountId) ?? new Set();
    if (watchers.size >= mostStreams) {
      throw new Problem('too_many_streams', `An account has ${mostStreams} streams at once at most.`, {
        headers: { 'retry-after': '10' },
      });
    }
    const { db, clock, onError } = this.#options;
    this.#listener ??= listen(db, callEventsChannel, { onNotify: (payload) => this.#wake(payload), onError });
    const watcher = new Watcher(clock, accountId, callId);
    this.#watchers.set(accountId, watchers.add(watcher));
    return watcher;
  }

  close(watcher: Watcher): void {
    watcher.close();
    const watchers = this.#watchers.get(watcher.accountId);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.#watchers.delete(watcher.accountId);
  }

  /** Without a payload anything may have happened. */
  #wake(payload: string | undefined): void {
    const [accountId, callId] = payload?.split(' ') ?? [];
    const watchers =
      accountId === undefined
        ? [...this.#watchers.values()].flatMap((all) => [...all])
        : (this.#watchers.get(accountId) ?? []);
    for (const watcher of watchers) {
      if (callId === undefined || watcher.callId === undefined || watcher.callId === callId) watcher.wake();
    }
  }

  /** Ends all streams. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.close();
    await this.#listener?.close();
  }
}

import type { Clock } from '../clock.ts';

// A notification may get lost, and a retry falls due without one.
const lookEveryMs = 1_000;

export type Limits = { total: number; perEndpoint: number };

type Options<D> = {
  /** Up to `limit` deliveries that are due, from no endpoint more than the limit leaves besides those under way. */
  claim: (limit: number, underWay: ReadonlyMap<string, number>) => Promise<D[]>;
  /** Sends one and writes down what came of it. */
  deliver: (delivery: D) => Promise<void>;
  limits: Limits;
  clock: Clock;
  onError: (error: unknown) => void;
};

/** Sends what is due, many at once but not many to one receiver: a slow one holds up only itself. */
export class DeliveryWorker<D extends { endpointId: string }> {
  readonly #options: Options<D>;
  readonly #underWay = new Map<string, number>();
  readonly #deliveries = new Set<Promise<void>>();
  readonly #stopped: Promise<void>;
  #closing = false;
  #woken = false;
  #rest: AbortController | undefined;

  constructor(options: Options<D>) {
    this.#options = options;
    this.#stopped = this.#run();
  }

  /** There may be something to do. */
  wake(): void {
    this.#woken = true;
    this.#rest?.abort();
  }

  /** Takes nothing more and waits for what is under way. */
  async close(): Promise<void> {
    this.#closing = true;
    this.wake();
    await this.#stopped;
    await Promise.all(this.#deliveries);
  }

  async #run(): Promise<void> {
    while (!this.#closing) {
      this.#woken = false;
      await this.#takeDue().catch(this.#options.onError);
      if (!this.#woken) await this.#sleep();
    }
  }

  async #takeDue(): Promise<void> {
    const free = this.#options.limits.total - this.#deliveries.size;
    if (free <= 0) return;
    for (const delivery of await this.#options.claim(free, this.#underWay)) this.#start(delivery);
  }

  #start(delivery: D): void {
    const { endpointId } = delivery;
    this.#underWay.set(endpointId, this.#postsTo(endpointId) + 1);
    const done = this.#options
      .deliver(delivery)
      .catch(this.#options.onError)
      .then(() => {
        this.#deliveries.delete(done);
        if (this.#postsTo(endpointId) > 1) this.#underWay.set(endpointId, this.#postsTo(endpointId) - 1);
        else this.#underWay.delete(endpointId);
        this.wake(); // its place may be what another one waits for
      });
    this.#deliveries.add(done);
  }

  #postsTo(endpointId: string): number {
    return this.#underWay.get(endpointId) ?? 0;
  }

  async #sleep(): Promise<void> {
    this.#rest = new AbortController();
    await this.#options.clock.sleep(lookEveryMs, { signal: this.#rest.signal }).catch(() => {});
    this.#rest = undefined;
  }
}

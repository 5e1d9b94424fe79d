import type { Address } from './transport.ts';

/** Keeps the way back through a NAT open towards those who have to reach us (RFC 5626 §3.5.1). */
export class KeepAlive {
  readonly #everyMs: number;
  readonly #ping: (to: Address) => void;
  readonly #flows = new Map<string, { to: Address; holders: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number, ping: (to: Address) => void) {
    this.#everyMs = everyMs;
    this.#ping = ping;
  }

  /** From now on until what it gives back is called. */
  hold(to: Address): () => void {
    const key = `${to.protocol} ${to.host} ${to.port}`;
    const flow = this.#flows.get(key) ?? { to, holders: 0 };
    flow.holders++;
    this.#flows.set(key, flow);
    this.#timer ??= setInterval(() => {
      for (const each of this.#flows.values()) this.#ping(each.to);
    }, this.#everyMs).unref();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--flow.holders === 0) this.#flows.delete(key);
      if (this.#flows.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#flows.clear();
  }
}

/** Pairs of ports for RTP (even) and RTCP (the next one). The one that rested longest is given first. */
export class PortPool {
  readonly #free: number[] = [];
  #next = 0;

  constructor(range: { from: number; to: number }) {
    for (let port = range.from + (range.from % 2); port + 1 <= range.to; port += 2) this.#free.push(port);
  }

  get available(): number {
    return this.#free.length - this.#next;
  }

  take(): number | undefined {
    const port = this.#free[this.#next];
    if (port === undefined) return undefined;
    this.#next++;
    if (this.#next > 1024) {
      this.#free.splice(0, this.#next);
      this.#next = 0;
    }
    return port;
  }

  give(port: number): void {
    this.#free.push(port);
  }
}

/** What has arrived of one source: loss and jitter as RTCP reports them (RFC 3550 A.1, A.3, A.8). */
export class Reception {
  readonly ssrc: number;
  readonly #clockRate: number;
  readonly #firstSequence: number;
  #highest: number;
  #received = 0;
  #receivedBefore = 0;
  #expectedBefore = 0;
  #transit: number | undefined;
  #jitter = 0;

  constructor(ssrc: number, sequence: number, clockRate: number) {
    this.ssrc = ssrc;
    this.#clockRate = clockRate;
    this.#firstSequence = sequence;
    this.#highest = sequence;
  }

  /** Sequence numbers wrap at 2^16; the nearest one to the highest so far is meant. */
  receive(sequence: number, timestamp: number, nowMs: number): void {
    const ahead = ((sequence - this.#highest + 0x8000) & 0xffff) - 0x8000;
    if (ahead > 0) this.#highest += ahead;
    this.#received++;
    const arrival = Math.round((nowMs * this.#clockRate) / 1000) >>> 0;
    const transit = (arrival - timestamp) | 0;
    if (this.#transit !== undefined) {
      const difference = Math.abs((transit - this.#transit) | 0);
      // A jump of a second is another recording, not jitter.
      if (difference < this.#clockRate) this.#jitter += (difference - this.#jitter) / 16;
    }
    this.#transit = transit;
  }

  get received(): number {
    return this.#received;
  }

  /** Packets that never came; duplicates can make it negative. */
  get lost(): number {
    return this.#expected - this.#received;
  }

  get jitterMs(): number {
    return (this.#jitter * 1000) / this.#clockRate;
  }

  /** The numbers of a report block; the share of loss counts from the last report. */
  report(): { fractionLost: number; lost: number; highest: number; jitter: number } {
    const expected = this.#expected - this.#expectedBefore;
    const lost = expected - (this.#received - this.#receivedBefore);
    this.#expectedBefore = this.#expected;
    this.#receivedBefore = this.#received;
    return {
      fractionLost: expected > 0 && lost > 0 ? Math.min(255, Math.floor((lost * 256) / expected)) : 0,
      lost: Math.max(-0x80_0000, Math.min(0x7f_ffff, this.lost)),
      highest: this.#highest >>> 0,
      jitter: Math.round(this.#jitter),
    };
  }

  get #expected(): number {
    return this.#highest - this.#firstSequence + 1;
  }
}

/** RFC 3550 A.1: a sequence number further away than this is one of a source that began anew, if the next one follows. */
const mostAhead = 3_000;
const mostBehind = 100;

/** What has arrived of one source: loss and jitter as RTCP reports them (RFC 3550 A.1, A.3, A.8). */
export class Reception {
  readonly ssrc: number;
  readonly #clockRate: number;
  #firstSequence: number;
  #highest: number;
  /** What would follow a sequence number that was too far away. */
  #awaited: number | undefined;
  /** Of the sequence numbers before the source began anew. */
  #expectedEarlier = 0;
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

  /** `isTimed`: the timestamp tells when it was sent, unlike that of a telephone event, which tells when the key went down. */
  receive(sequence: number, timestamp: number, nowMs: number, isTimed = true): void {
    this.#follow(sequence);
    this.#received++;
    if (!isTimed) return;
    const arrival = Math.round((nowMs * this.#clockRate) / 1000) >>> 0;
    const transit = (arrival - timestamp) | 0;
    if (this.#transit !== undefined) {
      const difference = Math.abs((transit - this.#transit) | 0);
      // A jump of a second is another recording, not jitter.
      if (difference < this.#clockRate) this.#jitter += (difference - this.#jitter) / 16;
    }
    this.#transit = transit;
  }

  /** Sequence numbers wrap at 2^16; the nearest one to the highest so far is meant. */
  #follow(sequence: number): void {
    const ahead = ((sequence - this.#highest + 0x8000) & 0xffff) - 0x8000;
    if (ahead <= mostAhead && ahead >= -mostBehind) {
      if (ahead > 0) this.#highest += ahead;
      this.#awaited = undefined;
    } else if (sequence === this.#awaited) {
      // Two that came of the new numbers stand for themselves.
      this.#expectedEarlier = this.#expected + 1;
      this.#firstSequence = sequence;
      this.#highest = sequence;
      this.#awaited = undefined;
    } else this.#awaited = (sequence + 1) & 0xffff;
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
    return this.#expectedEarlier + this.#highest - this.#firstSequence + 1;
  }
}

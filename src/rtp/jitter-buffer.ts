import { noiseSample } from './comfort-noise.ts';
import { pitchOf } from './pitch.ts';

/** How long what has come waits to be played, so that what comes later still comes in time. */
const restingDelayMs = 40;
const longestDelayMs = 240;
/** A packet that comes later than this belongs to another time: the stream has jumped. */
const jumpMs = 900;
/** What is missing is made up from what was heard last, ever softer, for this long (G.711 Appendix I). */
const concealedMs = 60;
const blendMs = 5;
/** The delay shrinks by this much at a time, at most so often, and rather where it is quiet. */
const shrinkMs = 10;
const shrinkEveryMs = 2_000;
const quietLevel = 400;
/** Audio is kept or missing in steps of a millisecond; this many of them, a power of two. */
const cells = 1_024;

/**
 * Puts what arrives into its place in time and gives it out at an even pace, 20 ms after 20 ms.
 * Positions count samples from an arbitrary start; order, duplicates and packet lengths do not matter.
 */
export class JitterBuffer {
  readonly #samplesPerMs: number;
  readonly #samples: Int16Array;
  readonly #present = new Uint8Array(cells);
  readonly #mask: number;
  /** The next sample to give out; undefined until something has come. */
  #playAt: number | undefined;
  /** Where the newest sample ends. */
  #end = 0;
  /** How much of the present gap was made up already. */
  #madeUp = 0;
  #period = 0;
  #sinceShrunk = 0;
  #leastAhead = Number.POSITIVE_INFINITY;
  /** The peer said that it is quiet now, this loud (RFC 3389). */
  #quietAmplitude: number | undefined;
  #concealed = 0;
  #late = 0;

  constructor(sampleRate: 8_000 | 16_000) {
    this.#samplesPerMs = sampleRate / 1000;
    this.#samples = new Int16Array(cells * this.#samplesPerMs);
    this.#mask = this.#samples.length - 1;
  }

  /** Milliseconds that were made up, and packets that came too late. */
  get counts(): { concealedMs: number; latePackets: number } {
    return { concealedMs: Math.round(this.#concealed / this.#samplesPerMs), latePackets: this.#late };
  }

  /** How much is waiting. */
  get delayMs(): number {
    return this.#playAt === undefined ? 0 : Math.max(0, (this.#end - this.#playAt) / this.#samplesPerMs);
  }

  /** Another stream begins, with positions of its own. */
  restart(): void {
    this.#playAt = undefined;
  }

  put(position: number, pcm: Int16Array, length: number): void {
    this.#quietAmplitude = undefined;
    if (!this.#makeRoom(position, length)) return;
    for (let i = 0; i < length; i++) this.#samples[(position + i) & this.#mask] = pcm[i] as number;
    this.#mark(position, length, 1);
    this.#end = Math.max(this.#end, position + length);
  }

  /** The peer sends nothing for a while, on purpose. */
  putQuiet(position: number, amplitude: number): void {
    if (this.#playAt === undefined) this.#begin(position);
    this.#quietAmplitude = amplitude;
  }

  /** Fills `pcm` with what comes next. */
  take(pcm: Int16Array): void {
    if (this.#playAt === undefined) {
      pcm.fill(0);
      return;
    }
    this.#watchDelay(pcm.length);
    const from = this.#playAt;
    if (this.#madeUp > 0 || !this.#isAllPresent(from, pcm.length)) this.#fillGaps(from, pcm.length);
    for (let i = 0; i < pcm.length; i++) pcm[i] = this.#samples[(from + i) & this.#mask] as number;
    this.#mark(from, pcm.length, 0);
    this.#playAt = from + pcm.length;
  }

  #fillGaps(from: number, length: number): void {
    for (let position = from; position < from + length; position += this.#samplesPerMs) {
      if (this.#isPresent(position)) this.#blendIn(position);
      else this.#makeUp(position);
    }
  }

  #begin(position: number): void {
    this.#present.fill(0);
    this.#samples.fill(0);
    this.#playAt = position - restingDelayMs * this.#samplesPerMs;
    this.#end = position;
    this.#madeUp = concealedMs * this.#samplesPerMs; // nothing was heard yet that could go on
    this.#leastAhead = Number.POSITIVE_INFINITY;
  }

  /** Whether a packet still has its place. What comes late as a whole makes the delay longer. */
  #makeRoom(position: number, length: number): boolean {
    const jump = jumpMs * this.#samplesPerMs;
    if (this.#playAt === undefined || position < this.#playAt - jump || position + length > this.#playAt + jump) {
      this.#begin(position);
      return true;
    }
    if (position >= this.#playAt) return true;
    this.#late++;
    if (position < this.#end) return false; // overtaken by others that came in time
    if (this.#playAt - position > longestDelayMs * this.#samplesPerMs) this.#begin(position);
    // Its time was filled with something made up: play on from here, so that the next ones come in time.
    else this.#playAt = position;
    return true;
  }

  #mark(position: number, length: number, value: 0 | 1): void {
    const from = Math.floor(position / this.#samplesPerMs);
    const to = Math.floor((position + length) / this.#samplesPerMs);
    for (let cell = from; cell < to; cell++) this.#present[cell & (cells - 1)] = value;
  }

  #isAllPresent(position: number, length: number): boolean {
    const from = Math.floor(position / this.#samplesPerMs);
    const to = Math.floor((position + length) / this.#samplesPerMs);
    for (let cell = from; cell < to; cell++) if (this.#present[cell & (cells - 1)] === 0) return false;
    return true;
  }

  #isPresent(position: number): boolean {
    return this.#present[Math.floor(position / this.#samplesPerMs) & (cells - 1)] === 1;
  }

  /** Writes a made-up millisecond to where the real one is missing. */
  #makeUp(position: number): void {
    const step = this.#samplesPerMs;
    const quiet = this.#quietAmplitude;
    if (quiet !== undefined) {
      for (let i = 0; i < step; i++) this.#samples[(position + i) & this.#mask] = noiseSample(quiet);
      return;
    }
    const longest = concealedMs * step;
    if (this.#madeUp >= longest) {
      for (let i = 0; i < step; i++) this.#samples[(position + i) & this.#mask] = 0;
      return;
    }
    if (this.#madeUp === 0) this.#period = pitchOf(this.#samples, this.#mask, position, step);
    const fadeFrom = 10 * step;
    for (let i = 0; i < step; i++) {
      const made = this.#madeUp + i;
      // Each repetition is taken from the same last real period, so that the fading does not add up.
      const back = this.#period * (Math.floor(made / this.#period) + 1);
      const gain = made < fadeFrom ? 1 : Math.max(0, 1 - (made - fadeFrom) / (longest - fadeFrom));
      const source = this.#samples[(position + i - back) & this.#mask] ?? 0;
      this.#samples[(position + i) & this.#mask] = source * gain;
    }
    this.#madeUp += step;
    this.#concealed += step;
  }

  /** After a gap the real sound comes in softly over a few milliseconds. */
  #blendIn(position: number): void {
    if (this.#madeUp === 0) return;
    const step = this.#samplesPerMs;
    const length = blendMs * step;
    const isGone = this.#madeUp >= concealedMs * step;
    for (let i = 0; i < length; i++) {
      const at = (position + i) & this.#mask;
      const share = (i + 1) / length;
      const made = isGone ? 0 : (this.#samples[(position + i - this.#period) & this.#mask] ?? 0);
      this.#samples[at] = (this.#samples[at] ?? 0) * share + made * (1 - share);
    }
    this.#madeUp = 0;
  }

  /** Clocks drift and networks calm down: what waits longer than it must is played a little sooner. */
  #watchDelay(frame: number): void {
    if (this.#playAt === undefined) return;
    const ahead = this.#end - this.#playAt;
    if (ahead > 0) this.#leastAhead = Math.min(this.#leastAhead, ahead);
    this.#sinceShrunk += frame;
    if (this.#sinceShrunk < shrinkEveryMs * this.#samplesPerMs) return;
    const excess = this.#leastAhead - (restingDelayMs + 2 * shrinkMs) * this.#samplesPerMs;
    const isUrgent = excess > 8 * shrinkMs * this.#samplesPerMs;
    if (this.#leastAhead !== Number.POSITIVE_INFINITY && excess > 0) {
      if (!isUrgent && !this.#isQuietHere(frame)) return; // wait for a pause in the speech
      const skipped = shrinkMs * this.#samplesPerMs;
      this.#mark(this.#playAt, skipped, 0);
      this.#playAt += skipped;
    }
    this.#sinceShrunk = 0;
    this.#leastAhead = Number.POSITIVE_INFINITY;
  }

  #isQuietHere(length: number): boolean {
    if (this.#playAt === undefined) return false;
    for (let i = 0; i < length; i++) {
      if (Math.abs(this.#samples[(this.#playAt + i) & this.#mask] ?? 0) > quietLevel) return false;
    }
    return true;
  }
}

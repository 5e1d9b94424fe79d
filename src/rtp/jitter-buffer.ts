import { noiseSample } from './comfort-noise.ts';
import { pitchOf } from './pitch.ts';

/** How long what has come waits to be played, so that what comes later still comes in time. */
const restingDelayMs = 40;
const longestDelayMs = 240;
/** A packet that comes later than this belongs to another time: the stream has jumped. */
const jumpMs = 900;
/** As have so many in a row for which it is too late. */
const mostLateInARow = 4;
/** What is missing is made up from what was heard last, ever softer, for this long (G.711 Appendix I). */
const concealedMs = 60;
const fadeFromMs = 10;
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
  #period = 1;
  #sinceShrunk = 0;
  #leastAhead = Number.POSITIVE_INFINITY;
  /** Where the peer said that it is quiet, and how loud that is (RFC 3389). */
  #quietFrom = Number.POSITIVE_INFINITY;
  #quietUntil = Number.POSITIVE_INFINITY;
  #quietAmplitude = 0;
  /** What would have come next where playing went on elsewhere: it fades out, so that nothing clicks. */
  readonly #tail: Int16Array;
  #hasTail = false;
  #concealed = 0;
  #late = 0;
  #lateInARow = 0;

  constructor(sampleRate: 8_000 | 16_000) {
    this.#samplesPerMs = sampleRate / 1000;
    this.#samples = new Int16Array(cells * this.#samplesPerMs);
    this.#mask = this.#samples.length - 1;
    this.#tail = new Int16Array(blendMs * this.#samplesPerMs);
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
    this.#leave();
    this.#playAt = undefined;
  }

  put(position: number, pcm: Int16Array, length: number): void {
    if (!this.#makeRoom(position, length)) return;
    if (position >= this.#quietFrom && position < this.#quietUntil) this.#quietUntil = position;
    const gone = Math.max(0, (this.#playAt ?? position) - position);
    this.#write(position + gone, pcm.subarray(gone, length));
    this.#mark(position + gone, length - gone, 1);
    this.#end = Math.max(this.#end, position + length);
  }

  /** The peer sends nothing for a while, on purpose. */
  putQuiet(position: number, amplitude: number): void {
    if (this.#playAt === undefined) this.#begin(position);
    if (position < this.#end) return; // overtaken by what it announced the end of
    this.#quietFrom = position;
    this.#quietUntil = Number.POSITIVE_INFINITY;
    this.#quietAmplitude = amplitude;
  }

  /** Fills `pcm` with what comes next. */
  take(pcm: Int16Array): void {
    this.#watchDelay(pcm.length);
    const from = this.#playAt;
    if (from === undefined) pcm.fill(0);
    else {
      if (this.#madeUp > 0 || !this.#isAllPresent(from, pcm.length)) this.#fillGaps(from, pcm.length);
      this.#read(from, pcm);
      this.#mark(from, pcm.length, 0);
      this.#playAt = from + pcm.length;
    }
    if (this.#hasTail) this.#fadeOutTail(pcm);
  }

  #write(position: number, pcm: Int16Array): void {
    const start = position & this.#mask;
    const untilEnd = Math.min(pcm.length, this.#samples.length - start);
    this.#samples.set(untilEnd === pcm.length ? pcm : pcm.subarray(0, untilEnd), start);
    if (untilEnd < pcm.length) this.#samples.set(pcm.subarray(untilEnd));
  }

  #read(position: number, pcm: Int16Array): void {
    const start = position & this.#mask;
    const untilEnd = Math.min(pcm.length, this.#samples.length - start);
    pcm.set(this.#samples.subarray(start, start + untilEnd));
    if (untilEnd < pcm.length) pcm.set(this.#samples.subarray(0, pcm.length - untilEnd), untilEnd);
  }

  #fillGaps(from: number, length: number): void {
    for (let position = from; position < from + length; position += this.#samplesPerMs) {
      if (this.#isPresent(position)) this.#blendIn(position);
      else this.#makeUp(position);
    }
  }

  #begin(position: number): void {
    this.#leave();
    this.#present.fill(0);
    this.#samples.fill(0);
    this.#playAt = position - restingDelayMs * this.#samplesPerMs;
    this.#end = position;
    this.#madeUp = concealedMs * this.#samplesPerMs; // nothing was heard yet that could go on
    this.#leastAhead = Number.POSITIVE_INFINITY;
    this.#quietFrom = Number.POSITIVE_INFINITY;
    this.#quietUntil = Number.POSITIVE_INFINITY;
    this.#lateInARow = 0;
  }

  /** Whether a packet still has its place. What comes late as a whole makes the delay longer. */
  #makeRoom(position: number, length: number): boolean {
    const longest = longestDelayMs * this.#samplesPerMs;
    const late = this.#playAt === undefined ? Number.NaN : this.#playAt - position;
    if (!(late <= jumpMs * this.#samplesPerMs && late >= -longest)) {
      this.#begin(position);
      return true;
    }
    if (late > 0 && position < this.#end) return this.#isHeardStill(position, late < length);
    this.#lateInARow = 0;
    if (late > longest) this.#begin(position);
    else if (late > 0) {
      // Its time was filled with something made up: play on from here, so that the next ones come in time.
      this.#leave();
      this.#playAt = position;
      this.#madeUp = 0;
      this.#leastAhead = 0;
    }
    return true;
  }

  /** A packet was overtaken by others that came in time. */
  #isHeardStill(position: number, hasRest: boolean): boolean {
    if (hasRest) return true;
    this.#late++;
    if (++this.#lateInARow < mostLateInARow) return false;
    this.#begin(position);
    return true;
  }

  /** Playing goes on elsewhere. */
  #leave(): void {
    const from = this.#playAt;
    if (from === undefined) return;
    this.#fillGaps(from, this.#tail.length);
    for (let i = 0; i < this.#tail.length; i++) this.#tail[i] = this.#samples[(from + i) & this.#mask] as number;
    this.#hasTail = true;
  }

  #fadeOutTail(pcm: Int16Array): void {
    const { length } = this.#tail;
    for (let i = 0; i < length; i++) {
      const share = (i + 1) / length;
      pcm[i] = (pcm[i] as number) * share + (this.#tail[i] as number) * (1 - share);
    }
    this.#hasTail = false;
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
    const longest = concealedMs * step;
    if (position >= this.#quietFrom && position < this.#quietUntil) {
      for (let i = 0; i < step; i++) this.#samples[(position + i) & this.#mask] = noiseSample(this.#quietAmplitude);
      this.#madeUp = longest; // what comes after it begins anew
      return;
    }
    if (this.#madeUp >= longest) {
      for (let i = 0; i < step; i++) this.#samples[(position + i) & this.#mask] = 0;
      return;
    }
    if (this.#madeUp === 0) this.#period = pitchOf(this.#samples, this.#mask, position, step);
    for (let i = 0; i < step; i++) {
      this.#samples[(position + i) & this.#mask] = this.#madeUpSample(position + i, this.#madeUp + i);
    }
    this.#madeUp += step;
    this.#concealed += step;
  }

  /** Each repetition is taken from the same last real period, so that the fading does not add up. */
  #madeUpSample(position: number, made: number): number {
    const fadeFrom = fadeFromMs * this.#samplesPerMs;
    const longest = concealedMs * this.#samplesPerMs;
    if (made >= longest) return 0;
    const back = this.#period * (Math.floor(made / this.#period) + 1);
    const gain = made < fadeFrom ? 1 : 1 - (made - fadeFrom) / (longest - fadeFrom);
    return (this.#samples[(position - back) & this.#mask] as number) * gain;
  }

  /** After a gap the real sound comes in softly over a few milliseconds. */
  #blendIn(position: number): void {
    if (this.#madeUp === 0) return;
    const length = blendMs * this.#samplesPerMs;
    for (let i = 0; i < length; i++) {
      const at = (position + i) & this.#mask;
      const share = (i + 1) / length;
      const made = this.#madeUpSample(position + i, this.#madeUp + i);
      this.#samples[at] = (this.#samples[at] as number) * share + made * (1 - share);
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
      this.#leave();
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

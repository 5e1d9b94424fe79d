import { dtmfColumns, dtmfKeys, dtmfRows } from './dtmf-tones.ts';

// A tone of 40 ms, the shortest that counts (ITU-T Q.24), holds two whole blocks wherever it begins.
const blockMs = 12.75;
const blocksToBegin = 2;
// A pause of 40 ms leaves no key in three blocks; a gap of 10 ms, which is to be ignored, spoils two.
const blocksToEnd = 3;

// Mean square of a block: two tones of -36 dBm0 each.
const quietest = 350 ** 2;
// Both tones may be 1.5 % off (Q.24), where the filters keep 0.81 of their energy. With 0.68 an hour of synthetic
// speech had 32 false keys, with 0.8 three.
const leastTonePart = 0.8;
// Of a single group before the other is looked at: 8 dB of twist leave a seventh.
const leastGroupPart = 0.1;
const mostTwist = 10 ** (8 / 10);
const leastPeak = 10 ** (8 / 10);
// Speech has harmonics of its tones, a key has not; G.711 and clipping add a little. Only of the column: that of a row
// lies among the columns, too near to be told from them in so short a block.
const mostHarmonic = 10 ** (-12 / 10);

/** Hears the keys that are pressed in the sound itself; each once, when it begins. */
export class DtmfDetector {
  readonly #block: Float64Array;
  #filled = 0;
  #energy = 0;
  readonly #rowFilters: Float64Array;
  readonly #columnFilters: Float64Array;
  readonly #harmonicFilters: Float64Array;
  readonly #rows = new Float64Array(4);
  readonly #columns = new Float64Array(4);
  /** The key of the last block, and for how many blocks it sounds. */
  #candidate = -1;
  #hits = 0;
  #misses = 0;
  /** The key that was reported and has not ended. */
  #pressed = -1;

  constructor(sampleRate: number) {
    const filtersOf = (frequencies: readonly number[]) =>
      Float64Array.from(frequencies, (frequency) => 2 * Math.cos((2 * Math.PI * frequency) / sampleRate));
    this.#block = new Float64Array(Math.round((sampleRate * blockMs) / 1000));
    this.#rowFilters = filtersOf(dtmfRows);
    this.#columnFilters = filtersOf(dtmfColumns);
    this.#harmonicFilters = filtersOf(dtmfColumns.map((frequency) => 2 * frequency));
  }

  /** The keys that began in this sound, mostly ''. */
  push(pcm: Int16Array): string {
    const block = this.#block;
    let begun = '';
    let at = 0;
    while (at < pcm.length) {
      const end = Math.min(pcm.length, at + block.length - this.#filled);
      let filled = this.#filled;
      let energy = this.#energy;
      while (at < end) {
        const sample = pcm[at++] as number;
        block[filled++] = sample;
        energy += sample * sample;
      }
      this.#filled = filled;
      this.#energy = energy;
      if (filled < block.length) break;
      begun += this.#follow(this.#keyOfBlock());
      this.#filled = 0;
      this.#energy = 0;
    }
    return begun;
  }

  #follow(key: number): string {
    this.#hits = key === this.#candidate ? this.#hits + 1 : 1;
    this.#candidate = key;
    if (key === this.#pressed) {
      this.#misses = 0;
      return '';
    }
    if (++this.#misses >= blocksToEnd) this.#pressed = -1;
    if (key === -1 || this.#hits < blocksToBegin) return '';
    this.#pressed = key;
    this.#misses = 0;
    return dtmfKeys[key] as string;
  }

  /** The key that the block sounds like, or -1. */
  #keyOfBlock(): number {
    const block = this.#block;
    if (this.#energy < quietest * block.length) return -1;
    // A sine has the energy a²n/2 and the power (an/2)² in its filter.
    const whole = (this.#energy * block.length) / 2;

    filterFour(block, this.#rowFilters, this.#rows);
    const row = peakOf(this.#rows);
    if (row === -1) return -1;
    const rowPower = this.#rows[row] as number;
    if (rowPower < whole * leastGroupPart) return -1;

    filterFour(block, this.#columnFilters, this.#columns);
    const column = peakOf(this.#columns);
    if (column === -1) return -1;
    const columnPower = this.#columns[column] as number;
    if (rowPower + columnPower < whole * leastTonePart) return -1;
    if (rowPower > columnPower * mostTwist || columnPower > rowPower * mostTwist) return -1;

    if (filterOne(block, this.#harmonicFilters[column] as number) > columnPower * mostHarmonic) return -1;
    return row * 4 + column;
  }
}

/** The place of the value that towers over the others, or -1. */
function peakOf(powers: Float64Array): number {
  let peak = 0;
  for (let at = 1; at < 4; at++) if ((powers[at] as number) > (powers[peak] as number)) peak = at;
  for (let at = 0; at < 4; at++) {
    if (at !== peak && (powers[at] as number) * leastPeak > (powers[peak] as number)) return -1;
  }
  return peak;
}

/** Goertzel's filter: the power at one frequency. */
function filterOne(block: Float64Array, filter: number): number {
  let [last, before] = [0, 0];
  for (let at = 0; at < block.length; at++) {
    const now = (block[at] as number) + filter * last - before;
    before = last;
    last = now;
  }
  return last * last + before * before - filter * last * before;
}

/** The same for four frequencies in one pass. */
function filterFour(block: Float64Array, filters: Float64Array, powers: Float64Array): void {
  const [fa, fb, fc, fd] = [filters[0], filters[1], filters[2], filters[3]] as [number, number, number, number];
  let [a1, a2, b1, b2, c1, c2, d1, d2] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let at = 0; at < block.length; at++) {
    const sample = block[at] as number;
    const a = sample + fa * a1 - a2;
    const b = sample + fb * b1 - b2;
    const c = sample + fc * c1 - c2;
    const d = sample + fd * d1 - d2;
    a2 = a1;
    b2 = b1;
    c2 = c1;
    d2 = d1;
    a1 = a;
    b1 = b;
    c1 = c;
    d1 = d;
  }
  powers[0] = a1 * a1 + a2 * a2 - fa * a1 * a2;
  powers[1] = b1 * b1 + b2 * b2 - fb * b1 * b2;
  powers[2] = c1 * c1 + c2 * c2 - fc * c1 * c2;
  powers[3] = d1 * d1 + d2 * d2 - fd * d1 * d2;
}

import { joined } from '../../rtp/pcm.ts';
import { resample } from '../../rtp/resample.ts';

/** Another sample rate for sound that comes in pieces: the same samples as `resample` makes of the whole. */
export class StreamingResampler {
  readonly #from: number;
  readonly #to: number;
  /** So many samples in are as long as so many out. */
  readonly #step: number;
  readonly #phases: number;
  /** Input on each side of a sample that has a part in it: 16 zero crossings of the filter, over its pass band. */
  readonly #context: number;
  #input: Int16Array = new Int16Array();
  /** Where the kept input begins in the whole; a multiple of the step, so that phases stay what they are. */
  #inputStart = 0;
  #produced = 0;

  constructor(fromRate: number, toRate: number) {
    const divisor = greatestCommonDivisor(fromRate, toRate);
    this.#from = fromRate;
    this.#to = toRate;
    this.#step = fromRate / divisor;
    this.#phases = toRate / divisor;
    this.#context = Math.ceil(18 * Math.max(1, fromRate / toRate));
  }

  push(pcm: Int16Array): Int16Array {
    if (this.#from === this.#to) return pcm;
    this.#input = joined(this.#input, pcm);
    const heard = this.#inputStart + this.#input.length;
    return this.#produce(Math.floor(((heard - this.#context) * this.#phases) / this.#step));
  }

  /** What was held back until it was known what follows. */
  end(): Int16Array {
    if (this.#from === this.#to) return new Int16Array();
    const heard = this.#inputStart + this.#input.length;
    return this.#produce(Math.ceil((heard * this.#phases) / this.#step));
  }

  #produce(until: number): Int16Array {
    if (until <= this.#produced) return new Int16Array();
    const offset = (this.#inputStart / this.#step) * this.#phases;
    const out = resample(this.#input, this.#from, this.#to).slice(this.#produced - offset, until - offset);
    this.#produced = until;
    const needed = Math.floor((until * this.#step) / this.#phases) - this.#context;
    const start = Math.max(0, Math.floor(needed / this.#step) * this.#step);
    this.#input = this.#input.slice(start - this.#inputStart);
    this.#inputStart = start;
    return out;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

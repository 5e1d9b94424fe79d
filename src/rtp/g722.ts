import type { Codec, Decoder, Encoder } from './codec.ts';

// ITU-T G.722 at 64 kbit/s: each octet has 2 bits of the upper and 6 bits of the lower sub-band.

// Table 6/G.722 in 16-bit arithmetic: the decision levels of the 6-bit quantizer.
const lowerLevels = new Int16Array([
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219, 1339,
  1458, 1612, 1765, 1980, 2195, 2557, 2919,
]);
const lowerCodesNegative = new Int8Array([
  0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
]);
const lowerCodesPositive = new Int8Array([
  0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33,
  32,
]);
const lowerOutput6 = new Int16Array([
  -136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
  -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040, -728, 24808,
  21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456, 4944, 4464, 4008,
  3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136,
]);
const lowerOutput4 = new Int16Array([
  0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0,
]);
const lowerLogSteps = Int16Array.of(-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60);
const upperOutput = Int16Array.of(-7408, -1616, 7408, 1616);
const upperLogSteps = Int16Array.of(798, -214, 798, -214);
const inverseLog = new Int16Array([
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960, 3025,
  3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
]);
// The 24 taps of the quadrature mirror filter (table 11/G.722), each half of them.
const mirrorTaps = Int16Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11);

function saturate(value: number): number {
  return value > 32767 ? 32767 : value < -32768 ? -32768 : value;
}

/** The adaptive predictor and scale factor of one sub-band (§3.5 and §3.6), alike in both directions. */
class Band {
  /** What the next sample is predicted to be. */
  predicted = 0;
  step: number;
  #zeroPredicted = 0;
  #logStep = 0;
  readonly #mostLogStep: number;
  readonly #logBase: number;
  #lastOutput1 = 0;
  #lastOutput2 = 0;
  #lastPartial1 = 0;
  #lastPartial2 = 0;
  #pole1 = 0;
  #pole2 = 0;
  readonly #zeros = new Int32Array(6);
  readonly #differences = new Int32Array(6);

  constructor(firstStep: number, mostLogStep: number, logBase: number) {
    this.step = firstStep;
    this.#mostLogStep = mostLogStep;
    this.#logBase = logBase;
  }

  /** Blocks LOGSC, SCALE of either band. */
  adaptStep(logStep: number): void {
    const next = ((this.#logStep * 127) >> 7) + logStep;
    this.#logStep = next < 0 ? 0 : next > this.#mostLogStep ? this.#mostLogStep : next;
    const mantissa = inverseLog[(this.#logStep >> 6) & 31] as number;
    const shift = this.#logBase - (this.#logStep >> 11);
    this.step = (shift < 0 ? mantissa << -shift : mantissa >> shift) << 2;
  }

  /** Blocks RECONS, PARREC, UPPOL2, UPPOL1, UPZERO, FILTEP and FILTEZ. */
  adaptPrediction(difference: number): void {
    const output = saturate(this.predicted + difference);
    const partial = saturate(this.#zeroPredicted + difference);

    const sameSign1 = (partial ^ this.#lastPartial1) >= 0;
    const sameSign2 = (partial ^ this.#lastPartial2) >= 0;
    const quadruple = saturate(this.#pole1 << 2);
    const turn = sameSign1 ? saturate(-quadruple) : quadruple;
    let pole2 = (sameSign2 ? 128 : -128) + (turn >> 7) + ((this.#pole2 * 32512) >> 15);
    pole2 = pole2 > 12288 ? 12288 : pole2 < -12288 ? -12288 : pole2;
    let pole1 = (sameSign1 ? 192 : -192) + ((this.#pole1 * 32640) >> 15);
    const mostPole1 = saturate(15360 - pole2);
    pole1 = pole1 > mostPole1 ? mostPole1 : pole1 < -mostPole1 ? -mostPole1 : pole1;
    this.#lastPartial2 = this.#lastPartial1;
    this.#lastPartial1 = partial;
    this.#pole1 = pole1;
    this.#pole2 = pole2;

    const zeros = this.#zeros;
    const differences = this.#differences;
    const gain = difference === 0 ? 0 : 128;
    let zeroPredicted = 0;
    for (let at = 5; at >= 0; at--) {
      const last = differences[at] as number;
      const zero = ((last ^ difference) >= 0 ? gain : -gain) + (((zeros[at] as number) * 32640) >> 15);
      zeros[at] = zero;
      // The new difference moves in from the front, so that each meets its zero of the next sample.
      const newer = at === 0 ? difference : (differences[at - 1] as number);
      differences[at] = newer;
      zeroPredicted += (zero * saturate(newer + newer)) >> 15;
    }
    this.#zeroPredicted = saturate(zeroPredicted);

    this.#lastOutput2 = this.#lastOutput1;
    this.#lastOutput1 = output;
    const poles =
      ((pole1 * saturate(output + output)) >> 15) + ((pole2 * saturate(this.#lastOutput2 + this.#lastOutput2)) >> 15);
    this.predicted = saturate(saturate(poles) + this.#zeroPredicted);
  }
}

// The last 24 samples of the mirror filter lie at the end of a longer line, so that they are seldom moved.
const lineSamples = 1024;
const kept = 22;

const newLowerBand = () => new Band(32, 18432, 8);
const newUpperBand = () => new Band(8, 22528, 10);

function newEncoder(): Encoder {
  const lower = newLowerBand();
  const upper = newUpperBand();
  const line = new Int32Array(lineSamples);
  let end = kept;
  return (pcm, payload) => {
    const count = Math.min(pcm.length >> 1, payload.length);
    for (let at = 0; at < count; at++) {
      if (end === lineSamples) {
        line.copyWithin(0, end - kept, end);
        end = kept;
      }
      line[end++] = pcm[2 * at] as number;
      line[end++] = pcm[2 * at + 1] as number;
      let odd = 0;
      let even = 0;
      for (let tap = 0, from = end - 24; tap < 12; tap++) {
        odd += (line[from++] as number) * (mirrorTaps[tap] as number);
        even += (line[from++] as number) * (mirrorTaps[11 - tap] as number);
      }
      const low = saturate((even + odd) >> 14);
      const high = saturate((even - odd) >> 14);

      const lowError = saturate(low - lower.predicted);
      const lowCode = quantizeLower(lowError, lower.step);
      const lowDifference = (lower.step * (lowerOutput4[lowCode >> 2] as number)) >> 15;
      lower.adaptStep(lowerLogSteps[lowCode >> 2] as number);
      lower.adaptPrediction(lowDifference);

      const highError = saturate(high - upper.predicted);
      const magnitude = highError >= 0 ? highError : ~highError;
      const isLarge = magnitude >= (564 * upper.step) >> 12;
      const highCode = highError < 0 ? (isLarge ? 0 : 1) : isLarge ? 2 : 3;
      const highDifference = (upper.step * (upperOutput[highCode] as number)) >> 15;
      upper.adaptStep(upperLogSteps[highCode] as number);
      upper.adaptPrediction(highDifference);

      payload[at] = (highCode << 6) | lowCode;
    }
    return count;
  };
}

/** Block QUANTL. */
function quantizeLower(error: number, step: number): number {
  const magnitude = error >= 0 ? error : ~error;
  let from = 1;
  let to = 30;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (magnitude < ((lowerLevels[middle] as number) * step) >> 12) to = middle;
    else from = middle + 1;
  }
  return (error < 0 ? lowerCodesNegative[from] : lowerCodesPositive[from]) as number;
}

function newDecoder(): Decoder {
  const lower = newLowerBand();
  const upper = newUpperBand();
  const line = new Int32Array(lineSamples);
  let end = kept;
  return (payload, pcm) => {
    const count = Math.min(payload.length, pcm.length >> 1);
    for (let at = 0; at < count; at++) {
      const octet = payload[at] as number;
      const lowCode = octet & 0x3f;
      const highCode = octet >> 6;

      const low = lower.predicted + ((lower.step * (lowerOutput6[lowCode] as number)) >> 15);
      const lowDifference = (lower.step * (lowerOutput4[lowCode >> 2] as number)) >> 15;
      lower.adaptStep(lowerLogSteps[lowCode >> 2] as number);
      lower.adaptPrediction(lowDifference);

      const highDifference = (upper.step * (upperOutput[highCode] as number)) >> 15;
      const high = upper.predicted + highDifference;
      upper.adaptStep(upperLogSteps[highCode] as number);
      upper.adaptPrediction(highDifference);

      // Block LIMIT: the sub-bands have 15 bits.
      const limitedLow = low > 16383 ? 16383 : low < -16384 ? -16384 : low;
      const limitedHigh = high > 16383 ? 16383 : high < -16384 ? -16384 : high;
      if (end === lineSamples) {
        line.copyWithin(0, end - kept, end);
        end = kept;
      }
      line[end++] = limitedLow + limitedHigh;
      line[end++] = limitedLow - limitedHigh;
      let first = 0;
      let second = 0;
      for (let tap = 0, from = end - 24; tap < 12; tap++) {
        second += (line[from++] as number) * (mirrorTaps[tap] as number);
        first += (line[from++] as number) * (mirrorTaps[11 - tap] as number);
      }
      pcm[2 * at] = saturate(first >> 11);
      pcm[2 * at + 1] = saturate(second >> 11);
    }
    return count * 2;
  };
}

export const g722: Codec = {
  name: 'G722',
  payloadType: 9,
  // A mistake of RFC 1890 that stayed (RFC 3551 §4.5.2): the clock runs at half the sample rate.
  clockRate: 8000,
  sampleRate: 16000,
  newEncoder,
  newDecoder,
};

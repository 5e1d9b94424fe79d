// Zero crossings of the sinc on each side.
const crossings = 16;
// Of the band that both rates can carry; the rest is where the filter falls off.
const passBand = 0.92;
// Of the window: some 80 dB of attenuation.
const kaiserBeta = 8;

/** Another sample rate by a windowed sinc; the length is rounded up. */
export function resample(pcm: Int16Array, fromRate: number, toRate: number): Int16Array {
  if (!(Number.isInteger(fromRate) && Number.isInteger(toRate) && fromRate > 0 && toRate > 0)) {
    throw new RangeError(`Sample rates are positive integers, not ${fromRate} and ${toRate}`);
  }
  if (fromRate === toRate) return pcm.slice();
  const divisor = greatestCommonDivisor(fromRate, toRate);
  const [step, phases] = [fromRate / divisor, toRate / divisor];
  const cutoff = Math.min(1, toRate / fromRate) * passBand;
  const half = Math.ceil(crossings / cutoff);
  const filters = new Map<number, Float64Array>();
  const out = new Int16Array(Math.ceil((pcm.length * phases) / step));
  for (let at = 0; at < out.length; at++) {
    const position = at * step;
    const phase = position % phases;
    const first = (position - phase) / phases - half + 1;
    let filter = filters.get(phase);
    if (!filter) {
      filter = newFilter(phase / phases, cutoff, half);
      // Rates without a common divisor have as many phases as samples, used once each.
      if (phases <= 4096) filters.set(phase, filter);
    }
    let sum = 0;
    const from = Math.max(0, -first);
    const to = Math.min(filter.length, pcm.length - first);
    for (let tap = from; tap < to; tap++) sum += (filter[tap] as number) * (pcm[first + tap] as number);
    out[at] = Math.max(-32768, Math.min(32767, Math.round(sum)));
  }
  return out;
}

/** The weights of the samples around a point that lies `fraction` behind the middle one. */
function newFilter(fraction: number, cutoff: number, half: number): Float64Array {
  const filter = new Float64Array(2 * half);
  let total = 0;
  for (let tap = 0; tap < filter.length; tap++) {
    const distance = tap - half + 1 - fraction;
    const weight = sinc(distance * cutoff) * kaiser(distance / half);
    filter[tap] = weight;
    total += weight;
  }
  // A constant stays what it is, whatever the phase.
  return filter.map((weight) => weight / total);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

const kaiserPeak = besselI0(kaiserBeta);

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(kaiserBeta * Math.sqrt(1 - x * x)) / kaiserPeak;
}

function besselI0(x: number): number {
  let [sum, term] = [1, 1];
  for (let n = 1; term > sum * 1e-12; n++) {
    term *= (x / (2 * n)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

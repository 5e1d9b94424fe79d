/** The power spectrum of real samples of one length, a power of two; each call reuses the same memory. */
export function newSpectrum(window: Float64Array, size: number): (samples: Float64Array) => Float64Array {
  const levels = Math.log2(size);
  if (!Number.isInteger(levels) || window.length > size) throw new RangeError(`No spectrum of ${size} points`);
  const reversed = Uint32Array.from({ length: size }, (_, index) => reverseBits(index, levels));
  const cosines = Float64Array.from({ length: size / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, index) => -Math.sin((2 * Math.PI * index) / size));
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  const power = new Float64Array(size / 2);
  return (samples) => {
    real.fill(0);
    imaginary.fill(0);
    for (let at = 0; at < window.length; at++) {
      real[reversed[at] as number] = (samples[at] as number) * (window[at] as number);
    }
    for (let half = 1, step = size / 2; half < size; half *= 2, step /= 2) {
      for (let start = 0; start < size; start += 2 * half) {
        for (let offset = 0; offset < half; offset++) {
          const [low, high] = [start + offset, start + offset + half];
          const cosine = cosines[offset * step] as number;
          const sine = sines[offset * step] as number;
          const re = (real[high] as number) * cosine - (imaginary[high] as number) * sine;
          const im = (real[high] as number) * sine + (imaginary[high] as number) * cosine;
          real[high] = (real[low] as number) - re;
          imaginary[high] = (imaginary[low] as number) - im;
          real[low] = (real[low] as number) + re;
          imaginary[low] = (imaginary[low] as number) + im;
        }
      }
    }
    for (let bin = 0; bin < power.length; bin++) {
      power[bin] = (real[bin] as number) ** 2 + (imaginary[bin] as number) ** 2;
    }
    return power;
  };
}

function reverseBits(value: number, count: number): number {
  let reversed = 0;
  for (let bit = 0; bit < count; bit++) reversed |= ((value >> bit) & 1) << (count - 1 - bit);
  return reversed;
}

export interface Spectrum {
  real: Float64Array;
  imaginary: Float64Array;
}

/** The fast Fourier transform of one size, a power of two, in place. */
export function newFourier(size: number): (spectrum: Spectrum) => void {
  const levels = Math.log2(size);
  if (!Number.isInteger(levels)) throw new RangeError(`${size} is no power of two`);
  const reversed = Uint32Array.from({ length: size }, (_, index) => reverseBits(index, levels));
  const cosines = Float64Array.from({ length: size / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, index) => -Math.sin((2 * Math.PI * index) / size));
  return ({ real, imaginary }) => {
    for (let at = 0; at < size; at++) {
      const other = reversed[at] as number;
      if (other <= at) continue;
      swap(real, at, other);
      swap(imaginary, at, other);
    }
    for (let half = 1, step = size / 2; half < size; half *= 2, step /= 2) {
      for (let start = 0; start < size; start += 2 * half) {
        for (let offset = 0; offset < half; offset++) {
          const [low, high] = [start + offset, start + offset + half];
          const cosine = cosines[offset * step] as number;
          const sine = sines[offset * step] as number;
          const x = (real[high] as number) * cosine - (imaginary[high] as number) * sine;
          const y = (real[high] as number) * sine + (imaginary[high] as number) * cosine;
          real[high] = (real[low] as number) - x;
          imaginary[high] = (imaginary[low] as number) - y;
          real[low] = (real[low] as number) + x;
          imaginary[low] = (imaginary[low] as number) + y;
        }
      }
    }
  };
}

function reverseBits(value: number, count: number): number {
  let reversed = 0;
  for (let bit = 0; bit < count; bit++) reversed |= ((value >> bit) & 1) << (count - 1 - bit);
  return reversed;
}

function swap(values: Float64Array, a: number, b: number): void {
  const kept = values[a] as number;
  values[a] = values[b] as number;
  values[b] = kept;
}

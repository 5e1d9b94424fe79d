export interface Spectrum {
  real: Float64Array;
  imaginary: Float64Array;
}

/** The fast Fourier transform in place; the length is a power of two. */
export function transform({ real, imaginary }: Spectrum): void {
  const size = real.length;
  for (let at = 1, mirrored = 0; at < size; at++) {
    let bit = size >> 1;
    for (; mirrored & bit; bit >>= 1) mirrored ^= bit;
    mirrored ^= bit;
    if (at < mirrored) {
      swap(real, at, mirrored);
      swap(imaginary, at, mirrored);
    }
  }
  for (let span = 2; span <= size; span <<= 1) {
    const half = span / 2;
    for (let step = 0; step < half; step++) {
      const angle = (-2 * Math.PI * step) / span;
      const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
      for (let low = step; low < size; low += span) {
        const high = low + half;
        const [x, y] = [real[high] as number, imaginary[high] as number];
        const [turnedX, turnedY] = [x * cosine - y * sine, x * sine + y * cosine];
        real[high] = (real[low] as number) - turnedX;
        imaginary[high] = (imaginary[low] as number) - turnedY;
        real[low] = (real[low] as number) + turnedX;
        imaginary[low] = (imaginary[low] as number) + turnedY;
      }
    }
  }
}

export function transformBack({ real, imaginary }: Spectrum): void {
  // The same with both parts exchanged runs the other way.
  transform({ real: imaginary, imaginary: real });
  for (let at = 0; at < real.length; at++) {
    real[at] = (real[at] as number) / real.length;
    imaginary[at] = (imaginary[at] as number) / real.length;
  }
}

function swap(values: Float64Array, a: number, b: number): void {
  const kept = values[a] as number;
  values[a] = values[b] as number;
  values[b] = kept;
}

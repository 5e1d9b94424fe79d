import { newFourier } from '../fourier.ts';

/** The power spectrum of windowed samples; each call reuses the same memory. */
export function newSpectrum(window: Float64Array, size: number): (samples: Float64Array) => Float64Array {
  if (window.length > size) throw new RangeError(`No spectrum of ${size} points of ${window.length} samples`);
  const transform = newFourier(size);
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  const power = new Float64Array(size / 2);
  return (samples) => {
    real.fill(0);
    imaginary.fill(0);
    for (let at = 0; at < window.length; at++) real[at] = (samples[at] as number) * (window[at] as number);
    transform({ real, imaginary });
    for (let bin = 0; bin < power.length; bin++) {
      power[bin] = (real[bin] as number) ** 2 + (imaginary[bin] as number) ** 2;
    }
    return power;
  };
}

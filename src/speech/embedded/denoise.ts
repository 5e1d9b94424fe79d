import { newFourier, type Spectrum } from '../fourier.ts';

const size = 256;
const transform = newFourier(size);
const hop = size / 2;
const bins = size / 2 + 1;
/** Noise is brought down to this share, not to nothing: what is left masks the traces of its removal. */
const leastGain = 0.3;
/** How much of what was speech in the last window is expected to be in this one. */
const steadiness = 0.96;
/** The share of windows that are taken for noise alone, the quietest ones: an utterance begins with some. */
const quietShare = 1 / 8;
/** From here on the line is clean enough: the model hears better without help. */
const cleanDb = 28;

const window = Float64Array.from({ length: size }, (_, at) =>
  Math.sqrt(0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size)),
);

/**
 * An utterance with the steady noise behind it made softer, by a Wiener filter over windows of 32 ms (at 8
 * kHz). With noise 10 dB below the voice a quarter of the wrong words are understood this way.
 */
export function denoise(samples: Int16Array): Int16Array {
  if (samples.length < 4 * size) return samples;
  const powers = windowPowers(samples);
  const quiet = quietest(powers);
  if (signalToNoiseDb(powers, quiet) > cleanDb) return samples;
  const spectra = powers.map((_, index) => spectrumAt(samples, (index - 1) * hop));
  const noise = noisePower(quiet.map((index) => spectra[index] as Spectrum));
  const sum = new Float64Array(spectra.length * hop + size);
  const kept = new Float64Array(bins).fill(1);
  for (const [index, spectrum] of spectra.entries()) {
    suppress(spectrum, noise, kept);
    transformBack(spectrum);
    for (let at = 0; at < size; at++) {
      sum[index * hop + at] =
        (sum[index * hop + at] as number) + (spectrum.real[at] as number) * (window[at] as number);
    }
  }
  const softer = new Int16Array(samples.length);
  for (let at = 0; at < softer.length; at++) {
    softer[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum[at + hop] as number)));
  }
  return softer;
}

/** Each begins half a window behind the last one, the first half a window before the sound. */
function windowPowers(samples: Int16Array): number[] {
  const powers: number[] = [];
  for (let from = -hop; from < samples.length; from += hop) {
    let power = 0;
    for (let at = 0; at < size; at++) power += weighted(samples, from, at) ** 2;
    powers.push(power);
  }
  return powers;
}

function spectrumAt(samples: Int16Array, from: number): Spectrum {
  const spectrum = { real: new Float64Array(size), imaginary: new Float64Array(size) };
  for (let at = 0; at < size; at++) spectrum.real[at] = weighted(samples, from, at);
  transform(spectrum);
  return spectrum;
}

function weighted(samples: Int16Array, from: number, at: number): number {
  const index = from + at;
  return index < 0 || index >= samples.length ? 0 : (samples[index] as number) * (window[at] as number);
}

function quietest(powers: number[]): number[] {
  // The first and the last window are half empty.
  const whole = [...powers.keys()].slice(1, -1);
  const count = Math.max(4, Math.round(whole.length * quietShare));
  return whole.sort((a, b) => (powers[a] as number) - (powers[b] as number)).slice(0, count);
}

function noisePower(quiet: Spectrum[]): Float64Array {
  return Float64Array.from({ length: bins }, (_, bin) => {
    return 1 + quiet.reduce((sum, spectrum) => sum + power(spectrum, bin), 0) / quiet.length;
  });
}

function signalToNoiseDb(powers: number[], quiet: number[]): number {
  const loud = powers.toSorted((a, b) => b - a)[Math.floor(powers.length / 5)] as number;
  const soft = quiet.reduce((sum, index) => sum + (powers[index] as number), 0) / quiet.length;
  return 10 * Math.log10(loud / (1 + soft));
}

function suppress(spectrum: Spectrum, noise: Float64Array, kept: Float64Array): void {
  for (let bin = 0; bin < bins; bin++) {
    const now = power(spectrum, bin) / (noise[bin] as number);
    const expected = steadiness * (kept[bin] as number) + (1 - steadiness) * Math.max(0, now - 1);
    const gain = Math.max(leastGain, expected / (1 + expected));
    kept[bin] = gain * gain * now;
    scale(spectrum, bin, gain);
    if (bin > 0 && bin < size / 2) scale(spectrum, size - bin, gain);
  }
}

function transformBack({ real, imaginary }: Spectrum): void {
  // The same with both parts exchanged runs the other way.
  transform({ real: imaginary, imaginary: real });
  for (let at = 0; at < size; at++) real[at] = (real[at] as number) / size;
}

function scale({ real, imaginary }: Spectrum, bin: number, gain: number): void {
  real[bin] = (real[bin] as number) * gain;
  imaginary[bin] = (imaginary[bin] as number) * gain;
}

function power({ real, imaginary }: Spectrum, bin: number): number {
  return (real[bin] as number) ** 2 + (imaginary[bin] as number) ** 2;
}

import assert from 'node:assert/strict';

/** Sound that resembles only itself: noise whose colour and loudness wander, as those of speech do. */
export function babble(seconds: number, sampleRate = 8_000, seed = 1): Int16Array {
  const random = randomFrom(seed);
  const pcm = new Int16Array(seconds * sampleRate);
  let [low, loudness, pitch, phase] = [0, 0.5, 150, 0];
  for (let i = 0; i < pcm.length; i++) {
    if (i % 800 === 0) {
      loudness = 0.2 + 0.8 * random();
      pitch = 100 + 250 * random();
    }
    phase += (2 * Math.PI * pitch) / sampleRate;
    low += 0.3 * (random() - 0.5 - low);
    pcm[i] = 9_000 * loudness * (0.6 * Math.sin(phase) + 0.3 * Math.sin(3 * phase) + low);
  }
  return pcm;
}

export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * How much a recording resembles what was played, second by second: the least of the correlations,
 * each at the shift within `window` samples where it is highest.
 */
export function resemblance(played: Int16Array, recorded: Int16Array, sampleRate = 8_000): number {
  const start = bestShift(played.subarray(0, sampleRate), recorded, 0, recorded.length - sampleRate);
  let least = 1;
  for (let at = 0; at + sampleRate <= played.length; at += sampleRate) {
    const piece = played.subarray(at, at + sampleRate);
    const near = start + at;
    const shift = bestShift(piece, recorded, Math.max(0, near - 800), near + 800);
    least = Math.min(least, correlation(piece, recorded.subarray(shift, shift + piece.length)));
  }
  return least;
}

export function correlation(a: Int16Array, b: Int16Array): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa && bb ? ab / Math.sqrt(aa * bb) : 0;
}

function bestShift(piece: Int16Array, within: Int16Array, from: number, to: number): number {
  let [best, bestScore] = [from, -1];
  const probe = piece.subarray(0, 2_000);
  for (let shift = from; shift <= to; shift++) {
    const score = correlation(probe, within.subarray(shift, shift + probe.length));
    if (score > bestScore) [best, bestScore] = [shift, score];
  }
  return best;
}

/** Fails unless a recording holds what was played, every second of it; says how much it resembled. */
export function assertResembles(
  recorded: Int16Array | undefined,
  played: Int16Array,
  least: number,
  sampleRate = 8_000,
): void {
  assert.ok(recorded, 'There is no recording');
  const found = resemblance(played, recorded, sampleRate);
  assert.ok(found >= least, `It resembles what was played by ${found.toFixed(4)} in its worst second`);
}

/** The root of the mean square. */
export function loudness(pcm: Int16Array): number {
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);
}

export function tone(hertz: number, seconds: number, sampleRate = 8_000): Int16Array {
  return Int16Array.from(
    { length: seconds * sampleRate },
    (_, i) => 8_000 * Math.sin((2 * Math.PI * hertz * i) / sampleRate),
  );
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loudness, randomFrom } from '../../../test/harness/audio.ts';
import { denoise } from './denoise.ts';

const rate = 8_000;
const random = randomFrom(7);
const noise = (samples: number, level: number) =>
  Int16Array.from({ length: samples }, () => (random() - 0.5) * 2 * level);

/** Half a second of noise, a second of a tone in it, half a second of noise. */
function toneInNoise(level: number): Int16Array {
  const sound = noise(2 * rate, level);
  for (let at = rate / 2; at < 1.5 * rate; at++) {
    sound[at] = (sound[at] as number) + 8_000 * Math.sin((2 * Math.PI * 440 * at) / rate);
  }
  return sound;
}

test('the noise becomes softer and the tone stays', () => {
  const noisy = toneInNoise(2_000);
  const clean = denoise(noisy);
  const quiet = (sound: Int16Array) => loudness(sound.subarray(500, 3_500));
  const tone = (sound: Int16Array) => loudness(sound.subarray(5_000, 11_000));
  assert.ok(quiet(clean) < 0.45 * quiet(noisy), `${quiet(clean)} of ${quiet(noisy)}`);
  assert.ok(tone(clean) > 0.85 * tone(noisy), `${tone(clean)} of ${tone(noisy)}`);
  assert.equal(clean.length, noisy.length);
});

test('a clean line is left as it is', () => {
  const sound = toneInNoise(20);
  assert.equal(denoise(sound), sound);
});

test('digital silence and very short sounds stay what they are', () => {
  assert.deepEqual(denoise(new Int16Array(8_000)), new Int16Array(8_000));
  const short = noise(300, 1_000);
  assert.equal(denoise(short), short);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newFourier } from './fourier.ts';

const size = 64;
const cosine = (periods: number) =>
  Float64Array.from({ length: size }, (_, at) => Math.cos((2 * Math.PI * periods * at) / size));

test('the spectrum of a cosine has one line', () => {
  const spectrum = { real: cosine(5), imaginary: new Float64Array(size) };
  newFourier(size)(spectrum);
  for (let bin = 0; bin <= size / 2; bin++) {
    const magnitude = Math.hypot(spectrum.real[bin] as number, spectrum.imaginary[bin] as number);
    assert.ok(Math.abs(magnitude - (bin === 5 ? size / 2 : 0)) < 1e-9, `bin ${bin}: ${magnitude}`);
  }
});

test('with both parts exchanged it runs back', () => {
  const [real, imaginary] = [cosine(7), cosine(3)];
  const transform = newFourier(size);
  transform({ real, imaginary });
  transform({ real: imaginary, imaginary: real });
  for (let at = 0; at < size; at++)
    assert.ok(Math.abs((real[at] as number) / size - (cosine(7)[at] as number)) < 1e-12);
});

test('sizes that are no power of two are refused', () => {
  assert.throws(() => newFourier(100), RangeError);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resample } from './resample.ts';

const rates = [8000, 11025, 16000, 22050, 24000, 44100, 48000];

function sine(frequency: number, sampleRate: number, seconds = 0.5, amplitude = 10000): Int16Array {
  const length = Math.round(sampleRate * seconds);
  return Int16Array.from({ length }, (_, at) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * at) / sampleRate)),
  );
}

/** Decibels by which the difference lies below the signal, without the edges. */
function signalToNoise(signal: Int16Array, expected: Int16Array): number {
  const edge = Math.floor(signal.length / 10);
  let [power, noise] = [0, 0];
  for (let at = edge; at < signal.length - edge; at++) {
    power += (expected[at] as number) ** 2;
    noise += ((signal[at] as number) - (expected[at] as number)) ** 2;
  }
  return 10 * Math.log10(power / noise);
}

function level(signal: Int16Array): number {
  const middle = signal.subarray(signal.length / 10, (signal.length * 9) / 10);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample ** 2, 0) / middle.length);
}

describe('resampling', () => {
  it('keeps a tone that both rates can carry, in place and 60 dB above the error', () => {
    for (const from of rates) {
      for (const to of rates) {
        const frequency = Math.min(from, to) * 0.39;
        const got = resample(sine(frequency, from), from, to);
        const distance = signalToNoise(got, sine(frequency, to));
        assert.ok(distance > 60, `${from} to ${to}: ${distance.toFixed(1)} dB`);
      }
    }
  });

  it('lets nothing through that the lower rate cannot carry', () => {
    for (const from of [16000, 22050, 44100, 48000]) {
      for (const frequency of [4400, 5000, 7000]) {
        const left = level(resample(sine(frequency, from), from, 8000));
        assert.ok(left < 10, `${frequency} Hz of ${from}: ${left}`);
      }
    }
  });

  it('adds no mirror image when the rate is raised', () => {
    const got = resample(sine(1000, 8000), 8000, 16000);
    assert.ok(signalToNoise(got, sine(1000, 16000)) > 60);
  });

  it('lasts as long as before', () => {
    assert.equal(resample(new Int16Array(22050), 22050, 8000).length, 8000);
    assert.equal(resample(new Int16Array(160), 8000, 48000).length, 960);
    assert.equal(resample(new Int16Array(0), 8000, 16000).length, 0);
    assert.equal(resample(new Int16Array(1), 48000, 8000).length, 1);
  });

  it('keeps a constant and does not wrap at full scale', () => {
    const middle = resample(new Int16Array(2000).fill(32767), 44100, 48000).subarray(200, -200);
    assert.ok(middle.every((sample) => sample >= 32766));
    const square = Int16Array.from({ length: 800 }, (_, at) => (at % 80 < 40 ? 32767 : -32768));
    const got = resample(square, 8000, 16000);
    assert.ok(
      got.every((sample, at) => (at % 160 >= 6 && at % 160 < 74 ? sample > 20000 || at < 80 || at > 1520 : true)),
    );
  });

  it('knows rates without a common divisor and gives a copy for the same rate', () => {
    assert.ok(signalToNoise(resample(sine(440, 44101), 44101, 7999), sine(440, 7999)) > 60);
    const same = sine(440, 8000);
    const copy = resample(same, 8000, 8000);
    assert.deepEqual(copy, same);
    assert.notEqual(copy.buffer, same.buffer);
  });

  it('refuses rates that are none', () => {
    for (const rate of [0, -8000, 8000.5, NaN]) {
      assert.throws(() => resample(new Int16Array(1), rate, 8000), RangeError);
      assert.throws(() => resample(new Int16Array(1), 8000, rate), RangeError);
    }
  });
});

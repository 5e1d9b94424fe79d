import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../../../test/harness/audio.ts';
import { framesOf } from '../../../test/harness/speech.ts';
import { joined } from '../../rtp/pcm.ts';
import { resample } from '../../rtp/resample.ts';
import { runFlite } from '../embedded/flite.ts';
import type { LineRate, Vad } from '../ports.ts';
import { openVad } from './vad.ts';

function noise(seconds: number, level: number, rate: LineRate): Int16Array {
  const random = randomFrom(5);
  return Int16Array.from({ length: seconds * rate }, () => (random() + random() - 1) * level);
}

function speech(rate: LineRate): Int16Array {
  const { samples, sampleRate } = runFlite({ text: 'Good morning, how are you today?', voice: 'rms', rate: 1 });
  return resample(samples, sampleRate, rate);
}

const shareOfSpeech = (vad: Vad, sound: Int16Array, rate: LineRate) => {
  const frames = [...framesOf(sound, rate)].map((frame) => vad.hear(frame));
  return frames.filter(Boolean).length / frames.length;
};

const mixed = (sound: Int16Array, other: Int16Array) => sound.map((sample, at) => sample + (other[at] ?? 0));

for (const rate of [8_000, 16_000] as const) {
  test(`speech at ${rate / 1_000} kHz is speech, what is around it is not`, () => {
    const vad = openVad(rate);
    assert.equal(shareOfSpeech(vad, noise(1, 30, rate), rate), 0);
    assert.ok(shareOfSpeech(vad, speech(rate), rate) > 0.6);
    assert.ok(shareOfSpeech(vad, noise(2, 30, rate), rate) < 0.05);
    vad.close();
  });

  test(`steady noise at ${rate / 1_000} kHz is no speech, however loud`, () => {
    for (const level of [100, 1_000, 8_000]) {
      const vad = openVad(rate);
      assert.ok(shareOfSpeech(vad, noise(5, level, rate), rate) < 0.03, `level ${level}`);
      vad.close();
    }
  });
}

test('speech is found in noise', () => {
  const rate = 8_000;
  const vad = openVad(rate);
  const said = speech(rate);
  shareOfSpeech(vad, noise(1, 700, rate), rate);
  const share = shareOfSpeech(vad, mixed(said, noise(said.length / rate, 700, rate)), rate);
  assert.ok(share > 0.35, String(share));
});

test('a voice in noise is not clear, one on a quiet line is', () => {
  const rate = 8_000;
  const said = speech(rate);
  const [quietLine, noisyLine] = [openVad(rate), openVad(rate)];
  shareOfSpeech(quietLine, joined(noise(1, 10, rate), said), rate);
  shareOfSpeech(noisyLine, mixed(joined(noise(1, 10, rate), said), noise(1 + said.length / rate, 700, rate)), rate);
  assert.equal(quietLine.isClear, true);
  assert.equal(noisyLine.isClear, false);
});

test('digital silence is no speech', () => {
  const vad = openVad(8_000);
  assert.equal(shareOfSpeech(vad, new Int16Array(16_000), 8_000), 0);
});

test('a frame of another length is refused', () => {
  assert.throws(() => openVad(8_000).hear(new Int16Array(320)), RangeError);
});

test('a closed detector hears nothing, and closing twice is harmless', () => {
  const vad = openVad(8_000);
  vad.close();
  vad.close();
  assert.equal(vad.hear(new Int16Array(160)), false);
});

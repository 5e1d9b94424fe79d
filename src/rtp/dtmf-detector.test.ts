import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DtmfDetector } from './dtmf-detector.ts';
import { dtmfColumns, dtmfKeys, dtmfRows, dtmfTones } from './dtmf-tones.ts';
import { pcma, pcmu } from './g711.ts';
import { joined } from './pcm.ts';

function hear(pcm: Int16Array, sampleRate = 8000, chunk = sampleRate / 50): string {
  const detector = new DtmfDetector(sampleRate);
  let heard = '';
  for (let at = 0; at < pcm.length; at += chunk) heard += detector.push(pcm.subarray(at, at + chunk));
  return heard;
}

type Tone = { hz: number; amplitude: number };

function sound(ms: number, tones: Tone[], { sampleRate = 8000, phase = 0 } = {}): Int16Array {
  return Int16Array.from({ length: Math.round((ms * sampleRate) / 1000) }, (_, at) =>
    tones.reduce(
      (sum, { hz, amplitude }) => sum + amplitude * Math.sin((2 * Math.PI * hz * at) / sampleRate + phase),
      0,
    ),
  );
}

function key(
  digit: string,
  ms: number,
  { rowGain = 1, columnGain = 1, detune = 1, amplitude = 4000 } = {},
): Int16Array {
  const at = dtmfKeys.indexOf(digit);
  return sound(ms, [
    { hz: (dtmfRows[at >> 2] as number) * detune, amplitude: amplitude * rowGain },
    { hz: (dtmfColumns[at & 3] as number) * detune, amplitude: amplitude * columnGain },
  ]);
}

const silence = (ms: number) => new Int16Array(ms * 8);

function mixed(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts[0] as Int16Array, (_, at) => parts.reduce((sum, part) => sum + (part[at] ?? 0), 0));
}

/** A generator with a seed (mulberry32), so that a failure comes again. */
function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function noise(ms: number, amplitude: number, seed = 1): Int16Array {
  const random = newRandom(seed);
  return Int16Array.from({ length: ms * 8 }, () => (2 * random() - 1) * amplitude);
}

const all = '0123456789*#ABCD';
const decibels = (value: number) => 10 ** (value / 20);

describe('a detector of DTMF', () => {
  it('hears all keys at all usual rates, in chunks of any size', () => {
    for (const sampleRate of [8000, 16000, 24000, 48000]) {
      for (const chunk of [1, 77, 160, 1000, 100_000]) {
        assert.equal(hear(dtmfTones(all, sampleRate), sampleRate, chunk), all, `${sampleRate} in ${chunk}`);
      }
    }
  });

  it('reports a key while it is held, once', () => {
    const detector = new DtmfDetector(8000);
    assert.equal(detector.push(key('5', 40)), '5');
    assert.equal(detector.push(key('5', 5000)), '');
  });

  it('tells presses of one key apart by a pause of 40 ms', () => {
    assert.equal(hear(dtmfTones('1122', 8000)), '1122');
    for (let start = 0; start < 102; start += 3) {
      const pcm = joined(new Int16Array(start), key('7', 50), silence(40), key('7', 50), silence(40));
      assert.equal(hear(pcm), '77', `begun at ${start}`);
    }
  });

  it('hears a key of 40 ms wherever it begins, and none of 12 ms', () => {
    for (let start = 0; start < 102; start++) {
      for (const digit of ['1', 'D', '*']) {
        assert.equal(hear(joined(new Int16Array(start), key(digit, 40), silence(50))), digit, `begun at ${start}`);
        assert.equal(hear(joined(new Int16Array(start), key(digit, 12), silence(50))), '', `begun at ${start}`);
      }
    }
  });

  it('does not take a click within a press for its end', () => {
    assert.equal(hear(joined(key('3', 60), silence(8), key('3', 60))), '3');
  });

  it('hears the next key without a pause between', () => {
    assert.equal(hear(joined(key('1', 60), key('2', 60), key('1', 60))), '121');
  });

  it('hears keys through G.711', () => {
    for (const codec of [pcmu, pcma]) {
      const pcm = dtmfTones(all, 8000).map((sample) => sample / 20);
      const payload = new Uint8Array(pcm.length);
      codec.newEncoder()(pcm, payload);
      codec.newDecoder()(payload, pcm);
      assert.equal(hear(pcm), all, codec.name);
    }
  });

  it('hears faint keys and ignores those below -40 dBm0', () => {
    for (const digit of all) {
      assert.equal(hear(key(digit, 100, { amplitude: 600 })), digit);
      assert.equal(hear(key(digit, 100, { amplitude: 200 })), '');
    }
  });

  it('bears a twist of 6 dB either way and refuses 12', () => {
    for (const digit of all) {
      assert.equal(hear(key(digit, 100, { rowGain: decibels(6) })), digit);
      assert.equal(hear(key(digit, 100, { columnGain: decibels(6) })), digit);
      assert.equal(hear(key(digit, 100, { rowGain: decibels(12) })), '');
      assert.equal(hear(key(digit, 100, { columnGain: decibels(12) })), '');
    }
  });

  it('bears frequencies 1.5 % off and refuses 3.5 %', () => {
    for (const digit of all) {
      for (const detune of [0.985, 0.995, 1.005, 1.015]) assert.equal(hear(key(digit, 100, { detune })), digit);
      for (const detune of [0.965, 1.035]) assert.equal(hear(key(digit, 100, { detune })), '', `${digit} × ${detune}`);
    }
  });

  it('hears keys above noise of 15 dB less', () => {
    // Uniform noise of this amplitude has the power of two tones of 4000 each, less 15 dB.
    const amplitude = 4000 * Math.sqrt(3) * decibels(-15);
    for (const [seed, digit] of [...all].entries()) {
      assert.equal(hear(mixed(key(digit, 100), noise(100, amplitude, seed))), digit);
    }
  });

  it('hears nothing in noise', () => {
    for (let seed = 0; seed < 10; seed++) assert.equal(hear(noise(6000, 20_000, seed)), '');
  });

  it('hears nothing in single tones, sweeps and the tones of a line', () => {
    for (const hz of [...dtmfRows, ...dtmfColumns, 350, 425, 440, 480, 620, 1000, 1100, 2100]) {
      assert.equal(hear(sound(500, [{ hz, amplitude: 12_000 }])), '', `${hz} Hz`);
    }
    for (const pair of [
      [350, 440],
      [440, 480],
      [480, 620],
      [697, 770],
      [1209, 1477],
    ]) {
      assert.equal(
        hear(
          sound(
            500,
            pair.map((hz) => ({ hz, amplitude: 8000 })),
          ),
        ),
        '',
        `${pair}`,
      );
    }
    const sweep = Int16Array.from(
      { length: 80_000 },
      (_, at) => 12_000 * Math.sin(2 * Math.PI * at * (0.0125 + (at / 80_000) * 0.2)),
    );
    assert.equal(hear(sweep), '');
  });

  it('hears nothing in chords, also not in those that hold the tones of a key', () => {
    const notes = Array.from({ length: 37 }, (_, note) => 220 * 2 ** (note / 12));
    for (const [at, root] of notes.entries()) {
      for (const intervals of [
        [4, 7],
        [3, 7],
        [5, 9],
        [4, 10],
      ]) {
        const hz = [root, ...intervals.map((interval) => root * 2 ** (interval / 12))];
        const tones = hz.flatMap((base) => [1, 2, 3].map((n) => ({ hz: base * n, amplitude: 4000 / n })));
        assert.equal(hear(sound(200, tones)), '', `${at} ${intervals}`);
      }
    }
    const third = (digit: string, hz: number) => mixed(key(digit, 200), sound(200, [{ hz, amplitude: 4000 }]));
    for (const digit of all) for (const hz of [350, 523, 1900]) assert.equal(hear(third(digit, hz)), '');
  });

  it('hears nothing when a second row or column sounds, 5 dB below the first', () => {
    for (const digit of all) {
      const at = dtmfKeys.indexOf(digit);
      for (const hz of [dtmfRows[((at >> 2) + 2) % 4] as number, dtmfColumns[((at & 3) + 2) % 4] as number]) {
        const second = sound(200, [{ hz, amplitude: 4000 * decibels(-5) }]);
        assert.equal(hear(mixed(key(digit, 200), second)), '', `${digit} and ${hz} Hz`);
      }
    }
  });

  it('hears nothing in tones with a second harmonic', () => {
    const voiced = (digit: string) => {
      const at = dtmfKeys.indexOf(digit);
      const [row, column] = [dtmfRows[at >> 2] as number, dtmfColumns[at & 3] as number];
      return sound(200, [
        { hz: row, amplitude: 4000 },
        { hz: column, amplitude: 4000 },
        { hz: 2 * column, amplitude: 1600 },
      ]);
    };
    for (const digit of all) assert.equal(hear(voiced(digit)), '', digit);
  });

  it('hears nothing in voices: gliding harmonics of a pitch behind moving formants', () => {
    const random = newRandom(5);
    for (let voice = 0; voice < 40; voice++) {
      const pitch = 80 + 250 * random();
      const glide = 0.8 + 0.4 * random();
      const formants = [300 + 600 * random(), 900 + 1400 * random(), 2300 + 600 * random()];
      let phase = 0;
      const pcm = Int16Array.from({ length: 16_000 }, (_, at) => {
        const hz = pitch * (1 + (glide - 1) * Math.sin(at / 2000));
        phase += (2 * Math.PI * hz) / 8000;
        let sum = 0;
        for (let n = 1; n * hz < 3600; n++) {
          const gain = formants.reduce(
            (most, formant) => Math.max(most, 1 / (1 + ((n * hz - formant) / 120) ** 2)),
            0.08,
          );
          sum += gain * Math.sin(n * phase);
        }
        return 6000 * sum;
      });
      assert.equal(hear(pcm), '', `voice ${voice} at ${pitch.toFixed(0)} Hz`);
    }
  });
});

describe('the tones of keys', () => {
  it('last 100 ms with a pause of 60 ms, at any rate', () => {
    for (const sampleRate of [8000, 11025, 16000]) {
      const pcm = dtmfTones('1a', sampleRate);
      const [tone, pause] = [Math.round(sampleRate / 10), Math.round(sampleRate * 0.06)];
      assert.equal(pcm.length, 2 * (tone + pause));
      assert.ok(pcm.subarray(tone, tone + pause).every((sample) => sample === 0));
      assert.ok(pcm.subarray(tone + pause, 2 * tone + pause).some((sample) => Math.abs(sample) > 10_000));
    }
  });

  it('leave out what is no key', () => {
    assert.deepEqual(dtmfTones('1 x2-', 8000), dtmfTones('12', 8000));
    assert.equal(dtmfTones('', 8000).length, 0);
  });
});

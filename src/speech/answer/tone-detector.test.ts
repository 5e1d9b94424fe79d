import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pcmu } from '../../rtp/g711.ts';
import { resample } from '../../rtp/resample.ts';
import { runFlite } from '../embedded/flite.ts';
import type { LineRate } from '../ports.ts';
import { type Tone, ToneDetector } from './tone-detector.ts';

type Sound = { ms: number; frequencies?: number[]; amplitude?: number; at?: (seconds: number) => number };

const silence = (ms: number): Sound => ({ ms });
const tone = (frequency: number, ms: number, amplitude = 4_000): Sound => ({ ms, frequencies: [frequency], amplitude });
const pair = (low: number, high: number, ms: number): Sound => ({ ms, frequencies: [low, high], amplitude: 3_000 });

function render(sounds: Sound[], rate: LineRate): Int16Array {
  return Int16Array.from(
    sounds.flatMap(({ ms, frequencies = [], amplitude = 0, at }) =>
      Array.from({ length: Math.round((ms * rate) / 1_000) }, (_, index) => {
        const seconds = index / rate;
        if (at) return Math.round(at(seconds));
        return Math.round(frequencies.reduce((sum, hz) => sum + amplitude * Math.sin(2 * Math.PI * hz * seconds), 0));
      }),
    ),
  );
}

function throughMuLaw(pcm: Int16Array): Int16Array {
  const [payload, decoded] = [new Uint8Array(pcm.length), new Int16Array(pcm.length)];
  pcmu.newEncoder()(pcm, payload);
  pcmu.newDecoder()(payload, decoded);
  return decoded;
}

type Heard = Tone & { reportedMs: number };

function hear(pcm: Int16Array, sampleRate: LineRate = 8_000): Heard[] {
  const heard: Heard[] = [];
  let nowMs = 0;
  const detector = new ToneDetector({ sampleRate, onTone: (found) => heard.push({ ...found, reportedMs: nowMs }) });
  const frame = sampleRate / 50;
  for (let at = 0; at + frame <= pcm.length; at += frame) {
    nowMs += 20;
    detector.hear(pcm.subarray(at, at + frame));
  }
  return heard;
}

function hearAll(...sounds: Sound[]): Heard[] {
  return hear(throughMuLaw(render([...sounds, silence(400)], 8_000)));
}

const kinds = (heard: Heard[]) => heard.map(({ kind }) => kind);

/** The same noise in every run. */
function noise(length: number, rms: number): Int16Array {
  let state = 12_345;
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.round(rms * Math.sqrt(12) * (state / 2 ** 32 - 0.5));
  });
}

function mix(one: Int16Array, other: Int16Array): Int16Array {
  return one.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (other[at] ?? 0))));
}

describe('beeps', () => {
  it('finds a beep of any pitch, length and loudness, with its ends, soon after it is over', () => {
    const beeps = fc.record({
      frequency: fc.integer({ min: 360, max: 2_500 }),
      ms: fc.integer({ min: 120, max: 2_000 }),
      leadMs: fc.integer({ min: 50, max: 700 }),
      amplitude: fc.integer({ min: 300, max: 20_000 }),
      rate: fc.constantFrom<LineRate>(8_000, 16_000),
    });
    fc.assert(
      fc.property(beeps, ({ frequency, ms, leadMs, amplitude, rate }) => {
        // The tones of fax machines and modems are told from beeps by their length alone.
        fc.pre(ms < 1_400 || (Math.abs(frequency - 2_100) > 25 && Math.abs(frequency - 2_225) > 25));
        const sounds = [silence(leadMs), tone(frequency, ms, amplitude), silence(400)];
        const [beep, ...others] = hear(throughMuLaw(render(sounds, rate)), rate);
        assert.deepEqual(others, []);
        assert.equal(beep?.kind, 'beep');
        assert.ok(Math.abs(beep.frequency - frequency) < 6, `${beep.frequency} Hz`);
        assert.ok(Math.abs(beep.startMs - leadMs) <= 40, `starts at ${beep.startMs}`);
        assert.ok(Math.abs(beep.endMs - leadMs - ms) <= 30, `ends at ${beep.endMs}`);
        assert.ok(beep.reportedMs - leadMs - ms <= 150, `reported at ${beep.reportedMs}`);
      }),
      { numRuns: 150 },
    );
  });

  it('reports each of two beeps in a row', () => {
    const heard = hearAll(silence(200), tone(1_000, 200), silence(150), tone(1_000, 180));
    assert.deepEqual(kinds(heard), ['beep', 'beep']);
    assert.ok(Math.abs((heard[1]?.endMs ?? 0) - 730) <= 30);
  });

  it('takes two pitches without a gap for one beep', () => {
    const heard = hearAll(silence(200), tone(800, 200), tone(1_100, 200));
    assert.deepEqual(kinds(heard), ['beep']);
    assert.ok(Math.abs((heard[0]?.endMs ?? 0) - 600) <= 30);
  });

  it('finds a beep in noise of half its loudness', () => {
    const pcm = render([silence(1_000), tone(950, 300, 3_000), silence(700)], 8_000);
    const heard = hear(throughMuLaw(mix(pcm, noise(pcm.length, 1_000))));
    assert.deepEqual(kinds(heard), ['beep']);
    assert.ok(Math.abs((heard[0]?.endMs ?? 0) - 1_300) <= 40);
  });

  it('finds a beep with a strong overtone', () => {
    const buzz: Sound = {
      ms: 400,
      at: (s) => 4_000 * Math.sin(2 * Math.PI * 700 * s) + 1_800 * Math.sin(2 * Math.PI * 2_100 * s),
    };
    assert.deepEqual(kinds(hearAll(silence(200), buzz)), ['beep']);
  });

  it('knows of a beep while it lasts', () => {
    const detector = new ToneDetector({ sampleRate: 8_000, onTone: () => {} });
    const pcm = render([silence(200), tone(1_000, 400)], 8_000);
    for (let at = 0; at < pcm.length; at += 160) detector.hear(pcm.subarray(at, at + 160));
    assert.ok(Math.abs((detector.soundingSinceMs ?? 0) - 200) <= 30);
  });
});

describe('what is no beep', () => {
  const hiss = noise(8_000, 3_000);
  const vowel = (pitch: (seconds: number) => number): Sound => ({
    ms: 500,
    at: (s) =>
      [0.5, 1, 0.3, 0.1].reduce(
        (sum, part, index) => sum + 4_000 * part * Math.sin(2 * Math.PI * (index + 1) * pitch(s) * s),
        0,
      ),
  });
  // As measured of a woman's voice: nearly all of the power at twice its pitch.
  const overtone: Sound = {
    ms: 180,
    at: (s) => 4_000 * Math.sin(2 * Math.PI * 400 * s) + 1_100 * Math.sin(2 * Math.PI * 200 * s),
  };
  const cases: [string, Sound[]][] = [
    ['a click', [{ ms: 4, at: () => 12_000 }]],
    ['a tone of 60 ms', [tone(1_000, 60)]],
    ['a hum below all beeps', [tone(120, 800)]],
    ['a hiss', [{ ms: 1_000, at: (s) => hiss[Math.round(s * 8_000)] ?? 0 }]],
    ['a vowel whose overtone is stronger than its pitch', [overtone]],
    ['a sung vowel', [vowel(() => 210)]],
    ['a spoken vowel', [vowel((s) => 210 + 60 * s)]],
    ['a sliding whistle', [{ ms: 800, at: (s) => 5_000 * Math.sin(2 * Math.PI * (600 + 500 * s) * s) }]],
    ['a chord', [{ ms: 600, frequencies: [392, 494, 587, 784], amplitude: 2_000 }]],
    ['a melody', [523, 587, 659, 698, 784].map((hz) => tone(hz, 250))],
    ['a plucked string', [{ ms: 500, at: (s) => 6_000 * Math.exp(-6 * s) * Math.sin(2 * Math.PI * 660 * s) }]],
    ['a tone too faint to hear', [tone(1_000, 500, 25)]],
  ];
  for (const [name, sounds] of cases) {
    it(`hears no beep in ${name}`, () => {
      assert.deepEqual(kinds(hearAll(silence(300), ...sounds)), []);
    });
  }

  for (const voice of ['slt', 'rms', 'awb', 'kal16'] as const) {
    it(`hears no beep in what ${voice} says`, () => {
      const text = 'Oh, who knew you were moving in June? We were all so sure. My room is free for a week.';
      const { samples, sampleRate } = runFlite({ text, voice, rate: 0.85 });
      assert.deepEqual(hear(throughMuLaw(resample(samples, sampleRate, 8_000))), []);
    });
  }
});

describe('tones of the network', () => {
  const variants = [
    [913.8, 274, 1_370.6, 274, 1_776.7, 380],
    [985.2, 380, 1_370.6, 274, 1_776.7, 380],
    [913.8, 274, 1_428.5, 380, 1_776.7, 380],
    [985.2, 380, 1_428.5, 380, 1_776.7, 380],
    [950, 330, 1_400, 330, 1_800, 330],
  ] as const;
  for (const [low, lowMs, middle, middleMs, high, highMs] of variants) {
    it(`hears ${low}, ${middle} and ${high} Hz as special information tones before the third is over`, () => {
      const heard = hearAll(silence(300), tone(low, lowMs), tone(middle, middleMs), tone(high, highMs));
      assert.deepEqual(kinds(heard), ['sit']);
      assert.ok((heard[0]?.reportedMs ?? 0) < 300 + lowMs + middleMs + highMs);
    });
  }

  it('hears them with gaps of 30 ms and in noise', () => {
    const parts = [silence(500), tone(950, 330), silence(30), tone(1_400, 330), silence(30), tone(1_800, 330)];
    const pcm = render([...parts, silence(400)], 8_000);
    assert.deepEqual(kinds(hear(throughMuLaw(mix(pcm, noise(pcm.length, 500))))), ['sit']);
  });

  it('takes falling tones for no special information', () => {
    const heard = hearAll(silence(300), tone(1_800, 330), tone(1_400, 330), tone(950, 330));
    assert.ok(!kinds(heard).includes('sit'));
  });

  it('knows a calling fax by its second burst', () => {
    const heard = hearAll(silence(300), tone(1_100, 500), silence(3_000), tone(1_100, 500));
    assert.deepEqual(kinds(heard), ['beep', 'cng']);
  });

  it('takes two beeps of 1,100 Hz at another distance for beeps', () => {
    const heard = hearAll(silence(300), tone(1_100, 500), silence(1_500), tone(1_100, 500));
    assert.deepEqual(kinds(heard), ['beep', 'beep']);
  });

  it('knows an answering fax before its tone is over', () => {
    const heard = hearAll(silence(300), tone(2_100, 2_800));
    assert.deepEqual(kinds(heard), ['fax']);
    assert.ok((heard[0]?.reportedMs ?? 0) < 2_700);
  });

  it('knows an answering modem whose tone swells and turns its phase', () => {
    const answer: Sound = {
      ms: 3_300,
      at: (s) => {
        const phase = Math.floor(s / 0.45) % 2 === 0 ? 0 : Math.PI;
        return 4_000 * (1 + 0.2 * Math.sin(2 * Math.PI * 15 * s)) * Math.sin(2 * Math.PI * 2_100 * s + phase);
      },
    };
    assert.deepEqual(kinds(hearAll(silence(300), answer)), ['fax']);
  });

  it('knows a modem of the Bell standards', () => {
    assert.deepEqual(kinds(hearAll(silence(300), tone(2_225, 2_000))), ['modem']);
  });

  const rows = [697, 770, 852, 941];
  const columns = [1_209, 1_336, 1_477, 1_633];
  it('knows every key of a telephone', () => {
    for (const row of rows) {
      for (const column of columns) {
        assert.deepEqual(kinds(hearAll(silence(200), pair(row, column, 150))), ['dtmf'], `${row} and ${column} Hz`);
      }
    }
  });

  it('knows dial, ringing and busy tones of North America', () => {
    assert.deepEqual(kinds(hearAll(silence(200), pair(350, 440, 1_500))), ['dial']);
    assert.deepEqual(kinds(hearAll(silence(200), pair(440, 480, 2_000))), ['ringback']);
    assert.deepEqual(kinds(hearAll(silence(200), pair(480, 620, 500))), ['busy']);
  });

  it('knows a busy tone of one pitch by its third burst', () => {
    const burst = [tone(425, 480), silence(480)];
    assert.deepEqual(kinds(hearAll(silence(200), ...burst, ...burst, ...burst)), ['beep', 'beep', 'busy']);
  });
});

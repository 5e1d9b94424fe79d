import { pcmu } from '../src/rtp/g711.ts';
import { resample } from '../src/rtp/resample.ts';
import { type FliteVoice, runFlite } from '../src/speech/embedded/flite.ts';
import { type GreetingTexts, testTexts, tuningTexts } from './answer-texts.ts';

export const answerSetRate = 8_000;

export type AnswerLabel = 'person' | 'voicemail' | 'screener' | 'menu' | 'silence' | 'fax' | 'intercept';
export type AnswerSplit = 'tuning' | 'test';

/** What is heard after a call was answered, and the truth about it. Everything follows from the seed. */
export interface AnswerSpec {
  id: string;
  label: AnswerLabel;
  group: string;
  text: string;
  voice: { name: FliteVoice; pace: number; pitch: number };
  leadMs: number;
  hasClicks: boolean;
  noise?: { kind: 'white' | 'babble'; snrDb: number };
  music?: 'before' | 'under';
  beep?: {
    frequency: number;
    durationsMs: number[];
    gapMs: number;
    levelDb: number;
    afterMs: number;
    harmonic: number;
  };
  seed: number;
}

export interface AnswerItem extends AnswerSpec {
  /** 8 kHz, after µ-law. */
  samples: Int16Array;
  speechStartMs: number;
  /** Of the first utterance: up to the first pause that was asked for. */
  firstEndMs: number;
  beepStartMs?: number;
  beepEndMs?: number;
}

interface Plan {
  texts: GreetingTexts;
  seed: number;
  voices: { name: FliteVoice; pitch: number }[];
  paces: number[];
  counts: Record<string, number>;
}

// No voice, pace, sentence, name or seed of the one is in the other.
const plans: Record<AnswerSplit, Plan> = {
  tuning: {
    texts: tuningTexts,
    seed: 20_001,
    voices: [
      { name: 'slt', pitch: 1 },
      { name: 'kal16', pitch: 1 },
      { name: 'slt', pitch: 0.93 },
      { name: 'kal16', pitch: 1.08 },
    ],
    paces: [0.9, 0.98, 1.05, 1.15],
    counts: {
      'person short hello': 48,
      'person long hello': 16,
      'person name': 14,
      'person business': 14,
      'person impatient': 7,
      'voicemail personal': 20,
      'voicemail short': 8,
      'voicemail carrier': 14,
      'voicemail long': 4,
      'voicemail office': 6,
      'screener apple': 5,
      'screener google': 6,
      'screener carrier': 4,
      menu: 16,
      intercept: 5,
      fax: 3,
      silence: 3,
    },
  },
  test: {
    texts: testTexts,
    seed: 90_001,
    voices: [
      { name: 'rms', pitch: 1 },
      { name: 'awb', pitch: 1 },
      { name: 'rms', pitch: 1.12 },
      { name: 'awb', pitch: 1.1 },
      { name: 'rms', pitch: 0.94 },
    ],
    paces: [0.85, 0.94, 1, 1.1, 1.2],
    counts: {
      // About half of those who pick up say no more than hello.
      'person short hello': 110,
      'person long hello': 34,
      'person name': 32,
      'person business': 28,
      'person impatient': 16,
      'voicemail personal': 48,
      'voicemail short': 16,
      'voicemail carrier': 30,
      'voicemail long': 10,
      'voicemail office': 14,
      'screener apple': 14,
      'screener google': 14,
      'screener carrier': 10,
      menu: 40,
      intercept: 10,
      fax: 6,
      silence: 6,
    },
  },
};

export function describeAnswers(split: AnswerSplit): AnswerSpec[] {
  const plan = plans[split];
  return Object.entries(plan.counts).flatMap(([group, count], groupIndex) =>
    Array.from({ length: count }, (_, index) =>
      describe(plan, group, index, `${split}-${group.replaceAll(' ', '-')}-${index}`, groupIndex),
    ),
  );
}

function describe(plan: Plan, group: string, index: number, id: string, groupIndex: number): AnswerSpec {
  const seed = plan.seed + groupIndex * 1_000 + index;
  const random = randomFrom(seed);
  const label = group.split(' ')[0] as AnswerLabel;
  const sentences = sentencesOf(plan.texts, group);
  // Every sentence comes about as often as any other.
  const sentence = sentences[index % Math.max(1, sentences.length)] ?? '';
  const text = sentence
    .replaceAll('{name}', pick(random, plan.texts.names))
    .replaceAll('{business}', pick(random, plan.texts.businesses))
    .replaceAll('{number}', spokenNumber(random));
  const isMachine = label === 'voicemail' || label === 'screener' || label === 'menu';
  const noiseDraw = random();
  const snrDb = 10 + 10 * random();
  const musicDraw = random();
  return {
    id,
    label,
    group,
    text,
    voice: { ...pick(random, plan.voices), pace: pick(random, plan.paces) },
    leadMs: 200 + Math.round(1_300 * random()),
    hasClicks: random() < 0.25,
    // People stand in noise more often than recordings do.
    ...(noiseDraw < (isMachine ? 0.1 : 0.2) ? { noise: { kind: 'white' as const, snrDb } } : {}),
    // Where nobody speaks, voices in the background would be all there is to hear.
    ...(text && noiseDraw > (isMachine ? 0.92 : 0.82) ? { noise: { kind: 'babble' as const, snrDb } } : {}),
    ...(isMachine && musicDraw < 0.08 ? { music: 'before' as const } : {}),
    ...(isMachine && musicDraw > 0.92 ? { music: 'under' as const } : {}),
    ...(label === 'voicemail' ? describeBeep(random) : {}),
    seed,
  };
}

function describeBeep(random: () => number): Pick<AnswerSpec, 'beep'> {
  const draw = random();
  if (draw < 0.1) return {};
  const usual = [440, 480, 620, 800, 850, 950, 1_000, 1_004, 1_400, 1_633, 2_000];
  const frequency = random() < 0.5 ? pick(random, usual) : Math.round(380 + 2_000 * random());
  const isDouble = draw > 0.8;
  const length = () => Math.round(isDouble ? 120 + 180 * random() : 150 * 12 ** random());
  return {
    beep: {
      frequency,
      durationsMs: isDouble ? [length(), length()] : [length()],
      gapMs: Math.round(80 + 120 * random()),
      levelDb: -6 + 10 * random(),
      afterMs: Math.round(100 + 1_200 * random()),
      harmonic: random() < 0.15 ? 0.25 : 0,
    },
  };
}

function sentencesOf(texts: GreetingTexts, group: string): string[] {
  const [label, ...words] = group.split(' ');
  const key = words.map((word, index) => (index === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`)).join('');
  if (label === 'person') return texts.people[key as keyof GreetingTexts['people']];
  if (label === 'voicemail') return texts.voicemail[key as keyof GreetingTexts['voicemail']];
  if (label === 'screener') return texts.screener[key as keyof GreetingTexts['screener']];
  return label === 'menu' ? texts.menu : label === 'intercept' ? texts.intercept : [];
}

const digitWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function spokenNumber(random: () => number): string {
  const digits = (count: number) => Array.from({ length: count }, () => pick(random, digitWords)).join(' ');
  return `${digits(3)}, ${digits(3)}, ${digits(4)}`;
}

const speechRms = 2_400;
const tailMs: Record<AnswerLabel, number> = {
  person: 3_000,
  voicemail: 4_000,
  screener: 3_000,
  menu: 3_000,
  intercept: 1_500,
  silence: 0,
  fax: 1_000,
};

export function renderAnswer(spec: AnswerSpec, split: AnswerSplit): AnswerItem {
  const random = randomFrom(spec.seed * 7 + 3);
  const spoken = spec.text ? speak(spec) : { samples: new Float64Array(0), firstEndMs: 0 };
  const musicMs = spec.music === 'before' ? 1_200 + 1_800 * random() : 0;
  let prefix = spec.leadMs + musicMs;
  const tones: { startMs: number; samples: Float64Array }[] = [];
  if (spec.label === 'intercept' && spec.seed % 5 !== 0) {
    const sit = sitTones(random);
    tones.push({ startMs: spec.leadMs, samples: sit });
    prefix += toMs(sit.length) + 150 + 300 * random();
  }
  if (spec.label === 'fax') tones.push({ startMs: spec.leadMs, samples: faxTones(spec.seed % 2 === 0) });
  const speechEndMs = prefix + toMs(spoken.samples.length);
  const beep = spec.beep && beepTone(spec.beep);
  const beepStartMs = spec.beep && speechEndMs + spec.beep.afterMs;
  if (beep && beepStartMs !== undefined) tones.push({ startMs: beepStartMs, samples: beep });
  const soundEndMs = Math.max(speechEndMs, ...tones.map(({ startMs, samples }) => startMs + toMs(samples.length)));
  const totalMs = spec.label === 'silence' ? 8_000 : soundEndMs + tailMs[spec.label];
  const mix = new Float64Array(toCount(Math.ceil(totalMs / 20) * 20));
  add(mix, spoken.samples, prefix, 1);
  for (const { startMs, samples } of tones) add(mix, samples, startMs, 1);
  if (spec.music === 'before') add(mix, playMusic(random, musicMs + 200), spec.leadMs - 100, 0.7);
  if (spec.music === 'under') add(mix, playMusic(random, speechEndMs - spec.leadMs), spec.leadMs, 0.2);
  if (spec.hasClicks) addClicks(mix, random, spec.leadMs);
  if (spec.noise) {
    const rms = speechRms * 10 ** (-spec.noise.snrDb / 20);
    const isWhite = spec.noise.kind === 'white';
    add(mix, isWhite ? whiteNoise(random, mix.length, rms) : babble(plans[split], spec.seed, mix.length, rms), 0, 1);
  }
  // No line is without any noise.
  add(mix, whiteNoise(random, mix.length, 6), 0, 1);
  return {
    ...spec,
    samples: throughMuLaw(mix),
    speechStartMs: prefix,
    firstEndMs: prefix + spoken.firstEndMs,
    ...(beep && beepStartMs !== undefined ? { beepStartMs, beepEndMs: beepStartMs + toMs(beep.length) } : {}),
  };
}

function speak({ text, voice }: AnswerSpec): { samples: Float64Array; firstEndMs: number } {
  const parts: Float64Array[] = [];
  let firstEndMs: number | undefined;
  let length = 0;
  for (const piece of text.split(/\s*(\{\d+\})\s*/)) {
    const pause = /^\{(\d+)\}$/.exec(piece);
    const part = pause ? new Float64Array(toCount(Number(pause[1]))) : utter(piece, voice);
    if (pause) firstEndMs ??= toMs(length);
    parts.push(part);
    length += part.length;
  }
  const samples = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return { samples, firstEndMs: firstEndMs ?? toMs(length) };
}

/** A voice played faster or slower is another voice: its pitch and its formants move together. */
function utter(text: string, { name, pace, pitch }: AnswerSpec['voice']): Float64Array {
  const { samples, sampleRate } = runFlite({ text, voice: name, rate: pace / pitch });
  const line = resample(samples, Math.round((sampleRate * pitch) / 10) * 10, answerSetRate);
  const loudest = line.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  const from = line.findIndex((sample) => Math.abs(sample) > loudest * 0.02);
  const to = line.findLastIndex((sample) => Math.abs(sample) > loudest * 0.02);
  const sound = Float64Array.from(line.subarray(from, to + 1));
  const scale = speechRms / rmsOf(sound);
  return sound.map((sample) => sample * scale);
}

function beepTone(beep: NonNullable<AnswerSpec['beep']>): Float64Array {
  const amplitude = speechRms * Math.SQRT2 * 10 ** (beep.levelDb / 20);
  const parts = beep.durationsMs.map((ms) => tone([beep.frequency], ms, amplitude, beep.harmonic));
  const gap = toCount(beep.gapMs);
  const out = new Float64Array(parts.reduce((sum, part) => sum + part.length, gap * (parts.length - 1)));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length + gap;
  }
  return out;
}

/** The four meanings of the North American special information tones differ in pitch and length. */
function sitTones(random: () => number): Float64Array {
  const [low, high] = [random() < 0.5, random() < 0.5];
  const length = () => (random() < 0.5 ? 274 : 380);
  const parts = [
    tone([low ? 913.8 : 985.2], length(), 3_000),
    tone([high ? 1_428.5 : 1_370.6], length(), 3_000),
    tone([1_776.7], 380, 3_000),
  ];
  return Float64Array.from(parts.flatMap((part) => [...part]));
}

function faxTones(isAnswering: boolean): Float64Array {
  if (isAnswering) return tone([2_100], 3_300, 4_000);
  const [on, off] = [tone([1_100], 500, 4_000), new Float64Array(toCount(3_000))];
  return Float64Array.from([...on, ...off, ...on]);
}

function tone(frequencies: number[], ms: number, amplitude: number, thirdHarmonic = 0): Float64Array {
  const ramp = toCount(5);
  const out = new Float64Array(toCount(ms));
  for (let at = 0; at < out.length; at++) {
    const edge = Math.min(1, at / ramp, (out.length - 1 - at) / ramp);
    for (const frequency of frequencies) {
      const phase = (2 * Math.PI * frequency * at) / answerSetRate;
      out[at] = (out[at] ?? 0) + edge * amplitude * (Math.sin(phase) + thirdHarmonic * Math.sin(3 * phase));
    }
  }
  return out;
}

const scale = [0, 2, 4, 5, 7, 9, 11];

/** Chords that change every half second, with a melody of plucked notes above them. */
function playMusic(random: () => number, ms: number): Float64Array {
  const out = new Float64Array(toCount(ms));
  const root = 150 + 90 * random();
  const note = (step: number) => root * 2 ** (((scale[step % 7] ?? 0) + 12 * Math.floor(step / 7)) / 12);
  for (let start = 0; start < ms; start += 500) {
    const chord = Math.floor(7 * random());
    for (const step of [0, 2, 4]) pluck(out, note(chord + step), start, 700, 700);
    for (const half of [0, 250]) pluck(out, note(7 + Math.floor(9 * random())), start + half, 320, 900);
  }
  return out;
}

function pluck(out: Float64Array, frequency: number, startMs: number, ms: number, amplitude: number): void {
  const from = toCount(startMs);
  const count = Math.min(toCount(ms), out.length - from);
  for (let at = 0; at < count; at++) {
    const seconds = at / answerSetRate;
    let value = 0;
    for (let partial = 1; partial * frequency < 3_600 && partial <= 6; partial++) {
      value += Math.sin(2 * Math.PI * partial * frequency * seconds) / partial ** 1.3;
    }
    out[from + at] = (out[from + at] ?? 0) + amplitude * value * Math.exp(-3 * seconds) * Math.min(1, at / 40);
  }
}

function addClicks(mix: Float64Array, random: () => number, beforeMs: number): void {
  for (let click = 0; click < 2; click++) {
    const from = toCount(random() * beforeMs * 0.8);
    const length = toCount(3 + 12 * random());
    for (let at = 0; at < length; at++) {
      mix[from + at] = (mix[from + at] ?? 0) + 6_000 * (random() - 0.5) * Math.exp((-4 * at) / length);
    }
  }
}

const babbleSpeakers = 5;

function babble({ texts, voices }: Plan, seed: number, length: number, rms: number): Float64Array {
  const random = randomFrom(seed * 13 + 5);
  const out = new Float64Array(length);
  for (let speaker = 0; speaker < babbleSpeakers; speaker++) {
    const sound = utter(pick(random, texts.babble), { ...pick(random, voices), pace: 0.9 + 0.3 * random() });
    let at = -Math.floor(random() * sound.length);
    for (; at < length; at += sound.length + toCount(200)) add(out, sound, toMs(at), 1);
  }
  const level = rms / Math.max(1, rmsOf(out));
  return out.map((sample) => sample * level);
}

function whiteNoise(random: () => number, length: number, rms: number): Float64Array {
  return Float64Array.from({ length }, () => rms * (random() + random() + random() - 1.5) * 2);
}

function add(mix: Float64Array, sound: Float64Array, startMs: number, gain: number): void {
  const from = toCount(startMs);
  for (let at = Math.max(0, -from); at < sound.length && from + at < mix.length; at++) {
    mix[from + at] = (mix[from + at] ?? 0) + gain * (sound[at] ?? 0);
  }
}

function throughMuLaw(mix: Float64Array): Int16Array {
  const pcm = Int16Array.from(mix, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample))));
  const payload = new Uint8Array(pcm.length);
  pcmu.newEncoder()(pcm, payload);
  pcmu.newDecoder()(payload, pcm);
  return pcm;
}

function rmsOf(sound: Float64Array): number {
  return Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, sound.length));
}

function toCount(ms: number): number {
  return Math.round((ms * answerSetRate) / 1_000);
}

function toMs(count: number): number {
  return (count * 1_000) / answerSetRate;
}

function pick<T>(random: () => number, list: T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

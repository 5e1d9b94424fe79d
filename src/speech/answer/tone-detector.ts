import type { LineRate } from '../ports.ts';
import { newSpectrum } from './spectrum.ts';

export type ToneKind =
  | 'beep'
  /** Special information tones: three rising ones before an operator's announcement (ITU-T E.180). */
  | 'sit'
  /** A calling fax: 1,100 Hz for half a second, every 3.5 s (ITU-T T.30). */
  | 'cng'
  /** An answering fax or modem: 2,100 Hz for 2.6 s and more (ITU-T V.25). */
  | 'fax'
  /** An answering modem of the Bell standards: 2,225 Hz. */
  | 'modem'
  | 'dtmf'
  | 'dial'
  | 'ringback'
  | 'busy';

export interface Tone {
  kind: ToneKind;
  startMs: number;
  endMs: number;
  /** In Hz, of the stronger one if there are two. */
  frequency: number;
}

export interface ToneDetectorOptions {
  sampleRate: LineRate;
  /** A tone is reported when it is over, at most 120 ms after its end; `fax` and `sit` when they are certain. */
  onTone(tone: Tone): void;
}

const frameMs = 20;
const windowMs = 40;
/** Between the points of the spectrum; the window tells tones apart that are 90 Hz from each other. */
const binHz = 15.625;
/** A tone through the window is this many points wide on either side. */
const lobe = 4;
const lowestHz = 340;
const highestHz = 2_600;
const bandHz = { from: 100, to: 3_700 };
/** About -56 dB below the loudest: less is the noise of a line. */
const quietRms = 50;
const purityToGoOn = 0.55;
const shortestMs = 90;
/** No vowel stays at one frequency for this long; shorter tones have to be purer. */
const trustedMs = 300;
const leastPurity = { short: 0.88, trusted: 0.65, two: 0.95 };
/** Measured: beeps below 2 even in noise, most vowels above. */
const mostDriftHz = 3;
/** Of a tone's power; the second harmonic of a voice has its fundamental and its third beside it at -17 dB or more. */
const voicedShare = 0.016;
const mostMisses = 2;
/** Of a tone that never ends, the beginning and the last seconds. */
const looksKept = 200;
const looksOfStart = 10;
/** Tones that follow each other within this are one signal: two parts of a beep, SIT, or a melody. */
const adjacentMs = 90;
const flushMs = 100;
const faxMs = 2_200;
const modemMs = 1_500;

interface Look {
  /** The middle of the window. */
  atMs: number;
  frequency: number;
  /** Of all power but that of the noise that is always there. */
  share: number;
  /** The next strongest, if it is nearly as strong. */
  second?: { frequency: number; share: number };
  /** Whether the loudness pulsates within the window, as two tones less than 60 Hz apart make it. */
  isBeating: boolean;
  isVoiced: boolean;
}

interface Run {
  looks: Look[];
  /** The power at the frequency, also of looks that did not belong. */
  powers: { atMs: number; power: number }[];
  frequency: number;
  misses: number;
  isTone: boolean;
  isReported: boolean;
}

interface Part {
  startMs: number;
  endMs: number;
  frequency: number;
}

/**
 * Finds sustained tones in the sound of a line, by a spectrum of the last 40 ms taken every 20 ms. What
 * tells a tone from a vowel or a chord: nearly all power is at one frequency, and stays there.
 */
export class ToneDetector {
  readonly #onTone: (tone: Tone) => void;
  readonly #spectrum: (samples: Float64Array) => Float64Array;
  readonly #window: Float64Array;
  #nowMs = 0;
  #power: Float64Array = new Float64Array(0);
  #floor = Number.POSITIVE_INFINITY;
  #run: Run | undefined;
  #chain: Part[] = [];
  #isSit = false;
  #earlier: Part[] = [];

  constructor({ sampleRate, onTone }: ToneDetectorOptions) {
    this.#onTone = onTone;
    const length = (sampleRate * windowMs) / 1_000;
    this.#window = new Float64Array(length);
    const hann = Float64Array.from({ length }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / length));
    this.#spectrum = newSpectrum(hann, sampleRate / binHz);
  }

  /** When the tone began that is heard now and is certainly one. */
  get soundingSinceMs(): number | undefined {
    return this.#run?.isTone ? edgesOf(this.#run).startMs : undefined;
  }

  /** The next 20 ms. */
  hear(frame: Int16Array): void {
    this.#nowMs += frameMs;
    const window = this.#window;
    window.copyWithin(0, frame.length);
    for (let at = 0; at < frame.length; at++) window[window.length - frame.length + at] = frame[at] as number;
    const look = this.#look();
    const run = this.#run;
    if (run) this.#follow(run, look);
    if (!this.#run && look && shareOfBoth(look) >= purityToGoOn) this.#begin(look);
    this.#flush();
  }

  #begin(look: Look): void {
    this.#run = {
      looks: [look],
      powers: [{ atMs: look.atMs, power: this.#powerNear(look.frequency) }],
      frequency: look.frequency,
      misses: 0,
      isTone: false,
      isReported: false,
    };
  }

  #follow(run: Run, look: Look | undefined): void {
    run.powers.push({ atMs: this.#nowMs - windowMs / 2, power: this.#powerNear(run.frequency) });
    for (const list of [run.powers, run.looks]) if (list.length > looksKept) list.splice(looksOfStart, 1);
    const same = look && shareOfBoth(look) >= purityToGoOn ? asSeenBy(run, look) : undefined;
    if (same) {
      run.misses = 0;
      run.looks.push(same);
      run.frequency += (same.frequency - run.frequency) / Math.min(run.looks.length, 8);
      if (!run.isTone && isTone(run)) {
        run.isTone = true;
        this.#expectSit(run);
      }
      this.#reportLong(run);
    } else if (++run.misses >= (run.isTone ? mostMisses : 1)) {
      this.#run = undefined;
      if (run.isTone) this.#end(run);
    }
  }

  #end(run: Run): void {
    const { startMs, endMs } = edgesOf(run);
    if (run.isReported || endMs - startMs < shortestMs) return;
    if (!isLevel(run.powers.filter(({ atMs }) => atMs > startMs + windowMs / 2 && atMs < endMs - windowMs / 2))) return;
    const { frequency } = run;
    const beats = run.looks.filter(({ isBeating }) => isBeating).length;
    const second = secondOf(run.looks);
    if (second !== undefined || beats * 2 > run.looks.length) {
      const kind = nameOfTwo(frequency, second);
      if (kind) this.#onTone({ kind, startMs, endMs, frequency });
      return;
    }
    const last = this.#chain.at(-1);
    // The sound between the parts of a chain may have been too short to end the first one in time.
    if (last && startMs - last.endMs > adjacentMs) this.#finishChain();
    this.#chain.push({ startMs, endMs, frequency });
  }

  #expectSit(run: Run): void {
    const [first, second] = this.#chain.slice(-2);
    const { startMs } = edgesOf(run);
    const isRising = first && second && startMs - second.endMs <= adjacentMs;
    if (!isRising || !isNear(first, 950) || !isNear(second, 1_400) || !isNear(run, 1_800)) return;
    if ([first, second].some((part) => part.endMs - part.startMs > 500)) return;
    this.#isSit = true;
    run.isReported = true;
    this.#onTone({ kind: 'sit', startMs: first.startMs, endMs: this.#nowMs, frequency: first.frequency });
  }

  #reportLong(run: Run): void {
    if (run.isReported) return;
    const { startMs } = edgesOf(run);
    const lengthMs = this.#nowMs - startMs;
    const isFax = Math.abs(run.frequency - 2_100) <= 20 && lengthMs >= faxMs;
    const isModem = Math.abs(run.frequency - 2_225) <= 20 && lengthMs >= modemMs;
    if (!isFax && !isModem) return;
    run.isReported = true;
    this.#chain = [];
    const kind = isFax ? 'fax' : 'modem';
    this.#onTone({ kind, startMs, endMs: this.#nowMs, frequency: run.frequency });
  }

  #flush(): void {
    const last = this.#chain.at(-1);
    if (!last || this.#nowMs - last.endMs < flushMs) return;
    const [next, latest] = [this.#run?.looks[0], this.#run?.looks.at(-1)];
    const isNextPart = this.#run?.isTone || (latest && shareOfBoth(latest) >= leastPurity.short && !latest.isVoiced);
    if (next && isNextPart && next.atMs - last.endMs <= adjacentMs) return;
    this.#finishChain();
  }

  #finishChain(): void {
    const [parts, isSit] = [this.#chain, this.#isSit];
    this.#chain = [];
    this.#isSit = false;
    const [first, last] = [parts[0], parts.at(-1)];
    // Three and more notes in a row are a melody.
    if (!first || !last || isSit || parts.length > 2) return;
    const beep = { startMs: first.startMs, endMs: last.endMs, frequency: first.frequency };
    this.#earlier = [...this.#earlier.slice(-2), beep];
    this.#onTone({ kind: isRepeatedCng(this.#earlier) ? 'cng' : isBusy(this.#earlier) ? 'busy' : 'beep', ...beep });
  }

  #look(): Look | undefined {
    const rms = Math.sqrt(this.#window.reduce((sum, sample) => sum + sample * sample, 0) / this.#window.length);
    const power = this.#spectrum(this.#window);
    this.#power = power;
    const [from, to] = [Math.ceil(bandHz.from / binHz), Math.floor(bandHz.to / binHz)];
    let total = 0;
    let peak = from;
    for (let bin = from; bin <= to; bin++) {
      total += power[bin] as number;
      if ((power[bin] as number) > (power[peak] as number)) peak = bin;
    }
    // Falls at once and rises by 4 dB in a second: what is always there is no part of a signal.
    this.#floor = Math.min(total, this.#floor * 1.02);
    if (rms < quietRms) return undefined;
    const frequency = interpolate(power, peak);
    if (frequency < lowestHz || frequency > highestHz) return undefined;
    let next = 0;
    for (let bin = from; bin <= to; bin++) {
      const isOther = Math.abs(bin - peak) > lobe && isPeak(power, bin);
      if (isOther && (power[bin] as number) > (power[next] as number)) next = bin;
    }
    const first = powerAround(power, peak);
    const other = powerAround(power, next) - sharedPower(power, peak, next);
    const all = Math.max(first + other, total - this.#floor);
    const second = other > 0.12 * first && { frequency: interpolate(power, next), share: other / all };
    const noise = (this.#floor * (2 * lobe + 1)) / (to - from + 1);
    const beside = Math.max(this.#powerNear(frequency / 2), this.#powerNear(frequency * 1.5));
    const isVoiced = beside - noise > voicedShare * first;
    return {
      atMs: this.#nowMs - windowMs / 2,
      frequency,
      share: first / all,
      ...(second && { second }),
      isBeating: this.#isBeating(),
      isVoiced,
    };
  }

  #powerNear(frequency: number): number {
    return powerAround(this.#power, Math.round(frequency / binHz));
  }

  #isBeating(): boolean {
    const blocks = 8;
    const length = this.#window.length / blocks;
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (let block = 0; block < blocks; block++) {
      let energy = 0;
      for (let at = block * length; at < (block + 1) * length; at++) energy += (this.#window[at] as number) ** 2;
      least = Math.min(least, energy);
      most = Math.max(most, energy);
    }
    return least < 0.2 * most;
  }
}

function shareOfBoth({ share, second }: Look): number {
  return share + (second?.share ?? 0);
}

/** Of two tones now the one, now the other is the stronger. */
function asSeenBy({ frequency }: Run, look: Look): Look | undefined {
  const toleranceHz = look.isBeating && isRinging(look.frequency) ? ringingHz : 8 + frequency * 0.006;
  const isSame = (hz: number) => Math.abs(hz - frequency) <= toleranceHz;
  if (isSame(look.frequency)) return look;
  if (!look.second || !isSame(look.second.frequency)) return undefined;
  return { ...look, ...look.second, second: { frequency: look.frequency, share: look.share } };
}

/** The frequency that accompanies most of the looks, if it is one and the same. */
function secondOf(looks: Look[]): number | undefined {
  const seconds = looks.flatMap(({ second }) => (second ? [second.frequency] : [])).toSorted((a, b) => a - b);
  const middle = seconds[seconds.length >> 1];
  if (middle === undefined) return undefined;
  const steady = seconds.filter((hz) => Math.abs(hz - middle) <= 12).length;
  return steady * 5 >= looks.length * 3 ? middle : undefined;
}

/** Whether these looks can only be a tone: the shorter they last, the purer they have to be. */
function isTone({ looks, powers }: Run): boolean {
  const inner = looks.slice(1);
  if (inner.length < 3) return false;
  const second = secondOf(inner);
  const isTwo = second !== undefined;
  const purity = inner.reduce((sum, look) => sum + (isTwo ? shareOfBoth(look) : look.share), 0) / inner.length;
  const mean = inner.reduce((sum, look) => sum + look.frequency, 0) / inner.length;
  const drift = Math.max(...inner.map((look) => Math.abs(look.frequency - mean)));
  const strongest = Math.max(...powers.map(({ power }) => power));
  const steady = inner.filter((_, at) => (powers[at + 1]?.power ?? 0) > 0.5 * strongest).length;
  if (inner.every(({ isBeating }) => isBeating) && isRinging(mean)) return purity >= leastPurity.short;
  if (steady * 2 < inner.length || drift > mostDriftHz) return false;
  if (inner.length * frameMs >= trustedMs && !isTwo && purity >= leastPurity.trusted) return true;
  const isKnown = isTwo && nameOfTwo(mean, second) !== 'beep';
  const voiced = isKnown ? 0 : inner.filter(({ isVoiced }) => isVoiced).length;
  return voiced * 3 < inner.length && purity >= (isTwo ? leastPurity.two : leastPurity.short);
}

/** A plucked string fades, a tone does not. */
function isLevel(powers: { power: number }[]): boolean {
  const half = powers.length >> 1;
  if (half === 0) return true;
  const sum = (part: { power: number }[]) => part.reduce((total, { power }) => total + power, 0) / part.length;
  return sum(powers.slice(-half)) > 0.6 * sum(powers.slice(0, half));
}

/** Where the power passes a quarter of its height: there the edge lies in the middle of the window. */
function edgesOf({ powers }: Run): { startMs: number; endMs: number } {
  const height = Math.max(...powers.map(({ power }) => power));
  const isLoud = ({ power }: { power: number }) => power >= 0.25 * height;
  const first = powers.find(isLoud);
  const lastIndex = powers.findLastIndex(isLoud);
  const last = powers[lastIndex];
  const after = powers[lastIndex + 1];
  if (!first || !last) throw new Error('A tone without power');
  const fall = after ? (last.power - 0.25 * height) / Math.max(1, last.power - after.power) : 1;
  return { startMs: first.atMs - frameMs / 2, endMs: last.atMs + frameMs * Math.min(1, fall) };
}

function powerAround(power: Float64Array, bin: number): number {
  let sum = 0;
  for (let at = Math.max(0, bin - lobe); at <= bin + lobe && at < power.length; at++) sum += power[at] as number;
  return sum;
}

/** What both of two neighbours count as theirs. */
function sharedPower(power: Float64Array, one: number, other: number): number {
  let sum = 0;
  for (let at = Math.max(one, other) - lobe; at <= Math.min(one, other) + lobe; at++) sum += power[at] ?? 0;
  return sum;
}

function isPeak(power: Float64Array, bin: number): boolean {
  return (power[bin] as number) >= (power[bin - 1] ?? 0) && (power[bin] as number) >= (power[bin + 1] ?? 0);
}

/** The top of the parabola through the logarithms of three neighbours. */
function interpolate(power: Float64Array, bin: number): number {
  const [left, middle, right] = [bin - 1, bin, bin + 1].map((at) => Math.log((power[at] ?? 0) + 1e-9));
  const bend = (left as number) - 2 * (middle as number) + (right as number);
  const shift = bend < 0 ? (0.5 * ((left as number) - (right as number))) / bend : 0;
  return (bin + Math.max(-0.5, Math.min(0.5, shift))) * binHz;
}

function isNear({ frequency }: { frequency: number }, hz: number): boolean {
  return Math.abs(frequency - hz) <= 60;
}

/** 440 and 480 Hz are too near each other to be told apart: they seem to be one tone that wavers. */
const ringingHz = 35;

function isRinging(frequency: number): boolean {
  return Math.abs(frequency - 460) <= ringingHz;
}

const dtmfRows = [697, 770, 852, 941];
const dtmfColumns = [1_209, 1_336, 1_477, 1_633];

function nameOfTwo(frequency: number, second: number | undefined): ToneKind | undefined {
  if (second === undefined) return isRinging(frequency) ? 'ringback' : undefined;
  const [low, high] = [Math.min(frequency, second), Math.max(frequency, second)];
  const isIn = (hz: number, list: number[]) => list.some((nominal) => Math.abs(hz - nominal) <= nominal * 0.02);
  if (isIn(low, dtmfRows) && isIn(high, dtmfColumns)) return 'dtmf';
  if (Math.abs(low - 350) <= 12 && Math.abs(high - 440) <= 12) return 'dial';
  if (Math.abs(low - 480) <= 12 && Math.abs(high - 620) <= 12) return 'busy';
  if (Math.abs(low - 440) <= 12 && Math.abs(high - 480) <= 12) return 'ringback';
  return 'beep';
}

function isRepeatedCng(tones: Part[]): boolean {
  const [before, last] = tones.slice(-2);
  const isBurst = (part: Part) =>
    Math.abs(part.frequency - 1_100) <= 38 && Math.abs(part.endMs - part.startMs - 500) <= 110;
  return !!before && !!last && isBurst(before) && isBurst(last) && Math.abs(last.startMs - before.endMs - 3_000) <= 600;
}

/** The busy tones of most countries outside North America: about 425 Hz, as long on as off. */
function isBusy(tones: Part[]): boolean {
  const [first, second, third] = tones;
  if (!first || !second || !third) return false;
  const isLow = tones.every(({ frequency }) => frequency > 380 && frequency < 520);
  const onMs = second.endMs - second.startMs;
  const periods = [second.startMs - first.startMs, third.startMs - second.startMs];
  return isLow && onMs < 700 && periods.every((period) => Math.abs(period - 2 * onMs) <= 0.25 * period);
}

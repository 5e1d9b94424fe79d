import type {
  Listener,
  ListenOptions,
  RecognisePurpose,
  RecogniserStream,
  Recognition,
  Transcript,
  Vad,
} from '../ports.ts';
import { patienceMs } from './patience.ts';

const frameMs = 20;
/** Begins before the first loud sound: an f or an h is hardly louder than the line. */
const leadMs = 260;
/** This much speech within `onsetWindowMs` is somebody who speaks, less is a click. */
const onsetMs = 60;
const onsetWindowMs = 120;
/**
 * After this much silence the utterance may be over, and what was said is looked at; this much of the
 * silence belongs to it. In noise the soft end of a word is taken for silence.
 */
const glanceMs = { clear: 80, noisy: 140 };
const tailMs = { clear: 120, noisy: 200 };
/** A pause that ends any utterance, whatever was understood. */
const longestPauseMs = 1_400;
/** Longer ones are cut at the next glance; the model has learnt from utterances of up to half a minute. */
const longUtteranceMs = 20_000;
const longestUtteranceMs = 28_000;
/** While somebody speaks, what was said is looked at again after this time, or this share of what was said. */
const partialMs = 640;
const partialShare = 0.25;

export interface ListenerParts {
  vad: Vad;
  stream: RecogniserStream;
}

/**
 * Finds where utterances begin and end, and has them recognised: now and then while they are spoken, and
 * in each pause as soon as it begins, so that the text is there when the pause has become an end. Time is
 * counted in frames heard, not by a clock.
 */
export class UtteranceListener implements Listener {
  readonly #vad: Vad;
  readonly #stream: RecogniserStream;
  readonly #options: ListenOptions;
  readonly #lead: Int16Array[] = [];
  readonly #recentSpeech: boolean[] = [];
  #nowMs = 0;
  #utterance: Utterance | undefined;
  /** Recognition under way, at most one for each purpose. */
  readonly #looks = new Map<RecognisePurpose, Promise<void>>();
  #isClosed = false;

  constructor({ vad, stream }: ListenerParts, options: ListenOptions) {
    this.#vad = vad;
    this.#stream = stream;
    this.#options = options;
  }

  hear(frame: Int16Array): void {
    if (this.#isClosed) return;
    const isSpeech = this.#vad.hear(frame);
    this.#nowMs += frameMs;
    if (this.#utterance) this.#goOn(this.#utterance, frame, isSpeech);
    else this.#waitForSpeech(frame, isSpeech);
  }

  async settled(): Promise<void> {
    while (this.#looks.size > 0) await Promise.all(this.#looks.values());
  }

  async end(): Promise<void> {
    await this.settled();
    const utterance = this.#utterance;
    if (utterance && !this.#isClosed) {
      if (!utterance.isUpToDate) await this.#lookAt(utterance, 'final');
      if (this.#utterance === utterance) this.#finish(utterance);
    }
    this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#vad.close();
    this.#stream.close();
  }

  #waitForSpeech(frame: Int16Array, isSpeech: boolean): void {
    this.#lead.push(frame);
    this.#recentSpeech.push(isSpeech);
    if (this.#lead.length > (leadMs + onsetWindowMs) / frameMs) this.#lead.shift();
    if (this.#recentSpeech.length > onsetWindowMs / frameMs) this.#recentSpeech.shift();
    const spoken = this.#recentSpeech.filter(Boolean).length;
    if (spoken * frameMs < onsetMs) return;
    const begun = this.#recentSpeech.length - this.#recentSpeech.indexOf(true);
    const startMs = this.#nowMs - begun * frameMs;
    for (const early of this.#lead.splice(0).slice(-(begun + leadMs / frameMs))) this.#stream.hear(early);
    this.#recentSpeech.length = 0;
    this.#utterance = new Utterance(startMs, this.#nowMs);
    this.#options.onSpeechStart?.(startMs);
  }

  #goOn(utterance: Utterance, frame: Int16Array, isSpeech: boolean): void {
    if (isSpeech) {
      utterance.spokenUntilMs = this.#nowMs;
      for (const silent of utterance.pause.splice(0)) this.#stream.hear(silent);
    }
    const pauseMs = this.#nowMs - utterance.spokenUntilMs;
    // What the utterance is recognised by ends soon after it: silence behind it makes the model invent words.
    if (pauseMs <= tailMs[this.#line]) this.#stream.hear(frame);
    else utterance.pause.push(frame);

    const lengthMs = this.#nowMs - utterance.startMs;
    if (pauseMs >= longestPauseMs || lengthMs >= longestUtteranceMs) return this.#finishSoon(utterance);
    if (pauseMs >= glanceMs[this.#line]) return this.#considerEnd(utterance, pauseMs, lengthMs);
    if (!this.#options.onPartial) return;
    const isDue = this.#nowMs - utterance.lookedAtMs >= Math.max(partialMs, partialShare * lengthMs);
    if (isDue && this.#looks.size === 0 && this.#stream.isIncremental) this.#begin(utterance, 'partial');
  }

  get #line(): 'clear' | 'noisy' {
    return this.#vad.isClear ? 'clear' : 'noisy';
  }

  #considerEnd(utterance: Utterance, pauseMs: number, lengthMs: number): void {
    if (!utterance.isUpToDate) {
      this.#begin(utterance, 'final');
      return;
    }
    if (pauseMs >= utterance.patienceMs || lengthMs >= longUtteranceMs) this.#finish(utterance);
  }

  #finishSoon(utterance: Utterance): void {
    if (utterance.isUpToDate) this.#finish(utterance);
    else this.#begin(utterance, 'final');
  }

  #begin(utterance: Utterance, purpose: RecognisePurpose): void {
    if (this.#looks.has(purpose)) return;
    const look = this.#lookAt(utterance, purpose).finally(() => {
      this.#looks.delete(purpose);
      // The pause may have become long enough while the text was on its way.
      if (this.#utterance === utterance && !this.#isClosed) this.#reconsider(utterance);
    });
    this.#looks.set(purpose, look);
  }

  #reconsider(utterance: Utterance): void {
    const pauseMs = this.#nowMs - utterance.spokenUntilMs;
    const lengthMs = this.#nowMs - utterance.startMs;
    if (pauseMs >= longestPauseMs || lengthMs >= longestUtteranceMs) this.#finishSoon(utterance);
    else if (pauseMs >= glanceMs[this.#line]) this.#considerEnd(utterance, pauseMs, lengthMs);
  }

  async #lookAt(utterance: Utterance, purpose: RecognisePurpose): Promise<void> {
    const spokenUntilMs = utterance.spokenUntilMs;
    utterance.lookedAtMs = this.#nowMs;
    const recognition = await this.#stream.recognise(purpose).catch(() => nothingUnderstood);
    const isOutdated = spokenUntilMs < utterance.recognisedUntilMs;
    if (this.#isClosed || this.#utterance !== utterance || isOutdated) return;
    utterance.recognition = recognition;
    if (purpose === 'final') {
      utterance.recognisedUntilMs = spokenUntilMs;
      utterance.patienceMs = patienceMs(recognition.text, recognition.confidence);
    }
    if (recognition.text !== '') this.#options.onPartial?.(transcript(utterance, spokenUntilMs));
  }

  #finish(utterance: Utterance): void {
    this.#utterance = undefined;
    this.#stream.next();
    // The next utterance may begin in what was the last one's pause.
    this.#lead.push(...utterance.pause.slice(-leadMs / frameMs));
    this.#options.onFinal?.(transcript(utterance, utterance.spokenUntilMs));
  }
}

const nothingUnderstood: Recognition = { text: '', confidence: 0 };

class Utterance {
  readonly startMs: number;
  spokenUntilMs: number;
  /** The last time that somebody asked what was said. */
  lookedAtMs: number;
  /** How far the utterance reached when it was recognised in a pause. */
  recognisedUntilMs = 0;
  patienceMs = 0;
  recognition = nothingUnderstood;
  /** Silence that belongs to the utterance only if it goes on. */
  readonly pause: Int16Array[] = [];

  constructor(startMs: number, nowMs: number) {
    this.startMs = startMs;
    this.spokenUntilMs = nowMs;
    this.lookedAtMs = nowMs;
  }

  get isUpToDate(): boolean {
    return this.recognisedUntilMs === this.spokenUntilMs;
  }
}

function transcript({ startMs, recognition }: Utterance, endMs: number): Transcript {
  return { text: recognition.text, confidence: recognition.confidence, startMs, endMs };
}

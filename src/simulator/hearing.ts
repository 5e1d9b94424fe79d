import type { LineRate, Listener, Stt } from '../speech/ports.ts';
import type { Heard } from './person.ts';

const frameMs = 20;
/** Louder than the noise of a line, softer than any voice. */
const speechLevel = 250;
/** Longer than an assistant's pause between two sentences. */
const pauseMs = 800;
const shortestSpeechMs = 100;

/** What the other one says until it pauses. */
type Turn = { startMs: number; endMs: number; spokenMs: number; words: string[] };
type Waiting = { sinceMs: number; patienceMs: number; intoMs: number | undefined; resolve: (heard: Heard) => void };

/**
 * Tells when the other one speaks, when it pauses, and with a recogniser what it said; without one it goes
 * by loudness. Times are counted in the sound that was heard.
 */
export class Hearing {
  readonly #listener: Listener | undefined;
  readonly #digits: string[] = [];
  #nowMs = 0;
  #isSpeaking = false;
  #turn: Turn | undefined;
  #waiting: Waiting | undefined;

  constructor(words?: { stt: Stt; sampleRate: LineRate }) {
    this.#listener = words?.stt.listen({
      sampleRate: words.sampleRate,
      onSpeechStart: (startMs) => this.#begin(startMs),
      onFinal: ({ startMs, endMs, text }) => {
        this.#isSpeaking = false;
        this.#goOn(startMs, endMs);
        if (text !== '') this.#turn?.words.push(text);
      },
    });
  }

  /** Until a turn is over or, with `intoMs`, has lasted so long. What was said before and is over was said to nobody. */
  next(patienceMs: number, intoMs?: number): Promise<Heard> {
    const digit = this.#digits.shift();
    if (digit !== undefined) return Promise.resolve({ kind: 'digit', digit });
    if (!this.#isSpeaking) this.#turn = undefined;
    return new Promise((resolve) => {
      this.#waiting = { sinceMs: this.#nowMs, patienceMs, intoMs, resolve };
    });
  }

  digit(digit: string): void {
    if (this.#waiting) this.#tell({ kind: 'digit', digit });
    else this.#digits.push(digit);
  }

  hear(pcm: Int16Array): void {
    this.#nowMs += frameMs;
    if (this.#listener) this.#listener.hear(pcm);
    else {
      this.#isSpeaking = levelOf(pcm) > speechLevel;
      if (this.#isSpeaking) this.#goOn(this.#nowMs - frameMs, this.#nowMs);
    }
    this.#judge();
  }

  close(): void {
    this.#listener?.close();
  }

  #begin(startMs: number): void {
    this.#isSpeaking = true;
    this.#turn ??= { startMs, endMs: startMs, spokenMs: 0, words: [] };
  }

  #goOn(startMs: number, endMs: number): void {
    this.#turn ??= { startMs, endMs, spokenMs: 0, words: [] };
    this.#turn.endMs = endMs;
    this.#turn.spokenMs += endMs - startMs;
  }

  #judge(): void {
    const turn = this.#turn;
    const isOver = turn !== undefined && !this.#isSpeaking && this.#nowMs - turn.endMs >= pauseMs;
    if (isOver) this.#turn = undefined;
    const waiting = this.#waiting;
    if (!waiting) return;
    const { sinceMs, intoMs, patienceMs } = waiting;
    if (isOver) {
      const isMeant = turn.endMs > sinceMs && turn.spokenMs >= shortestSpeechMs;
      if (isMeant) this.#tell({ kind: 'spoke', ms: turn.spokenMs, text: turn.words.join(' ') });
    } else if (turn) {
      const isInto = intoMs !== undefined && this.#isSpeaking && this.#nowMs - turn.startMs >= intoMs;
      if (isInto) this.#tell({ kind: 'speaking' });
    } else if (this.#nowMs - sinceMs >= patienceMs) this.#tell({ kind: 'silence' });
  }

  #tell(heard: Heard): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(heard);
  }
}

function levelOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return Math.sqrt(sum / pcm.length);
}

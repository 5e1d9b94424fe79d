import { setImmediate } from 'node:timers/promises';
import type { CallEvent } from '../domain/call-event.ts';
import { resample } from '../rtp/resample.ts';
import { runFlite } from '../speech/embedded/flite.ts';
import { trimSilence } from '../speech/embedded/trim-silence.ts';
import type { LineRate, Listener, ListenOptions, SpeakRequest, Stt, Tts } from '../speech/ports.ts';
import { Conversation, type Line } from './conversation.ts';
import type { Ending, Fact, Mind } from './mind.ts';

const sampleRate: LineRate = 8_000;
const frameMs = 20;
const frameSamples = (sampleRate * frameMs) / 1_000;
/** After the last sound of an utterance it is known to be over, and what it was. */
const recognisedMs = 240;
const onsetMs = 100;

/** A voice that is a hum of as many milliseconds as the text would take. */
const hummingTts: Tts = {
  async *speak({ text }: SpeakRequest) {
    yield new Int16Array(text.length * 60 * (sampleRate / 1_000));
  },
  prepare: async () => {},
  close: async () => {},
};

/** Plays by the clock of the frames that are heard. */
class TestLine implements Line {
  readonly sampleRate = sampleRate;
  readonly digits: string[] = [];
  readonly transfers: string[] = [];
  transferStatus = 202;
  readonly #queue: {
    leftMs: number;
    playedMs: number;
    done(played: { playedMs: number; isComplete: boolean }): void;
  }[] = [];

  play(pcm: Int16Array): Promise<{ playedMs: number; isComplete: boolean }> {
    return new Promise((done) => this.#queue.push({ leftMs: (pcm.length * 1_000) / sampleRate, playedMs: 0, done }));
  }

  stopPlaying(): void {
    for (const { playedMs, done } of this.#queue.splice(0)) done({ playedMs, isComplete: false });
  }

  sendDigits(digits: string): void {
    this.digits.push(digits);
  }

  async transfer(to: string): Promise<number> {
    this.transfers.push(to);
    return this.transferStatus;
  }

  get isSounding(): boolean {
    return this.#queue.length > 0;
  }

  tick(): void {
    const [piece] = this.#queue;
    if (!piece) return;
    const ms = Math.min(frameMs, piece.leftMs);
    piece.leftMs -= ms;
    piece.playedMs += ms;
    if (piece.leftMs > 0) return;
    this.#queue.shift();
    piece.done({ playedMs: piece.playedMs, isComplete: true });
  }
}

/** When a line of the person's is due: after so much silence of ours, or so long into what we say, or after the answer. */
export type When = { afterUsMs: number } | { intoOursMs: number } | { atMs: number };
export type PersonLine = When &
  (
    | { says: string; heardAs?: string }
    | { sounds: Int16Array }
    | { keys: string }
    | { hangsUp: true }
    | { whispers: string }
  );

export interface TestTalk {
  ending: Ending;
  isEndedByThem: boolean;
  said: string[];
  conversation: Conversation;
  events: CallEvent[];
  facts: Fact[];
  faults: unknown[];
  line: TestLine;
  /** Of our voice, in milliseconds since the answer: when it was heard. */
  soundingMs: number[];
}

/** Holds a whole conversation in no time: real sound in the person's voice, ears that understand what was really said. */
export async function talk(mind: Mind, person: PersonLine[], longestMs = 120_000): Promise<TestTalk> {
  const line = new TestLine();
  const events: CallEvent[] = [];
  const facts: Fact[] = [];
  const faults: unknown[] = [];
  const ears = new TestEars();
  const conversation = new Conversation({
    mind,
    line,
    tts: hummingTts,
    stt: ears,
    voice: 'slt',
    language: 'en-US',
    onEvent: (event) => events.push(event),
    onFact: async (fact) => void facts.push(fact),
    onFault: (fault) => void faults.push(fault),
  });
  let ending: Ending | undefined;
  conversation.ended.then((end) => {
    ending = end;
  });
  conversation.begin();
  const due = [...person];
  let sound: Int16Array = new Int16Array();
  let [quietMs, oursMs] = [0, 0];
  let isEndedByThem = false;
  const soundingMs: number[] = [];
  for (let nowMs = 0; nowMs < longestMs && !ending && !isEndedByThem; nowMs += frameMs) {
    const [next] = due;
    if (next && sound.length === 0 && isDue(next, { nowMs, quietMs, oursMs })) {
      due.shift();
      if ('hangsUp' in next) isEndedByThem = true;
      else if ('whispers' in next) conversation.say(next.whispers);
      else if ('keys' in next) for (const key of next.keys) conversation.digit(key);
      else if ('sounds' in next) sound = next.sounds;
      else {
        sound = spokenBy('rms', next.says);
        ears.expect(nowMs, (sound.length * 1_000) / sampleRate, next.heardAs ?? next.says);
      }
      [quietMs, oursMs] = [0, 0];
    }
    const frame = new Int16Array(frameSamples);
    frame.set(sound.subarray(0, frameSamples));
    sound = sound.subarray(frameSamples);
    conversation.hear(frame);
    if (line.isSounding) {
      soundingMs.push(nowMs);
      oursMs += frameMs;
      quietMs = 0;
    } else {
      oursMs = 0;
      quietMs = sound.length > 0 ? 0 : quietMs + frameMs;
    }
    line.tick();
    await setImmediate();
  }
  const closed = conversation.close();
  await conversation.settled();
  await setImmediate();
  const said = conversation.record.turns.map(({ speaker, text }) => `${speaker === 'assistant' ? 'A' : 'P'}: ${text}`);
  return { ending: ending ?? closed, isEndedByThem, said, conversation, events, facts, faults, line, soundingMs };
}

function isDue(when: When, { nowMs, quietMs, oursMs }: { nowMs: number; quietMs: number; oursMs: number }): boolean {
  if ('atMs' in when) return nowMs >= when.atMs;
  return 'afterUsMs' in when ? quietMs >= when.afterUsMs : oursMs >= when.intoOursMs;
}

function spokenBy(voice: 'rms', text: string): Int16Array {
  const { samples, sampleRate: rate } = runFlite({ text, voice, rate: 1 });
  return trimSilence(resample(samples, rate, sampleRate), sampleRate);
}

/** Ears that know what will be said. */
class TestEars implements Stt {
  readonly #expected: { fromMs: number; untilMs: number; text: string; isBegun: boolean }[] = [];
  #options: ListenOptions | undefined;
  #nowMs = 0;
  #isClosed = false;

  expect(fromMs: number, lengthMs: number, text: string): void {
    this.#expected.push({ fromMs, untilMs: fromMs + lengthMs, text, isBegun: false });
  }

  listen(options: ListenOptions): Listener {
    this.#options = options;
    return {
      hear: () => this.#hear(),
      settled: async () => {},
      end: async () => {},
      close: () => {
        this.#isClosed = true;
      },
    };
  }

  async close(): Promise<void> {}

  #hear(): void {
    this.#nowMs += frameMs;
    const [next] = this.#expected;
    if (!next || this.#isClosed) return;
    if (!next.isBegun && this.#nowMs >= next.fromMs + onsetMs) {
      next.isBegun = true;
      this.#options?.onSpeechStart?.(next.fromMs);
    }
    if (this.#nowMs < next.untilMs + recognisedMs) return;
    this.#expected.shift();
    const { text, fromMs: startMs, untilMs: endMs } = next;
    this.#options?.onFinal?.({ text, startMs, endMs, confidence: 0.95 });
  }
}

import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { joined } from '../src/rtp/pcm.ts';
import { embeddedRecogniser } from '../src/speech/embedded/embedded-recogniser.ts';
import { EmbeddedTts } from '../src/speech/embedded/embedded-tts.ts';
import { PhraseCache } from '../src/speech/embedded/phrase-cache.ts';
import { WorkerPool } from '../src/speech/embedded/worker-pool.ts';
import { sttOf } from '../src/speech/hearing/stt.ts';
import type { Listener } from '../src/speech/ports.ts';
import { randomFrom } from '../test/harness/audio.ts';
import { frameMs, framesOf, quiet } from '../test/harness/speech.ts';
import { type Figure, type Measure, percentile, toSample } from './figure.ts';
import { quietMachine } from './harness/quiet-machine.ts';
import { lineRate, spoken, testSentences, testShortAnswers, testVoices } from './spoken-set.ts';

const steps = [1, 10, 20, 40];
const measuredSeconds = 40;
const clockTicks = 100;
/** After an answer the assistant speaks, and the person thinks. One call alone need not wait: its answers are counted. */
const assistantsTurnMs = (calls: number) => (calls === 1 ? 1_000 : 3_500);

/** How long after the last sound of an utterance its text is there, and how it grows with calls at once. */
export const measureSpeechDelay: Measure = async ({ signal }) => {
  const pool = new WorkerPool();
  try {
    await pool.ready;
    await quietMachine(signal);
    const figures = await measureTts(pool);
    const utterances = recordedUtterances();
    for (const calls of steps) {
      await quietMachine(signal);
      figures.push(...(await measureCalls(pool, calls, utterances, signal)));
    }
    return figures;
  } finally {
    await pool.close();
  }
};

async function measureTts(pool: WorkerPool): Promise<Figure[]> {
  const tts = new EmbeddedTts(pool, await PhraseCache.open({}));
  const texts = [...testSentences, ...testShortAnswers].map((text) => `${text} Is that right?`);
  const first = async (text: string) => {
    const askedAt = performance.now();
    let firstMs = 0;
    let samples = 0;
    for await (const piece of tts.speak({ text, sampleRate: lineRate })) {
      firstMs ||= performance.now() - askedAt;
      samples += piece.length;
    }
    return { firstMs, seconds: samples / lineRate };
  };
  const cpuBefore = cpuSeconds(pool);
  const uncached = [];
  for (const text of texts) uncached.push(await first(text));
  const cpu = cpuSeconds(pool) - cpuBefore;
  const seconds = uncached.reduce((sum, each) => sum + each.seconds, 0);
  const cached = [];
  for (const text of texts) cached.push(await first(text));
  const firstMs = (of: { firstMs: number }[]) => of.map((each) => each.firstMs);
  return [
    single('text to first sound, uncached, p50', 'ms', percentile(firstMs(uncached), 0.5)),
    single('text to first sound, uncached, p95 (at most 150)', 'ms', percentile(firstMs(uncached), 0.95)),
    single('text to first sound, cached, p95 (at most 5)', 'ms', percentile(firstMs(cached), 0.95)),
    single('CPU for each second spoken', 'ms', (1_000 * cpu) / seconds),
  ];
}

interface RecordedUtterance {
  frames: Int16Array[];
  /** Where the last sound is, in frames from the beginning. */
  endFrame: number;
  spokenMs: number;
}

/** Sentences and short answers in turn, in every voice, without the silence of the set. */
function recordedUtterances(): RecordedUtterance[] {
  const texts = testSentences.flatMap((sentence, index) => [sentence, testShortAnswers[index] as string]);
  return texts.map((text, index) => {
    const voice = testVoices[index % testVoices.length] as (typeof testVoices)[number];
    const line = spoken({ text, voice, pace: 1 }, index + 1);
    const isLoud = (sample: number) => Math.abs(sample) > 300;
    const [from, to] = [line.findIndex(isLoud), line.findLastIndex(isLoud)];
    const frames = [...framesOf(joined(line.slice(from, to), quiet(frameMs, lineRate)), lineRate)];
    return { frames, endFrame: frames.length - 1, spokenMs: ((to - from) * 1_000) / lineRate };
  });
}

async function measureCalls(
  pool: WorkerPool,
  calls: number,
  utterances: RecordedUtterance[],
  signal: AbortSignal,
): Promise<Figure[]> {
  const stt = sttOf(embeddedRecogniser(pool));
  const tts = new EmbeddedTts(pool, await PhraseCache.open({}));
  const over = new AbortController();
  const delays: number[] = [];
  let heardMs = 0;
  const lines = Array.from(
    { length: calls },
    (_, index) =>
      new CallLine(utterances, index, assistantsTurnMs(calls), {
        listen: (onFinal) => stt.listen({ sampleRate: lineRate, onPartial: () => {}, onFinal }),
        onDelay: (delayMs, spokenMs) => {
          delays.push(delayMs);
          heardMs += spokenMs;
        },
        onAnswered: (turn) =>
          void speakAndForget(tts, `Thank you. Here is question number ${turn}, what do you think?`, over.signal),
      }),
  );
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const cpuBefore = cpuSeconds(pool);
  const startedAt = performance.now();
  const seconds = calls === 1 ? 4 * measuredSeconds : measuredSeconds;
  loop.enable();
  for (let frame = 0; frame * frameMs < seconds * 1_000; frame++) {
    for (const line of lines) line.tick();
    const waitMs = startedAt + (frame + 1) * frameMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
  }
  loop.disable();
  const cpu = cpuSeconds(pool) - cpuBefore;
  for (const line of lines) line.close();
  over.abort();
  const name = calls === 1 ? 'with one call' : `with ${calls} calls`;
  const blockedMs = loop.max / 1e6;
  return [
    single(
      `end of speech to final text ${name}, p50${calls === 1 ? ' (at most 250)' : ''}`,
      'ms',
      percentile(delays, 0.5),
    ),
    single(
      `end of speech to final text ${name}, p95${calls === 1 ? ' (at most 500)' : ''}`,
      'ms',
      percentile(delays, 0.95),
    ),
    single(`longest block of the main thread ${name}${calls === 20 ? ' (at most 20)' : ''}`, 'ms', blockedMs),
    single(`CPU for each second heard, answers included, ${name}`, 'ms', (1_000_000 * cpu) / heardMs),
  ];
}

async function speakAndForget(tts: EmbeddedTts, text: string, signal: AbortSignal): Promise<void> {
  for await (const _ of tts.speak({ text, sampleRate: lineRate, signal }));
}

interface CallLineHandlers {
  listen(onFinal: () => void): Listener;
  onDelay(delayMs: number, spokenMs: number): void;
  onAnswered(turn: number): void;
}

/** One call: somebody answers, listens and thinks, answers again. */
class CallLine {
  readonly #utterances: RecordedUtterance[];
  readonly #handlers: CallLineHandlers;
  readonly #listener: Listener;
  readonly #random: () => number;
  readonly #noise: Int16Array[];
  readonly #pauseMs: number;
  #turn: number;
  #frame: number;
  #endedAt: number | undefined;

  constructor(utterances: RecordedUtterance[], index: number, pauseMs: number, handlers: CallLineHandlers) {
    this.#pauseMs = pauseMs;
    this.#utterances = utterances;
    this.#handlers = handlers;
    this.#turn = index * 7;
    this.#random = randomFrom(index + 1);
    this.#frame = -Math.round((this.#random() * pauseMs) / frameMs) - 25;
    // The hiss of a line: a frame of exact zeros would never come.
    this.#noise = Array.from({ length: 16 }, () =>
      Int16Array.from({ length: (lineRate * frameMs) / 1_000 }, () => (this.#random() - 0.5) * 30),
    );
    this.#listener = handlers.listen(() => this.#onFinal());
  }

  tick(): void {
    const { frames, endFrame } = this.#utterance;
    const frame = this.#frame < 0 ? undefined : frames[this.#frame];
    this.#listener.hear(frame ?? (this.#noise[(this.#frame + 1_000_000) % 16] as Int16Array).slice());
    if (this.#frame === endFrame) this.#endedAt = performance.now();
    this.#frame++;
  }

  close(): void {
    this.#listener.close();
  }

  get #utterance(): RecordedUtterance {
    return this.#utterances[this.#turn % this.#utterances.length] as RecordedUtterance;
  }

  #onFinal(): void {
    // A comma may have been taken for the end; what counts is the text after the last sound.
    if (this.#endedAt === undefined) return;
    this.#handlers.onDelay(performance.now() - this.#endedAt, this.#utterance.spokenMs);
    this.#endedAt = undefined;
    this.#turn++;
    this.#frame = -Math.round((this.#pauseMs * (0.8 + 0.4 * this.#random())) / frameMs);
    this.#handlers.onAnswered(this.#turn);
  }
}

/** Of the workers, as Linux counts it. */
function cpuSeconds(pool: WorkerPool): number {
  return pool.processIds.reduce((sum, processId) => {
    const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) / clockTicks;
  }, 0);
}

function single(name: string, unit: string, value: number): Figure {
  return { name, unit, ours: toSample([value]) };
}

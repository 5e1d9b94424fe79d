import type { SpeakRequest, Tts } from '../ports.ts';
import { EngineError } from './engine-error.ts';
import { Rendering } from './rendering.ts';

export type Utterance = Omit<SpeakRequest, 'signal'>;

/** Makes the sound of a text, in pieces at the line's rate. */
export type Speaker = (utterance: Utterance, signal: AbortSignal) => AsyncIterable<Int16Array>;

// Two minutes at 16 kHz, 4 MB: a greeting, and what may follow it.
const mostPreparedSamples = 2 * 60 * 16_000;
const mostPrepared = 64;
// A server that goes on for longer than anyone speaks in one breath has lost its way.
const longestMs = 5 * 60_000;

/** A voice whose prepared texts are kept, and shared while they are still being made. */
export function renderedTts(speaker: Speaker): Tts {
  const prepared = new Map<string, Rendering>();
  const running = new Set<Rendering>();
  let isClosed = false;

  function render(utterance: Utterance): Rendering {
    const rendering = new Rendering(async function* (signal) {
      try {
        yield* bounded(speaker(utterance, signal), utterance.sampleRate);
      } finally {
        running.delete(rendering);
      }
    });
    running.add(rendering);
    return rendering;
  }

  function find(key: string): Rendering | undefined {
    const rendering = prepared.get(key);
    prepared.delete(key);
    if (!rendering || rendering.status === 'failed') return undefined;
    prepared.set(key, rendering);
    return rendering;
  }

  function trim(): void {
    let samples = 0;
    for (const rendering of prepared.values()) samples += rendering.samples;
    for (const [key, rendering] of prepared) {
      if (samples <= mostPreparedSamples && prepared.size <= mostPrepared) return;
      prepared.delete(key);
      samples -= rendering.samples;
    }
  }

  return {
    async *speak(request) {
      if (isClosed || request.signal?.aborted) return;
      yield* (find(keyOf(request)) ?? render(withoutSignal(request))).read(request.signal);
    },

    async prepare(request) {
      if (isClosed || request.signal?.aborted) return;
      const key = keyOf(request);
      const rendering = find(key) ?? render(withoutSignal(request));
      prepared.set(key, rendering);
      try {
        await rendering.finished(request.signal);
      } finally {
        if (rendering.status === 'failed' && prepared.get(key) === rendering) prepared.delete(key);
        trim();
      }
    },

    async close() {
      isClosed = true;
      for (const rendering of running) rendering.abort();
      prepared.clear();
    },
  };
}

async function* bounded(pieces: AsyncIterable<Int16Array>, sampleRate: number): AsyncGenerator<Int16Array> {
  let samples = 0;
  for await (const piece of pieces) {
    samples += piece.length;
    if (samples > (longestMs / 1000) * sampleRate) throw new EngineError('unreadable', 'the sound does not end');
    if (piece.length > 0) yield piece;
  }
  if (samples === 0) throw new EngineError('empty', 'no sound came');
}

function keyOf({ text, voice, pace, sampleRate }: SpeakRequest): string {
  return JSON.stringify([text, voice, pace, sampleRate]);
}

function withoutSignal({ signal: _, ...utterance }: SpeakRequest): Utterance {
  return utterance;
}

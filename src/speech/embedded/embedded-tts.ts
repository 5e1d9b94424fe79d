import type { SpeakRequest, Tts } from '../ports.ts';
import { sentences } from '../text/sentences.ts';
import { speakable } from '../text/speakable.ts';
import type { Urgency } from './fair-queue.ts';
import { type FliteVoice, fliteVoices } from './flite.ts';
import { openingPiece } from './opening-piece.ts';
import { PhraseCache } from './phrase-cache.ts';
import type { WorkerPool } from './worker-pool.ts';

const defaultVoice: FliteVoice = 'slt';
/** Sentences that are rendered while an earlier one is spoken. */
const sentencesAhead = 2;

/** flite, sentence by sentence. */
export class EmbeddedTts implements Tts {
  readonly #pool: WorkerPool;
  readonly #cache: PhraseCache;
  readonly #rendering = new Map<string, Promise<Int16Array>>();

  constructor(pool: WorkerPool, cache: PhraseCache) {
    this.#pool = pool;
    this.#cache = cache;
  }

  async *speak(request: SpeakRequest): AsyncGenerator<Int16Array> {
    const owner = {};
    const ahead: Promise<Int16Array>[] = [];
    const pieces = piecesOf(request.text);
    for (let next = 0; next < pieces.length || ahead.length > 0; ) {
      if (request.signal?.aborted) return;
      while (ahead.length <= sentencesAhead && next < pieces.length) {
        const rendering = this.#piece(pieces[next++] as string, request, owner, 'now');
        // It is awaited later, when one before it may have failed already.
        rendering.catch(() => {});
        ahead.push(rendering);
      }
      try {
        const samples = await (ahead.shift() as Promise<Int16Array>);
        if (request.signal?.aborted) return;
        if (samples.length > 0) yield samples.slice();
      } catch (error) {
        if (request.signal?.aborted) return;
        throw error;
      }
    }
  }

  async prepare(request: SpeakRequest): Promise<void> {
    const owner = {};
    await Promise.all(piecesOf(request.text).map((piece) => this.#piece(piece, request, owner, 'later')));
  }

  async close(): Promise<void> {
    await this.#cache.close();
  }

  async #piece(text: string, request: SpeakRequest, owner: object, urgency: Urgency): Promise<Int16Array> {
    const { sampleRate, signal } = request;
    const voice = fliteVoice(request.voice);
    const pace = Math.min(2, Math.max(0.5, request.pace ?? 1));
    const key = PhraseCache.key('flite', voice, pace, sampleRate, text);
    const known = await this.#cache.find(key);
    if (known) return known;
    const job = { kind: 'speak', text, voice, pace, sampleRate } as const;
    // What is being prepared may still wait behind everything else; when it becomes urgent it is asked for again.
    const shared = urgency === 'now' ? undefined : this.#rendering.get(key);
    if (shared) return shared;
    const rendering = this.#pool.run(job, { owner, urgency, signal }).then((samples) => {
      this.#cache.add(key, samples);
      return samples;
    });
    this.#rendering.set(key, rendering);
    return rendering.finally(() => {
      if (this.#rendering.get(key) === rendering) this.#rendering.delete(key);
    });
  }
}

function piecesOf(text: string): string[] {
  const [first = '', ...rest] = sentences(speakable(text));
  return [...openingPiece(first), ...rest].filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

function fliteVoice(name: string | undefined): FliteVoice {
  return fliteVoices.find((voice) => voice === name) ?? defaultVoice;
}

import type { SpeakRequest, Tts } from '../ports.ts';
import { sentences } from '../text/sentences.ts';
import { Breaker, type BreakerOptions } from './breaker.ts';
import { EngineError, type EngineErrorCode } from './engine-error.ts';
import { linkedAbort } from './linked-abort.ts';
import { within } from './within.ts';

export interface TtsFallbackOptions extends BreakerOptions {
  /** How long the first sound of a sentence may take. */
  firstSoundMs?: number;
  /** How long the next piece of a sentence may take. */
  stallMs?: number;
}

// A prepared sentence is not waited for, so a slow one may take its time.
const prepareMs = 20_000;
// The second answer would be the first.
const finalCodes: readonly EngineErrorCode[] = ['unauthorised', 'refused', 'rate-limited'];

/**
 * The voice of one call: `primary` as long as it works, else `fallback`, which goes on with the sentence
 * that broke off. Neither is closed with it, since other calls use them too.
 */
export function ttsWithFallback(primary: Tts, fallback: Tts, options: TtsFallbackOptions): Tts {
  const { firstSoundMs = 2_500, stallMs = 2_000 } = options;
  const breaker = new Breaker(options);
  const closing = new AbortController();
  const preparing = new Set<AbortController>();

  /** Speaks what it can by `primary` and returns what is left. */
  async function* speakByPrimary(request: SpeakRequest, signal: AbortSignal): AsyncGenerator<Int16Array, string[]> {
    const admission = breaker.admit();
    let left = sentences(request.text);
    let mayRetry = admission === 'yes';
    while (admission !== 'no' && left.length > 0) {
      const [sentence = '', following] = left;
      const attempt = linkedAbort(signal);
      try {
        const sound = primary.speak({ ...request, text: sentence, signal: attempt.controller.signal });
        let isFirst = true;
        for await (const piece of timed(sound, firstSoundMs, stallMs)) {
          // Not sooner: a server of one's own would make both at half the pace.
          if (isFirst && following !== undefined) prepareQuietly({ ...request, text: following, signal });
          isFirst = false;
          mayRetry = false;
          breaker.succeeded();
          yield piece;
        }
        if (signal.aborted) return [];
        left = left.slice(1);
      } catch (error) {
        if (signal.aborted) return [];
        // Otherwise the next attempt would wait for the same sound.
        for (const controller of preparing) controller.abort();
        if (!mayRetry || (error instanceof EngineError && finalCodes.includes(error.code))) {
          breaker.failed(error);
          return left;
        }
        mayRetry = false;
      } finally {
        attempt.controller.abort();
        attempt.unlink();
      }
    }
    return left;
  }

  /** So that no silence falls between sentences; if it fails, speaking it will too, and is heard of. */
  function prepareQuietly(request: SpeakRequest): void {
    prepareByPrimary(request).catch(() => {});
  }

  /** Whether it is prepared now; not so when it was called off. */
  async function prepareByPrimary(request: SpeakRequest): Promise<boolean> {
    const { controller, unlink } = linkedAbort(request.signal);
    preparing.add(controller);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort();
    }, prepareMs);
    try {
      await primary.prepare({ ...request, signal: controller.signal });
      if (isLate) throw new EngineError('timeout', `not prepared in ${prepareMs} ms`);
      return !controller.signal.aborted;
    } finally {
      clearTimeout(timer);
      unlink();
      preparing.delete(controller);
    }
  }

  return {
    async *speak(request) {
      const { controller, unlink } = linkedAbort(request.signal, closing.signal);
      const { signal } = controller;
      try {
        if (signal.aborted) return;
        const left = yield* speakByPrimary(request, signal);
        if (left.length > 0) yield* fallback.speak({ ...request, text: left.join(' '), signal });
      } finally {
        controller.abort();
        unlink();
      }
    },

    async prepare(request) {
      if (request.signal?.aborted || closing.signal.aborted) return;
      if (breaker.admit() === 'no') return await fallback.prepare(request);
      try {
        for (const sentence of sentences(request.text)) {
          if (!(await prepareByPrimary({ ...request, text: sentence }))) return;
        }
        breaker.succeeded();
      } catch (error) {
        if (request.signal?.aborted) return;
        breaker.failed(error);
        await fallback.prepare(request);
      }
    },

    async close() {
      closing.abort();
      for (const controller of preparing) controller.abort();
    },
  };
}

/** The same pieces, or an error when one is late. The clock runs only while a piece is waited for. */
async function* timed(
  pieces: AsyncIterable<Int16Array>,
  firstSoundMs: number,
  stallMs: number,
): AsyncGenerator<Int16Array, void, undefined> {
  const iterator = pieces[Symbol.asyncIterator]();
  let hasSound = false;
  let isDone = false;
  try {
    for (;;) {
      const result: IteratorResult<Int16Array, unknown> = hasSound
        ? await within(iterator.next(), stallMs, 'no more sound')
        : await within(iterator.next(), firstSoundMs, 'no sound');
      if (result.done) {
        isDone = true;
        return;
      }
      hasSound ||= result.value.length > 0;
      yield result.value;
    }
  } finally {
    // Not waited for: a generator answers only when what it waits for itself has come.
    if (!isDone) iterator.return?.().catch(() => {});
  }
}

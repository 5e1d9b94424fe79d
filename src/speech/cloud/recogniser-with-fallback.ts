import type { RecognisePurpose, Recogniser, RecogniserOptions, RecogniserStream, Recognition } from '../ports.ts';
import { Breaker, type BreakerOptions } from './breaker.ts';
import { mostFrames } from './utterance-recogniser.ts';
import { within } from './within.ts';

export interface RecogniserFallbackOptions extends BreakerOptions {
  /** How long the text of an utterance may take after it was asked for. */
  answerMs?: number;
}

/**
 * The ears of one call: `primary` as long as it answers, else `fallback`, which is given the utterance from
 * its beginning. Neither is closed with it, since other calls use them too.
 */
export function recogniserWithFallback(
  primary: Recogniser,
  fallback: Recogniser,
  options: RecogniserFallbackOptions,
): Recogniser {
  const breaker = new Breaker(options);
  const streams = new Set<FallbackStream>();
  return {
    open(recogniserOptions) {
      const stream = new FallbackStream(primary, fallback, breaker, options.answerMs ?? 2_500, recogniserOptions, () =>
        streams.delete(stream),
      );
      streams.add(stream);
      return stream;
    },
    async close() {
      for (const stream of streams) stream.close();
    },
  };
}

class FallbackStream implements RecogniserStream {
  readonly #primary: Recogniser;
  readonly #fallback: Recogniser;
  readonly #breaker: Breaker;
  readonly #answerMs: number;
  readonly #options: RecogniserOptions;
  readonly #onClose: () => void;
  #primaryStream: RecogniserStream | undefined;
  #fallbackStream: RecogniserStream | undefined;
  #frames: Int16Array[] = [];
  /** Of the frames, those that the spare ears have heard. */
  #told = 0;
  /** Who hears this utterance; decided when it begins. */
  #hearer: 'primary' | 'fallback' | undefined;
  #isClosed = false;
  #utterance = 0;

  constructor(
    primary: Recogniser,
    fallback: Recogniser,
    breaker: Breaker,
    answerMs: number,
    options: RecogniserOptions,
    onClose: () => void,
  ) {
    this.#primary = primary;
    this.#fallback = fallback;
    this.#breaker = breaker;
    this.#answerMs = answerMs;
    this.#options = options;
    this.#onClose = onClose;
    // The connection stands before the first word is said.
    if (breaker.isClosed) this.#openPrimary();
  }

  get isIncremental(): boolean {
    const stream = this.#hearer === 'fallback' ? this.#fallbackStream : this.#primaryStream;
    return stream?.isIncremental ?? false;
  }

  hear(frame: Int16Array): void {
    if (this.#isClosed) return;
    this.#frames.push(frame.slice());
    if (this.#frames.length > mostFrames) {
      this.#frames.shift();
      this.#told = Math.max(0, this.#told - 1);
    }
    if (this.#choose() === 'primary') this.#openPrimary().hear(frame);
    else this.#tellFallback();
  }

  async recognise(purpose: RecognisePurpose): Promise<Recognition> {
    const utterance = this.#utterance;
    if (this.#choose() === 'primary') {
      try {
        const recognition = await within(this.#openPrimary().recognise(purpose), this.#answerMs, 'no text');
        if (purpose === 'final') this.#breaker.succeeded();
        return recognition;
      } catch (error) {
        if (this.#isClosed || utterance !== this.#utterance) throw error;
        this.#giveUpPrimary(error);
      }
    }
    return await this.#tellFallback().recognise(purpose);
  }

  next(): void {
    this.#utterance++;
    this.#frames = [];
    if (this.#hearer === 'primary') this.#primaryStream?.next();
    if (this.#told > 0) this.#fallbackStream?.next();
    this.#told = 0;
    this.#hearer = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#frames = [];
    this.#primaryStream?.close();
    this.#fallbackStream?.close();
    this.#onClose();
  }

  #choose(): 'primary' | 'fallback' {
    this.#hearer ??= this.#breaker.admit() === 'no' ? 'fallback' : 'primary';
    return this.#hearer;
  }

  #giveUpPrimary(error: unknown): void {
    if (this.#hearer !== 'primary') return;
    this.#hearer = 'fallback';
    this.#breaker.failed(error);
    // Nor shall it go on trying; a probe opens it anew.
    this.#primaryStream?.close();
    this.#primaryStream = undefined;
  }

  #openPrimary(): RecogniserStream {
    this.#primaryStream ??= this.#primary.open(this.#optionsFor('primary'));
    return this.#primaryStream;
  }

  #tellFallback(): RecogniserStream {
    this.#fallbackStream ??= this.#fallback.open(this.#optionsFor('fallback'));
    for (const frame of this.#frames.slice(this.#told)) this.#fallbackStream.hear(frame);
    this.#told = this.#frames.length;
    return this.#fallbackStream;
  }

  #optionsFor(hearer: 'primary' | 'fallback'): RecogniserOptions {
    const { onPartial, ...options } = this.#options;
    if (!onPartial) return options;
    return {
      ...options,
      onPartial: (recognition) => {
        if (this.#hearer === hearer && !this.#isClosed) onPartial(recognition);
      },
    };
  }
}

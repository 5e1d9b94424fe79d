import { joined } from '../../rtp/pcm.ts';
import { wavHeader } from '../../rtp/wav.ts';
import type { Recogniser, RecogniserOptions, RecogniserStream, Recognition } from '../ports.ts';
import { EngineError } from './engine-error.ts';

export interface TranscribeOptions {
  language?: string | undefined;
  onPartial?: ((recognition: Recognition) => void) | undefined;
  signal: AbortSignal;
}

/** Makes text of a WAV file. */
export type Transcriber = (wav: Uint8Array<ArrayBuffer>, options: TranscribeOptions) => Promise<Recognition>;

/** Where an engine says nothing of how sure it is: neither a reason to ask again nor one to rely on it. */
export const unknownConfidence = 0.8;

// Two minutes: nobody speaks longer without a pause, and a file of them is under the vendors' limits.
export const mostFrames = 6_000;

/** Ears that are given each utterance as a whole. */
export function utteranceRecogniser(transcribe: Transcriber): Recogniser {
  const streams = new Set<UtteranceStream>();
  return {
    open(options) {
      const stream = new UtteranceStream(transcribe, options, () => streams.delete(stream));
      streams.add(stream);
      return stream;
    },
    async close() {
      for (const stream of streams) stream.close();
    },
  };
}

class UtteranceStream implements RecogniserStream {
  /** Each answer costs the whole utterance once more. */
  readonly isIncremental = false;
  readonly #transcribe: Transcriber;
  readonly #options: RecogniserOptions;
  readonly #onClose: () => void;
  readonly #closing = new AbortController();
  #frames: Int16Array[] = [];

  constructor(transcribe: Transcriber, options: RecogniserOptions, onClose: () => void) {
    this.#transcribe = transcribe;
    this.#options = options;
    this.#onClose = onClose;
  }

  hear(frame: Int16Array): void {
    this.#frames.push(frame.slice());
    if (this.#frames.length > mostFrames) this.#frames.shift();
  }

  async recognise(): Promise<Recognition> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    if (this.#frames.length === 0) return { text: '', confidence: 0 };
    const wav = toWav(joined(...this.#frames), this.#options.sampleRate);
    try {
      return await this.#attempt(wav, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  /** Once more when the connection broke: a server may close an idle one in the moment when it is used. */
  async #attempt(wav: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Recognition> {
    const { language, onPartial } = this.#options;
    const options = { language, onPartial, signal };
    try {
      return await this.#transcribe(wav, options);
    } catch (error) {
      if (!(error instanceof EngineError && error.code === 'broken') || signal.aborted) throw error;
      return await this.#transcribe(wav, options);
    }
  }

  next(): void {
    this.#frames = [];
  }

  close(): void {
    this.#frames = [];
    this.#closing.abort(new EngineError('broken', 'closed'));
    this.#onClose();
  }
}

function toWav(pcm: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const data = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  return new Uint8Array(Buffer.concat([wavHeader(sampleRate, 1, data.length), data]));
}

import { joined } from '../../rtp/pcm.ts';
import type {
  LineRate,
  RecognisePurpose,
  Recogniser,
  RecogniserOptions,
  RecogniserStream,
  Recognition,
} from '../ports.ts';
import type { WorkerPool } from './worker-pool.ts';

/** The end of what was understood in the middle of an utterance is mostly wrong: it is written anew. */
const doubtfulTokens = 2;

/** Moonshine in the pool's workers. */
export function embeddedRecogniser(pool: WorkerPool): Recogniser {
  return {
    open: ({ sampleRate }: RecogniserOptions) => new EmbeddedStream(pool, sampleRate),
    close: async () => {},
  };
}

class EmbeddedStream implements RecogniserStream {
  readonly #pool: WorkerPool;
  readonly #sampleRate: LineRate;
  readonly #closing = new AbortController();
  #frames: Int16Array[] = [];
  #draft: number[] = [];

  constructor(pool: WorkerPool, sampleRate: LineRate) {
    this.#pool = pool;
    this.#sampleRate = sampleRate;
  }

  get isIncremental(): boolean {
    return this.#pool.hasFreeWorker;
  }

  hear(frame: Int16Array): void {
    this.#frames.push(frame);
  }

  async recognise(purpose: RecognisePurpose): Promise<Recognition> {
    const frames = this.#frames;
    const isWhole = purpose === 'final';
    const { text, confidence, tokens } = await this.#pool.run(
      {
        kind: 'recognise',
        samples: joined(...frames),
        sampleRate: this.#sampleRate,
        draft: this.#draft,
        isWhole,
        isHurried: !this.#pool.hasFreeWorker,
      },
      { owner: this, urgency: isWhole ? 'now' : 'soon', signal: this.#closing.signal },
    );
    if (this.#frames === frames) this.#draft = tokens.slice(0, -doubtfulTokens);
    return { text, confidence };
  }

  next(): void {
    this.#frames = [];
    this.#draft = [];
  }

  close(): void {
    this.#closing.abort(new Error('Nobody listens any more'));
  }
}

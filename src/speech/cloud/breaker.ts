import { EngineError } from './engine-error.ts';

/** What the call's log is told when the engine changes. Holds nothing that was said, and no keys. */
export interface EngineNote {
  /** The spare engine takes over for a while; for the rest of the call; the chosen engine is back. */
  code: 'engine-fell-back' | 'engine-switched-off' | 'engine-recovered';
  engine: string;
  detail: string;
}

export interface BreakerOptions {
  /** As it is set, like `deepgram/nova-3`. */
  engine: string;
  onNote?: (note: EngineNote) => void;
  /** How long a failed engine is left alone before it is tried once more. */
  restMs?: number;
  now?: () => number;
}

/** Keeps a dead engine from costing a time-out for each sentence of a call. */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #restMs: number;
  readonly #now: () => number;
  #status: 'closed' | 'open' | 'off' = 'closed';
  #openUntil = 0;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#restMs = options.restMs ?? 30_000;
    this.#now = options.now ?? (() => performance.now());
  }

  get isClosed(): boolean {
    return this.#status === 'closed';
  }

  /** Whether the engine may be used now; `probe` to one caller at a time after a failure. */
  admit(): 'yes' | 'probe' | 'no' {
    if (this.#status === 'closed') return 'yes';
    if (this.#status === 'off' || this.#now() < this.#openUntil) return 'no';
    this.#openUntil = this.#now() + this.#restMs;
    return 'probe';
  }

  succeeded(): void {
    if (this.#status !== 'open') return;
    this.#status = 'closed';
    this.#note('engine-recovered', 'it answers again');
  }

  failed(error: unknown): void {
    if (this.#status === 'off') return;
    const before = this.#status;
    this.#openUntil = this.#now() + this.#restMs;
    if (error instanceof EngineError && error.code === 'unauthorised') {
      this.#status = 'off';
      this.#note('engine-switched-off', detailOf(error));
    } else if (before === 'closed') {
      this.#status = 'open';
      this.#note('engine-fell-back', detailOf(error));
    }
  }

  #note(code: EngineNote['code'], detail: string): void {
    this.#options.onNote?.({ code, engine: this.#options.engine, detail });
  }
}

function detailOf(error: unknown): string {
  if (error instanceof EngineError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `unexpected ${error.name}` : 'unexpected';
}

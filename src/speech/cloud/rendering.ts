/**
 * Sound that is being made, for one or more who wait for it. It is made as fast as it comes, whatever the
 * pace of those who read it, so that no server waits for a telephone line; when nobody waits any more
 * before it is complete, it is given up.
 */
export class Rendering {
  readonly #pieces: Int16Array[] = [];
  readonly #controller = new AbortController();
  readonly #finished: Promise<void>;
  #status: 'running' | 'complete' | 'failed' = 'running';
  #error: unknown;
  #holders = 0;
  #wake = Promise.withResolvers<void>();
  #samples = 0;

  constructor(make: (signal: AbortSignal) => AsyncIterable<Int16Array>) {
    this.#finished = this.#run(make);
  }

  get status(): 'running' | 'complete' | 'failed' {
    return this.#status;
  }

  get samples(): number {
    return this.#samples;
  }

  async *read(signal?: AbortSignal): AsyncGenerator<Int16Array, void, undefined> {
    const { aborted, release } = this.#hold(signal);
    try {
      for (let at = 0; ; ) {
        if (signal?.aborted) return;
        const piece = this.#pieces[at];
        if (piece) {
          at++;
          yield piece;
        } else if (this.#status === 'running') {
          await Promise.race([this.#wake.promise, aborted]);
        } else {
          if (this.#error !== undefined) throw this.#error;
          return;
        }
      }
    } finally {
      release();
    }
  }

  async finished(signal?: AbortSignal): Promise<void> {
    const { aborted, release } = this.#hold(signal);
    try {
      await Promise.race([this.#finished, aborted]);
      if (!signal?.aborted && this.#error !== undefined) throw this.#error;
    } finally {
      release();
    }
  }

  /** Ends it for all who read it, without an error. */
  abort(): void {
    if (this.#status !== 'running') return;
    this.#settle('failed');
    this.#controller.abort();
  }

  /** Released in the very moment when the signal is aborted: what is asked for right after it begins anew. */
  #hold(signal?: AbortSignal): { aborted: Promise<void>; release: () => void } {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    let isHeld = true;
    const release = () => {
      signal?.removeEventListener('abort', abort);
      if (!isHeld) return;
      isHeld = false;
      this.#holders--;
      if (this.#holders === 0) this.abort();
    };
    const abort = () => {
      release();
      resolve();
    };
    this.#holders++;
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    return { aborted, release };
  }

  async #run(make: (signal: AbortSignal) => AsyncIterable<Int16Array>): Promise<void> {
    try {
      for await (const piece of make(this.#controller.signal)) {
        if (this.#status !== 'running') return;
        if (piece.length === 0) continue;
        this.#pieces.push(piece);
        this.#samples += piece.length;
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      }
      if (this.#status === 'running') this.#settle('complete');
    } catch (error) {
      if (this.#status !== 'running') return;
      this.#error = error;
      this.#settle('failed');
    }
  }

  #settle(status: 'complete' | 'failed'): void {
    this.#status = status;
    this.#wake.resolve();
  }
}

import { Worker } from 'node:worker_threads';
import type { Lateness } from './frame-clock.ts';
import { MediaLine } from './media-line.ts';
import type { MediaCommand, MediaEvent, MediaThreadOptions } from './media-messages.ts';

export type MediaOptions = Omit<MediaThreadOptions, 'sockets'> & { sockets?: MediaThreadOptions['sockets'] };

type MediaState = { lateness: Lateness; freePorts: number };

/** The voices of all calls, in a thread of their own: what the rest of the program does shakes none of them. */
export class Media {
  readonly host: string;
  readonly #worker: Worker;
  readonly #lines = new Map<number, MediaLine>();
  #waiting: PromiseWithResolvers<MediaState>[] = [];
  #lastId = 0;
  #failure: Error | undefined;
  #closing: Promise<void> | undefined;
  readonly #ended: Promise<void>;

  constructor(options: MediaOptions) {
    this.host = options.host;
    const sockets = options.sockets ?? (process.platform === 'linux' ? 'direct' : 'dgram');
    this.#worker = new Worker(new URL('./media-thread.ts', import.meta.url), {
      name: 'media',
      workerData: { ...options, sockets } satisfies MediaThreadOptions,
    });
    this.#worker.on('message', (events: MediaEvent[]) => {
      for (const event of events) this.#onEvent(event);
    });
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#fail(new Error('The thread of the media has ended'));
        resolve();
      });
    });
  }

  /** A line with ports of its own; rejects when there are none left. */
  open(): Promise<MediaLine> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#closing) return Promise.reject(new Error('The media is closed'));
    const id = ++this.#lastId;
    const line = new MediaLine(id, this.host, (command, transfer) => this.#send(command, transfer));
    this.#lines.set(id, line);
    this.#send({ kind: 'open', id });
    return line.opened;
  }

  /** How late packets went out since the last time it was asked for, and how many more calls have ports. */
  state(): Promise<MediaState> {
    if (this.#failure) return Promise.reject(this.#failure);
    const asked = Promise.withResolvers<MediaState>();
    this.#waiting.push(asked);
    this.#send({ kind: 'lateness' });
    return asked.promise;
  }

  get size(): number {
    return this.#lines.size;
  }

  /** Closes every line, recordings included, and ends the thread. */
  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.close()));
    this.#send({ kind: 'end' });
    await this.#ended;
  }

  #send(command: MediaCommand, transfer?: ArrayBuffer[]): void {
    if (!this.#failure) this.#worker.postMessage(command, transfer);
  }

  #onEvent(event: MediaEvent): void {
    if (event.kind === 'lateness') {
      this.#waiting.shift()?.resolve(event);
      return;
    }
    if (event.kind === 'closed' || event.kind === 'not-opened') this.#takeLine(event.id)?.onEvent(event);
    else this.#lines.get(event.id)?.onEvent(event);
  }

  #takeLine(id: number): MediaLine | undefined {
    const line = this.#lines.get(id);
    this.#lines.delete(id);
    return line;
  }

  /** Without its thread no line can be heard any more: each is told that it is over. */
  #fail(error: Error): void {
    this.#failure ??= error;
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    for (const line of lines) line.onFailure(error);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

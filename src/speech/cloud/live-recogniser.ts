import { WebSocket } from 'ws';
import type { RecognisePurpose, Recogniser, RecogniserOptions, RecogniserStream, Recognition } from '../ports.ts';
import { asEngineError, EngineError, errorOfStatus } from './engine-error.ts';
import type { LiveDialect, LiveEvent } from './live-dialect.ts';
import { mostFrames } from './utterance-recogniser.ts';

export interface LiveOptions {
  /** How long a connection may take until sound can be sent. */
  connectMs?: number;
  /** Deepgram closes after 10 s without a word and asks for one every 3 to 5. */
  keepAliveMs?: number;
}

// Deepgram answers a flush for sure only while a noticeable amount of sound waits for it; when less than
// this is missing after a while, nothing more will come.
const negligibleMs = 500;
const graceMs = 400;
// Results end where frames of the engine's own end.
const toleranceMs = 40;
// A minute of sound that the server does not read.
const mostBuffered = 4 * 1024 * 1024;
const closeMs = 1_000;

/** Ears that hear while somebody speaks, over one connection for the whole call. */
export function liveRecogniser(dialect: LiveDialect, options: LiveOptions = {}): Recogniser {
  const streams = new Set<LiveStream>();
  return {
    open(recogniserOptions) {
      const stream = new LiveStream(dialect, recogniserOptions, options, () => streams.delete(stream));
      streams.add(stream);
      return stream;
    },
    async close() {
      for (const stream of streams) stream.close();
    },
  };
}

interface Flush {
  /** Of an utterance that nobody asks for any more: what comes before its answer is dropped. */
  isForeign: boolean;
  isSent: boolean;
  /** The sound of the connection that it asks for. */
  afterMs: number;
  atMs: number;
  resolve(): void;
  reject(error: unknown): void;
}

class LiveStream implements RecogniserStream {
  readonly isIncremental = true;
  readonly #dialect: LiveDialect;
  readonly #options: RecogniserOptions;
  readonly #connectMs: number;
  readonly #keepAliveMs: number;
  readonly #onClose: () => void;
  #socket: WebSocket | undefined;
  #isReady = false;
  #isClosed = false;
  #connectTimer: NodeJS.Timeout | undefined;
  #keepAliveTimer: NodeJS.Timeout | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #isQuiet = true;

  // Of the utterance; its frames are kept to be sent again when the connection breaks.
  #frames: Int16Array[] = [];
  #sentFrames = 0;
  #finals: Recognition[] = [];
  #interim: Recognition | undefined;
  #hasReopened = false;
  #error: unknown;

  // Of the connection: how much sound it has heard, and how much of it is settled.
  #sentMs = 0;
  #startMs = 0;
  #flushedMs = 0;
  #finalMs = 0;
  #flushes: Flush[] = [];

  constructor(dialect: LiveDialect, options: RecogniserOptions, live: LiveOptions, onClose: () => void) {
    this.#dialect = dialect;
    this.#options = options;
    this.#connectMs = live.connectMs ?? 5_000;
    this.#keepAliveMs = live.keepAliveMs ?? 4_000;
    this.#onClose = onClose;
    this.#connect();
  }

  hear(frame: Int16Array): void {
    if (this.#isClosed) return;
    this.#frames.push(frame.slice());
    if (this.#frames.length > mostFrames) {
      this.#frames.shift();
      this.#sentFrames = Math.max(0, this.#sentFrames - 1);
    }
    if (this.#error !== undefined) return;
    if (!this.#socket) this.#connect();
    this.#pump();
  }

  async recognise(purpose: RecognisePurpose): Promise<Recognition> {
    if (this.#isClosed) throw new EngineError('broken', 'closed');
    if (this.#error !== undefined) throw this.#error;
    const isAnswered = this.#sentFrames === this.#frames.length && this.#sentMs <= this.#flushedMs;
    const isComplete = this.#frames.length === 0 || (isAnswered && this.#flushes.length === 0);
    if (purpose === 'partial' || isComplete) return this.#heard();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#flushes.push({ isForeign: false, isSent: false, afterMs: 0, atMs: 0, resolve, reject });
    if (!this.#socket) this.#connect();
    this.#pump();
    await promise;
    return this.#heard();
  }

  next(): void {
    if (this.#isClosed) return;
    if (this.#flushes.some(({ isForeign }) => !isForeign)) {
      // It was asked and did not answer; the next utterance shall not wait for it.
      this.#drop();
      this.#rejectAll(new EngineError('broken', 'the utterance is over'));
    } else if (this.#sentFrames > 0 && this.#sentMs > this.#flushedMs) {
      this.#sendFlush({ isForeign: true, isSent: false, afterMs: 0, atMs: 0, resolve() {}, reject() {} });
    }
    this.#frames = [];
    this.#sentFrames = 0;
    this.#finals = [];
    this.#interim = undefined;
    this.#hasReopened = false;
    this.#error = undefined;
    this.#startMs = this.#sentMs;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const socket = this.#socket;
    const canSay = socket?.readyState === WebSocket.OPEN;
    if (canSay && this.#dialect.goodbye !== undefined) socket.send(this.#dialect.goodbye);
    this.#drop(canSay);
    this.#frames = [];
    this.#rejectAll(new EngineError('broken', 'closed'));
    this.#onClose();
  }

  #connect(): void {
    const { sampleRate, language } = this.#options;
    const { url, headers } = this.#dialect.connection({ sampleRate, ...(language !== undefined && { language }) });
    const socket = new WebSocket(url, {
      headers,
      perMessageDeflate: false,
      maxPayload: 1024 * 1024,
    });
    this.#socket = socket;
    this.#isReady = false;
    this.#connectTimer = setTimeout(
      () => this.#lose(socket, new EngineError('timeout', `not connected in ${this.#connectMs} ms`)),
      this.#connectMs,
    );
    socket.on('open', () => {
      if (socket === this.#socket && !this.#dialect.awaitsReady) this.#onReady();
    });
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      this.#lose(socket, errorOfStatus(response.statusCode ?? 0));
    });
    socket.on('message', (data, isBinary) => {
      if (socket === this.#socket && !isBinary) this.#onMessage(socket, String(data));
    });
    // Stays after the connection was given up: an error without a listener would end the process.
    socket.on('error', (error) => this.#lose(socket, networkError(error)));
    socket.on('close', (code) => this.#lose(socket, errorOfClose(code)));
  }

  #onReady(): void {
    clearTimeout(this.#connectTimer);
    this.#isReady = true;
    this.#sentMs = 0;
    this.#startMs = 0;
    this.#flushedMs = 0;
    this.#finalMs = 0;
    const { keepAlive } = this.#dialect;
    if (keepAlive !== undefined) {
      this.#keepAliveTimer = setInterval(() => {
        if (this.#isQuiet) this.#socket?.send(keepAlive);
        this.#isQuiet = true;
      }, this.#keepAliveMs);
    }
    this.#pump();
  }

  #pump(): void {
    const socket = this.#socket;
    if (!socket || !this.#isReady || socket.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount > mostBuffered) {
      this.#lose(socket, new EngineError('broken', 'the server does not read'));
      return;
    }
    for (const frame of this.#frames.slice(this.#sentFrames)) {
      socket.send(this.#dialect.sound(frame));
      this.#sentMs += (frame.length / this.#options.sampleRate) * 1000;
    }
    if (this.#frames.length > this.#sentFrames) this.#isQuiet = false;
    this.#sentFrames = this.#frames.length;
    for (const flush of this.#flushes.filter(({ isSent }) => !isSent)) {
      this.#flushes = this.#flushes.filter((each) => each !== flush);
      this.#sendFlush(flush);
    }
  }

  #sendFlush(flush: Flush): void {
    flush.isSent = true;
    flush.afterMs = this.#flushedMs;
    flush.atMs = this.#sentMs;
    this.#flushedMs = this.#sentMs;
    this.#flushes.push(flush);
    this.#socket?.send(this.#dialect.flush);
    clearTimeout(this.#graceTimer);
    this.#graceTimer = setTimeout(() => {
      if (this.#finalMs > this.#startMs + toleranceMs) this.#settleUntil(this.#finalMs + negligibleMs);
    }, graceMs);
  }

  #onMessage(socket: WebSocket, text: string): void {
    const event = this.#dialect.read(jsonOf(text));
    if (event?.kind === 'ready') {
      if (!this.#isReady) this.#onReady();
    } else if (event?.kind === 'failed') {
      this.#lose(socket, event.error);
    } else if (event) {
      this.#onHeard(event);
    }
  }

  #onHeard({ text, confidence, isFinal, isFlushed, endMs }: LiveEvent & { kind: 'heard' }): void {
    const belongs = endMs === undefined ? this.#flushes[0]?.isForeign !== true : endMs > this.#startMs + toleranceMs;
    if (belongs) {
      this.#interim = isFinal || text === '' ? undefined : { text, confidence };
      if (isFinal && text !== '') this.#finals.push({ text, confidence });
      if (text !== '') this.#options.onPartial?.(this.#heard());
    }
    if (!isFinal) return;
    if (endMs === undefined) {
      if (isFlushed) this.#flushes.shift()?.resolve();
      return;
    }
    this.#finalMs = Math.max(this.#finalMs, endMs);
    this.#settleUntil(endMs + toleranceMs);
    // The answer to an earlier flush, which its text had already settled, ends where that one did.
    const [first] = this.#flushes;
    if (isFlushed && first && endMs > first.afterMs + toleranceMs) this.#flushes.shift()?.resolve();
  }

  #settleUntil(ms: number): void {
    while (this.#flushes[0]?.isSent && this.#flushes[0].atMs <= ms) this.#flushes.shift()?.resolve();
  }

  #heard(): Recognition {
    const parts = this.#interim ? [...this.#finals, this.#interim] : this.#finals;
    const letters = parts.reduce((sum, { text }) => sum + text.length, 0);
    const weighed = parts.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
    return {
      text: parts.map(({ text }) => text).join(' '),
      confidence: letters === 0 ? 0 : Math.min(1, Math.max(0, weighed / letters)),
    };
  }

  /** The connection is gone. An utterance that was under way is told once more to a new one. */
  #lose(socket: WebSocket, error: unknown): void {
    if (socket !== this.#socket) return;
    this.#drop();
    if (this.#isClosed || this.#frames.length === 0) return;
    const isHopeless = error instanceof EngineError && error.code === 'unauthorised';
    if (isHopeless || this.#hasReopened) {
      this.#error = error;
      this.#rejectAll(error);
      return;
    }
    this.#hasReopened = true;
    this.#finals = [];
    this.#interim = undefined;
    this.#connect();
  }

  #drop(isPolite = false): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isReady = false;
    this.#sentFrames = 0;
    clearTimeout(this.#connectTimer);
    clearTimeout(this.#graceTimer);
    clearInterval(this.#keepAliveTimer);
    this.#flushes = this.#flushes.filter(({ isForeign }) => !isForeign);
    for (const flush of this.#flushes) flush.isSent = false;
    if (!isPolite || !socket) {
      socket?.terminate();
      return;
    }
    const timer = setTimeout(() => socket.terminate(), closeMs);
    socket.once('close', () => clearTimeout(timer));
    socket.close(1000);
  }

  #rejectAll(error: unknown): void {
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const flush of flushes) flush.reject(error);
  }
}

function networkError(error: Error): unknown {
  const known = asEngineError(error);
  return known instanceof EngineError ? known : new EngineError('broken', 'the connection broke');
}

function errorOfClose(code: number): EngineError {
  return new EngineError(code === 1008 ? 'refused' : 'broken', `the connection was closed (${code})`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { MediaCommand, MediaEvent } from './media-messages.ts';
import type { MediaReport } from './media-report.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';

export type Played = { playedMs: number; isComplete: boolean };

export type MediaLineHandlers = {
  /** 20 ms of what the peer said, at the rate of the codec. */
  onHeard?: (pcm: Int16Array) => void;
  onDigit?: (digit: string) => void;
  /** Nothing has come from the peer for a long time. */
  onStalled?: () => void;
  onRecordingFailed?: (reason: string) => void;
  /** The media cannot go on. */
  onFailure?: (error: Error) => void;
};

/** The voice of one call, seen from outside of its thread. */
export class MediaLine {
  readonly opened: Promise<MediaLine>;
  readonly host: string;
  readonly #id: number;
  readonly #send: (command: MediaCommand, transfer?: ArrayBuffer[]) => void;
  readonly #closed = Promise.withResolvers<MediaReport>();
  readonly #opening = Promise.withResolvers<MediaLine>();
  readonly #playing = new Map<number, (played: Played) => void>();
  #reports: ((report: MediaReport) => void)[] = [];
  #handlers: MediaLineHandlers = {};
  #port = 0;
  #lastPlayback = 0;
  #isClosed = false;

  constructor(id: number, host: string, send: (command: MediaCommand, transfer?: ArrayBuffer[]) => void) {
    this.#id = id;
    this.host = host;
    this.#send = send;
    this.opened = this.#opening.promise;
  }

  /** The local port of RTP; RTCP has the next one. */
  get port(): number {
    return this.#port;
  }

  set handlers(handlers: MediaLineHandlers) {
    this.#handlers = handlers;
    this.#send({ kind: 'hear', id: this.#id, hears: handlers.onHeard !== undefined });
  }

  /** Begins to speak and listen, or goes on as newly agreed. */
  connect(media: NegotiatedMedia): void {
    this.#send({ kind: 'connect', id: this.#id, media });
  }

  /** Says something after what is being said; resolves when it was said or stopped. The samples are given away. */
  play(pcm: Int16Array): Promise<Played> {
    if (this.#isClosed) return Promise.resolve({ playedMs: 0, isComplete: false });
    const playback = ++this.#lastPlayback;
    return new Promise((resolve) => {
      this.#playing.set(playback, resolve);
      const given = pcm.byteLength === pcm.buffer.byteLength && pcm.buffer instanceof ArrayBuffer ? pcm : pcm.slice();
      this.#send({ kind: 'play', id: this.#id, playback, pcm: given }, [given.buffer as ArrayBuffer]);
    });
  }

  stopPlaying(): void {
    this.#send({ kind: 'stop-playing', id: this.#id });
  }

  sendDigits(digits: string): void {
    this.#send({ kind: 'send-digits', id: this.#id, digits });
  }

  /** Records both sides from now on: ours left, theirs right. */
  record(path: string): void {
    this.#send({ kind: 'record', id: this.#id, path });
  }

  report(): Promise<MediaReport> {
    if (this.#isClosed) return this.#closed.promise;
    return new Promise((resolve) => {
      this.#reports.push(resolve);
      this.#send({ kind: 'report', id: this.#id });
    });
  }

  /** Frees the ports and finishes the recording; how well the call could be heard. */
  close(): Promise<MediaReport> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#send({ kind: 'close', id: this.#id });
    }
    return this.#closed.promise;
  }

  onEvent(event: MediaEvent): void {
    switch (event.kind) {
      case 'opened':
        this.#port = event.port;
        return this.#opening.resolve(this);
      case 'not-opened':
        return this.#end(noReport, new Error(event.reason));
      case 'played':
        this.#playing.get(event.playback)?.({ playedMs: event.playedMs, isComplete: event.isComplete });
        this.#playing.delete(event.playback);
        return;
      case 'heard':
        return this.#handlers.onHeard?.(event.pcm);
      case 'digit':
        return this.#handlers.onDigit?.(event.digit);
      case 'stalled':
        return this.#handlers.onStalled?.();
      case 'recording-failed':
        return this.#handlers.onRecordingFailed?.(event.reason);
      case 'failed':
        return this.#handlers.onFailure?.(event.error);
      case 'report':
        return this.#reports.shift()?.(event.report);
      case 'closed':
        return this.#end(event.report, new Error('The line was closed'));
    }
  }

  onFailure(error: Error): void {
    this.#handlers.onFailure?.(error);
    this.#end(noReport, error);
  }

  #end(report: MediaReport, error: Error): void {
    this.#isClosed = true;
    this.#closed.resolve(report);
    this.#opening.reject(error);
    this.#opening.promise.catch(() => {});
    for (const resolve of this.#playing.values()) resolve({ playedMs: 0, isComplete: false });
    this.#playing.clear();
    for (const resolve of this.#reports) resolve(report);
    this.#reports = [];
  }
}

export const noReport: MediaReport = {
  sentPackets: 0,
  receivedPackets: 0,
  lostPackets: 0,
  latePackets: 0,
  concealedMs: 0,
  jitterMs: 0,
  roundTripMs: null,
  peerLostPackets: null,
  peerJitterMs: null,
  rejectedPackets: 0,
};

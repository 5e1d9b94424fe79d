import type { Lateness } from './frame-clock.ts';
import type { MediaReport } from './media-report.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';

/** What the thread of the media is told. */
export type MediaCommand =
  | { kind: 'open'; id: number }
  | { kind: 'connect'; id: number; media: NegotiatedMedia }
  | { kind: 'play'; id: number; playback: number; pcm: Int16Array }
  | { kind: 'stop-playing'; id: number }
  | { kind: 'send-digits'; id: number; digits: string }
  | { kind: 'hear'; id: number; hears: boolean }
  | { kind: 'record'; id: number; path: string }
  | { kind: 'report'; id: number }
  | { kind: 'close'; id: number }
  | { kind: 'lateness' }
  | { kind: 'end' };

/** What it tells. */
export type MediaEvent =
  | { kind: 'opened'; id: number; port: number }
  | { kind: 'not-opened'; id: number; reason: string }
  | { kind: 'played'; id: number; playback: number; playedMs: number; isComplete: boolean }
  | { kind: 'heard'; id: number; pcm: Int16Array }
  | { kind: 'digit'; id: number; digit: string }
  | { kind: 'stalled'; id: number }
  | { kind: 'recording-failed'; id: number; reason: string }
  | { kind: 'failed'; id: number; error: Error }
  | { kind: 'report'; id: number; report: MediaReport }
  | { kind: 'closed'; id: number; report: MediaReport }
  | { kind: 'lateness'; lateness: Lateness; freePorts: number };

export type MediaThreadOptions = {
  /** The local address of all calls. */
  host: string;
  ports: { from: number; to: number };
  /** Direct calls of the kernel where it is Linux, unless told otherwise. */
  sockets: 'direct' | 'dgram';
  /** How long nothing may come from a peer until its line is told; 20 s when left out. */
  stalledAfterMs?: number;
};

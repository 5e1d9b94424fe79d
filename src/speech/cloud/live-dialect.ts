import type { LineRate } from '../ports.ts';
import type { EngineError } from './engine-error.ts';

export type LiveEvent =
  /** Sound may be sent now. */
  | { kind: 'ready' }
  | {
      kind: 'heard';
      text: string;
      confidence: number;
      /** Will not change any more. */
      isFinal: boolean;
      /** Answers a flush. */
      isFlushed: boolean;
      /** How far into the sound of this connection it goes, where the engine tells. */
      endMs?: number;
    }
  | { kind: 'failed'; error: EngineError };

/** How an engine is spoken to over a WebSocket. */
export interface LiveDialect {
  connection(options: { sampleRate: LineRate; language?: string }): { url: string; headers: Record<string, string> };
  /** Whether sound has to wait for the `ready` event. */
  awaitsReady: boolean;
  sound(frame: Int16Array): string | Uint8Array;
  /** Asks for the text of all sound so far. */
  flush: string;
  /** Said now and then while nobody speaks. */
  keepAlive?: string;
  goodbye?: string;
  read(message: unknown): LiveEvent | undefined;
}

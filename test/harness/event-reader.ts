import { after } from 'node:test';
import { readEventStream } from '../../src/cli/event-stream.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
export type ReadEvent = { id: string; data: any };

export type EventReader = {
  /** Kept here, since a response that nobody holds is cancelled when memory is tidied up. */
  response: Response;
  /** The next event; undefined once the stream has ended. */
  next(): Promise<ReadEvent | undefined>;
  /** The next so many. */
  take(count: number): Promise<ReadEvent[]>;
  /** All that comes until the end. */
  rest(): Promise<ReadEvent[]>;
  close(): void;
};

/** Somebody who watches. */
export async function openReader(url: string, headers: Record<string, string>): Promise<EventReader> {
  const stop = new AbortController();
  after(() => stop.abort());
  const response = await fetch(url, { headers, signal: stop.signal });
  const events = response.body ? readEventStream(response.body) : undefined;
  const reader: EventReader = {
    response,
    async next() {
      const read = await events?.next();
      if (!read || read.done) return undefined;
      return { id: read.value.id, data: JSON.parse(read.value.data) };
    },
    async take(count) {
      const taken: ReadEvent[] = [];
      while (taken.length < count) {
        const event = await reader.next();
        if (!event) break;
        taken.push(event);
      }
      return taken;
    },
    rest: () => reader.take(Number.POSITIVE_INFINITY),
    close: () => stop.abort(),
  };
  return reader;
}

import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { exitCode, Failure } from './failure.ts';

/** A file being read piece by piece, or stdin. */
export type Source = {
  chunks: AsyncIterable<Uint8Array>;
  /** Unknown for pipes. */
  size: number | undefined;
  bytesRead(): number;
  /** Also ends waiting for a pipe that goes on. */
  close(): void;
};

export async function openSource(path: string, signal: AbortSignal): Promise<Source> {
  const { stream, size } = path === '-' ? { stream: process.stdin, size: undefined } : await openFile(path);
  addAbortSignal(signal, stream);
  let bytes = 0;
  async function* count() {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw signal.aborted ? new Failure(exitCode.interrupted, 'Stopped.') : error;
    }
  }
  return { chunks: count(), size, bytesRead: () => bytes, close: () => void stream.destroy() };
}

async function openFile(path: string): Promise<{ stream: Readable; size: number | undefined }> {
  try {
    const file = await open(path);
    const found = await file.stat();
    if (found.isDirectory()) {
      await file.close();
      throw new Error('it is a directory');
    }
    return { stream: file.createReadStream(), size: found.isFile() ? found.size : undefined };
  } catch (error) {
    throw new Failure(exitCode.usage, `${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Text with every line ending in \n, whatever the file has; a byte order mark chooses the encoding and is dropped. */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let held = ''; // a \r whose \n may come with the next chunk
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    const text = held + decoder.decode(chunk, { stream: true });
    held = text.endsWith('\r') ? '\r' : '';
    yield withPlainLineEnds(text.slice(0, text.length - held.length));
  }
  yield withPlainLineEnds(held + (decoder?.decode() ?? ''));
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function withPlainLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

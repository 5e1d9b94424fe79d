import { type FileHandle, open } from 'node:fs/promises';
import { wavHeader, wavHeaderBytes } from './wav.ts';

const frameBytes = 4;
const flushAfterSeconds = 1;
const mostSecondsBehind = 10;

/**
 * Records a call to a WAV file: us on the left, them on the right, or however the caller has it. The sizes in the
 * header follow each flush, so that what a crash leaves can be played.
 */
export class StereoRecorder {
  readonly #file: FileHandle;
  readonly #sampleRate: number;
  /** What is not yet on its way to the disk. */
  #pending: Buffer;
  #pendingBytes = 0;
  #writtenBytes = 0;
  #flushing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #error: Error | undefined;

  static async open(path: string, sampleRate: number): Promise<StereoRecorder> {
    const file = await open(path, 'w', 0o600);
    try {
      await file.write(wavHeader(sampleRate, 2, 0), 0, wavHeaderBytes, 0);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new StereoRecorder(file, sampleRate);
  }

  private constructor(file: FileHandle, sampleRate: number) {
    this.#file = file;
    this.#sampleRate = sampleRate;
    this.#pending = this.#newPending();
  }

  /** The first that went wrong; what was recorded until then is in the file. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** The shorter side is filled up with silence. */
  write(left: Int16Array, right: Int16Array): void {
    if (this.#error || this.#closing) return;
    const frames = Math.max(left.length, right.length);
    if (!this.#makeRoom(frames * frameBytes)) return;
    interleave(left, this.#pending, this.#pendingBytes, frames);
    interleave(right, this.#pending, this.#pendingBytes + 2, frames);
    this.#pendingBytes += frames * frameBytes;
    if (this.#pendingBytes >= this.#secondsBytes(flushAfterSeconds)) this.#flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await this.#flushing;
    this.#flush();
    await this.#flushing;
    try {
      await this.#file.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Grows the buffer of a disk that lags, until it lags too much. */
  #makeRoom(bytes: number): boolean {
    const needed = this.#pendingBytes + bytes;
    if (needed <= this.#pending.length) return true;
    if (needed > this.#secondsBytes(mostSecondsBehind)) {
      this.#fail(new Error(`The disk is ${mostSecondsBehind} s behind the recording`));
      return false;
    }
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#pending.length * 2));
    this.#pending.copy(larger, 0, 0, this.#pendingBytes);
    this.#pending = larger;
    return true;
  }

  /** One at a time, so that the disk gets everything in order. */
  #flush(): void {
    if (this.#flushing || this.#pendingBytes === 0) return;
    const data = this.#pending.subarray(0, this.#pendingBytes);
    this.#pending = this.#newPending();
    this.#pendingBytes = 0;
    this.#flushing = this.#store(data).finally(() => {
      this.#flushing = undefined;
    });
  }

  async #store(data: Buffer): Promise<void> {
    try {
      await this.#writeAll(data, wavHeaderBytes + this.#writtenBytes);
      this.#writtenBytes += data.length;
      // Only now: a header never tells of data that is not there.
      await this.#writeAll(wavHeader(this.#sampleRate, 2, this.#writtenBytes), 0);
    } catch (error) {
      this.#fail(error);
      // What follows a hole would play too early.
      this.#pendingBytes = 0;
    }
  }

  async #writeAll(data: Buffer, position: number): Promise<void> {
    let done = 0;
    while (done < data.length) {
      const { bytesWritten } = await this.#file.write(data, done, data.length - done, position + done);
      done += bytesWritten;
    }
  }

  #fail(error: unknown): void {
    this.#error ??= error instanceof Error ? error : new Error(String(error));
  }

  #newPending(): Buffer {
    return Buffer.allocUnsafe(this.#secondsBytes(flushAfterSeconds) * 1.25);
  }

  #secondsBytes(seconds: number): number {
    return seconds * this.#sampleRate * frameBytes;
  }
}

function interleave(side: Int16Array, target: Buffer, offset: number, frames: number): void {
  let at = offset;
  for (let frame = 0; frame < side.length; frame++) {
    const sample = side[frame] as number;
    target[at] = sample;
    target[at + 1] = sample >> 8;
    at += frameBytes;
  }
  for (let frame = side.length; frame < frames; frame++) {
    target[at] = 0;
    target[at + 1] = 0;
    at += frameBytes;
  }
}

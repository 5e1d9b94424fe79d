import { EngineError } from './engine-error.ts';
import { StreamingResampler } from './streaming-resampler.ts';

// Where a WAV header has not ended after this much, it is none.
const longestHeader = 4096;

/**
 * Sound as it comes from a server, in chunks of any size: 16-bit PCM, with a WAV header or without. The
 * header has the last word about the sample rate, since not every server heeds the one that was asked for.
 */
export class PcmReader {
  readonly #toRate: number;
  #fromRate: number;
  #resampler: StreamingResampler | undefined;
  #rest: Uint8Array = new Uint8Array();
  #channels = 1;
  #dataLeft = Number.POSITIVE_INFINITY;

  constructor(fromRate: number, toRate: number) {
    this.#fromRate = fromRate;
    this.#toRate = toRate;
  }

  push(chunk: Uint8Array): Int16Array {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#resampler) {
      const start = this.#readHeader(bytes);
      if (start === undefined) {
        this.#rest = bytes;
        return new Int16Array();
      }
      bytes = bytes.subarray(start);
      this.#resampler = new StreamingResampler(this.#fromRate, this.#toRate);
    }
    const frameBytes = 2 * this.#channels;
    const usable = Math.min(bytes.length, this.#dataLeft);
    const whole = usable - (usable % frameBytes);
    this.#dataLeft -= whole;
    // What follows the sound in a WAV file is about it.
    this.#rest = this.#dataLeft < frameBytes ? new Uint8Array() : new Uint8Array(bytes.subarray(whole));
    const view = new DataView(bytes.buffer, bytes.byteOffset, whole);
    const pcm = new Int16Array(whole / frameBytes);
    for (let at = 0; at < pcm.length; at++) pcm[at] = view.getInt16(at * frameBytes, true);
    return this.#resampler.push(pcm);
  }

  end(): Int16Array {
    if (this.#resampler) return this.#resampler.end();
    if (this.#rest.length >= 4) throw new EngineError('unreadable', 'the sound ended in its header');
    return new Int16Array();
  }

  /** Where the samples begin, once that is known. */
  #readHeader(bytes: Uint8Array): number | undefined {
    if (bytes.length < 4) return undefined;
    const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const magic = header.toString('latin1', 0, 4);
    if (magic.startsWith('ID3') || magic === 'OggS' || magic === 'fLaC') {
      throw new EngineError('unreadable', 'the sound is neither PCM nor WAV');
    }
    if (magic !== 'RIFF') return 0;
    let hasFormat = false;
    for (let at = 12; at + 8 <= bytes.length; ) {
      const chunk = header.toString('latin1', at, at + 4);
      const size = header.readUInt32LE(at + 4);
      if (chunk === 'data') {
        if (!hasFormat) throw new EngineError('unreadable', 'the WAV header says nothing of the format');
        // Written while the length was not known yet: to the end of the stream.
        if (size !== 0 && size < 0x7fff_0000) this.#dataLeft = size;
        return at + 8;
      }
      if (chunk === 'fmt ' && at + 24 <= bytes.length) {
        this.#readFormat(header, at + 8);
        hasFormat = true;
      }
      at += 8 + size + (size & 1);
    }
    if (bytes.length > longestHeader) throw new EngineError('unreadable', 'the WAV header does not end');
    return undefined;
  }

  #readFormat(bytes: Buffer, at: number): void {
    const format = bytes.readUInt16LE(at);
    const bits = bytes.readUInt16LE(at + 14);
    this.#channels = bytes.readUInt16LE(at + 2);
    this.#fromRate = bytes.readUInt32LE(at + 4);
    const isPcm = (format === 1 || format === 0xfffe) && bits === 16;
    if (!isPcm || this.#channels < 1 || this.#fromRate < 4_000 || this.#fromRate > 192_000) {
      throw new EngineError('unreadable', `WAV of format ${format} with ${bits} bits`);
    }
  }
}

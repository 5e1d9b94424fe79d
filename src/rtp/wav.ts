import { aLawSamples, muLawSamples } from './g711.ts';

export type Wav = { sampleRate: number; channels: Int16Array[] };

type Format = { kind: number; channels: number; sampleRate: number; bits: number };

const formatPcm = 1;
const formatFloat = 3;
const formatALaw = 6;
const formatMuLaw = 7;
const formatExtensible = 0xfffe;

/** Reads a RIFF WAVE file; throws an Error that says why it cannot. */
export function readWav(bytes: Buffer): Wav {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('This is no WAV file: it does not begin with RIFF and WAVE');
  }
  let format: Format | undefined;
  let at = 12;
  while (at + 8 <= bytes.length) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const chunk = bytes.subarray(at + 8, at + 8 + size);
    if (name === 'fmt ') format = readFormat(chunk);
    if (name === 'data') {
      if (!format) throw new Error('The WAV file has its data before its format');
      // A writer that streams does not know the size yet: it left 0 or all ones, and the data goes to the end.
      const data = size === 0 ? bytes.subarray(at + 8) : chunk;
      return { sampleRate: format.sampleRate, channels: readChannels(data, format) };
    }
    // Chunks lie at even offsets.
    at += 8 + size + (size & 1);
  }
  throw new Error(`The WAV file has no ${format ? 'data' : 'format'}`);
}

function readFormat(chunk: Buffer): Format {
  if (chunk.length < 16) throw new Error('The format of the WAV file is cut short');
  const format = {
    kind: chunk.readUInt16LE(0),
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    bits: chunk.readUInt16LE(14),
  };
  if (format.kind === formatExtensible) {
    if (chunk.length < 26) throw new Error('The format of the WAV file is cut short');
    format.kind = chunk.readUInt16LE(24);
  }
  if (format.channels === 0) throw new Error('The WAV file has no channels');
  if (format.sampleRate === 0) throw new Error('The WAV file has a sample rate of 0');
  return format;
}

function readChannels(data: Buffer, { kind, channels, bits }: Format): Int16Array[] {
  const read = sampleReader(kind, bits);
  const sampleBytes = bits / 8;
  const frameBytes = sampleBytes * channels;
  const frames = Math.floor(data.length / frameBytes);
  return Array.from({ length: channels }, (_, channel) => {
    const pcm = new Int16Array(frames);
    for (let frame = 0; frame < frames; frame++) pcm[frame] = read(data, frame * frameBytes + channel * sampleBytes);
    return pcm;
  });
}

/** Gives the sample at an offset as one of 16 bits. */
function sampleReader(kind: number, bits: number): (data: Buffer, at: number) => number {
  switch (`${kind}/${bits}`) {
    case `${formatPcm}/8`:
      return (data, at) => ((data[at] as number) - 128) << 8;
    case `${formatPcm}/16`:
      return (data, at) => data.readInt16LE(at);
    case `${formatPcm}/24`:
      return (data, at) => data.readInt16LE(at + 1);
    case `${formatPcm}/32`:
      return (data, at) => data.readInt16LE(at + 2);
    case `${formatFloat}/32`:
      return (data, at) => Math.max(-32768, Math.min(32767, Math.round(data.readFloatLE(at) * 32768)));
    case `${formatALaw}/8`:
      return (data, at) => aLawSamples[data[at] as number] as number;
    case `${formatMuLaw}/8`:
      return (data, at) => muLawSamples[data[at] as number] as number;
    default:
      throw new Error(`The WAV file has a format that cannot be read: ${kind} with ${bits} bits a sample`);
  }
}

export const wavHeaderBytes = 44;
const largest = 0xffff_ffff;

/** Of a file of 16-bit PCM; a size that does not fit is written as unknown. */
export function wavHeader(sampleRate: number, channels: number, dataBytes: number): Buffer {
  const header = Buffer.alloc(wavHeaderBytes);
  header.write('RIFF', 0);
  header.writeUInt32LE(Math.min(largest, dataBytes + wavHeaderBytes - 8), 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(formatPcm, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(Math.min(largest, dataBytes), 40);
  return header;
}

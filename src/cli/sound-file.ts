import { readFile } from 'node:fs/promises';
import { resample } from '../rtp/resample.ts';
import { readWav } from '../rtp/wav.ts';
import { exitCode, Failure } from './failure.ts';

/** A WAV file as one voice, at whatever rate a call wants. */
export type Sound = { seconds: number; rate: number; at(sampleRate: number): Int16Array };

export async function loadSound(path: string): Promise<Sound> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(exitCode.usage, `${path} cannot be read: ${error.message}`);
  });
  try {
    const { sampleRate: rate, channels } = readWav(bytes);
    const mono = mixed(channels);
    return {
      seconds: mono.length / rate,
      rate,
      at: (sampleRate) => (sampleRate === rate ? mono.slice() : resample(mono, rate, sampleRate)),
    };
  } catch (error) {
    throw new Failure(exitCode.usage, `${path} cannot be used: ${(error as Error).message}`);
  }
}

function mixed([first = new Int16Array(), ...others]: Int16Array[]): Int16Array {
  if (others.length === 0) return first;
  const all = [first, ...others];
  return first.map((_, i) => all.reduce((sum, channel) => sum + (channel[i] ?? 0), 0) / all.length);
}

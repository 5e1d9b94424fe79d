import { joined } from '../rtp/pcm.ts';
import type { LineRate, Tts } from '../speech/ports.ts';

/** Voices of the embedded engine, none of which an assistant has unless it is given it. */
export type VoiceName = 'rms' | 'awb' | 'kal16';

/** Gives the people of the simulated network something to say with. */
export type Voice = (text: string, sampleRate: LineRate, name: VoiceName) => Promise<Int16Array>;

/** Says the words. */
export function spoken(tts: Tts): Voice {
  return async (text, sampleRate, voice) => {
    const pieces: Int16Array[] = [];
    for await (const piece of tts.speak({ text, voice, sampleRate })) pieces.push(piece);
    return joined(...pieces);
  };
}

const syllableMs = 160;
const pauseMs = 60;

/** A voice without words: it hums each syllable, so that something is heard for as long as the text would take. */
export async function hum(text: string, sampleRate: number): Promise<Int16Array> {
  const syllables = [...text.toLowerCase().matchAll(/[aeiouy]+|[.,!?]/g)].map(([sound]) => sound);
  const samplesOf = (ms: number) => Math.round((ms * sampleRate) / 1000);
  const parts = syllables.flatMap((sound, i) =>
    /[.,!?]/.test(sound)
      ? [new Int16Array(samplesOf(3 * pauseMs))]
      : [note(140 + 25 * ((sound.codePointAt(0) ?? 0) % 5) + 5 * (i % 3), samplesOf(syllableMs), sampleRate)],
  );
  return joined(...parts);
}

/** A vibrating sound with a few overtones that swells and fades. */
function note(pitch: number, length: number, sampleRate: number): Int16Array {
  return Int16Array.from({ length }, (_, i) => {
    const phase = (2 * Math.PI * pitch * i) / sampleRate;
    const tone = Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.3 * Math.sin(5 * phase);
    return 5_000 * Math.sin((Math.PI * i) / length) * tone;
  });
}

/** What an answering machine ends its greeting with. */
export function beep(sampleRate: number): Int16Array {
  const length = Math.round(0.5 * sampleRate);
  return Int16Array.from({ length }, (_, i) => 8_000 * Math.sin((2 * Math.PI * 1_000 * i) / sampleRate));
}

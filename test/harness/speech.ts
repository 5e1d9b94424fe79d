import { joined } from '../../src/rtp/pcm.ts';
import type { LineRate, Listener, SpeakRequest, Transcript, Tts } from '../../src/speech/ports.ts';

export const frameMs = 20;

/** All the sound of a text in one piece. */
export async function spokenWhole(tts: Tts, request: SpeakRequest): Promise<Int16Array> {
  const pieces: Int16Array[] = [];
  for await (const piece of tts.speak(request)) pieces.push(piece);
  return joined(...pieces);
}

export function quiet(ms: number, sampleRate: LineRate): Int16Array {
  return new Int16Array((ms * sampleRate) / 1_000);
}

/** Gives a listener the sound frame by frame, and waits wherever it is still thinking. */
export async function hearAll(listener: Listener, sound: Int16Array, sampleRate: LineRate): Promise<void> {
  for (const frame of framesOf(sound, sampleRate)) {
    listener.hear(frame);
    await listener.settled();
  }
  await listener.end();
}

export function* framesOf(sound: Int16Array, sampleRate: LineRate): Generator<Int16Array> {
  const size = (sampleRate * frameMs) / 1_000;
  for (let at = 0; at + size <= sound.length; at += size) yield sound.slice(at, at + size);
}

export const wholeText = (transcripts: Transcript[]) => transcripts.map(({ text }) => text).join(' ');

import { loadSpeechConfig } from '../config.ts';
import { openSpeech } from '../speech/open-speech.ts';
import type { Stt, Tts } from '../speech/ports.ts';
import { remark } from './output.ts';

/** Voice and ears for one command, as the settings choose them. */
export async function withSpeech<T>(use: (speech: { tts: Tts; stt: Stt }) => Promise<T>): Promise<T> {
  const config = loadSpeechConfig();
  const speech = await openSpeech({ ...config, workers: config.workers ?? 1, isLazy: true });
  try {
    return await use(
      speech.forCall(({ engine, detail }) => remark(`${engine}: ${detail}; the embedded engine takes over`)),
    );
  } finally {
    await speech.close();
  }
}

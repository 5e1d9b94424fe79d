import { EngineError } from './engine-error.ts';
import { PcmReader } from './pcm-reader.ts';
import type { Speaker } from './rendered-tts.ts';
import { asSdkError } from './sdk-error.ts';

/** Google and Mistral through the AI SDK: the sound comes as one file. */
export function sdkSpeaker(
  vendor: 'google' | 'mistral',
  model: string,
  access: { baseUrl: string; apiKey: string },
  defaultVoice: string | undefined,
): Speaker {
  return async function* (utterance, signal) {
    // Loaded when it is used: most installations never do.
    const [{ generateSpeech }, speechModel] = await Promise.all([import('ai'), openSpeechModel(vendor, model, access)]);
    const voice = utterance.voice ?? defaultVoice;
    const speech = await generateSpeech({
      model: speechModel,
      text: utterance.text,
      outputFormat: 'wav',
      maxRetries: 0,
      abortSignal: signal,
      ...(voice !== undefined && { voice }),
    }).catch(async (error: unknown) => {
      throw await asSdkError(error);
    });
    const bytes = speech.audio.uint8Array;
    if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') !== 'RIFF') {
      throw new EngineError('unreadable', 'the sound is no WAV');
    }
    const reader = new PcmReader(utterance.sampleRate, utterance.sampleRate);
    yield reader.push(bytes);
    yield reader.end();
  };
}

async function openSpeechModel(
  vendor: 'google' | 'mistral',
  model: string,
  { baseUrl: baseURL, apiKey }: { baseUrl: string; apiKey: string },
) {
  if (vendor === 'google') return (await import('@ai-sdk/google')).createGoogle({ baseURL, apiKey }).speech(model);
  return (await import('@ai-sdk/mistral')).createMistral({ baseURL, apiKey }).speech(model);
}

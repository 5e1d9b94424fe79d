import { asSdkError } from './sdk-error.ts';
import { type Transcriber, unknownConfidence } from './utterance-recogniser.ts';

/** Mistral's Voxtral through the AI SDK. */
export function mistralTranscriber(model: string, access: { baseUrl: string; apiKey: string }): Transcriber {
  return async (wav, { language, signal }) => {
    // Loaded when it is used: most installations never do.
    const [{ transcribe, NoTranscriptGeneratedError }, { createMistral }] = await Promise.all([
      import('ai'),
      import('@ai-sdk/mistral'),
    ]);
    const code = language?.split('-')[0];
    try {
      const { text } = await transcribe({
        model: createMistral({ baseURL: access.baseUrl, apiKey: access.apiKey }).transcription(model),
        audio: wav,
        maxRetries: 0,
        abortSignal: signal,
        ...(code && { providerOptions: { mistral: { language: code } } }),
      });
      return { text: text.trim(), confidence: unknownConfidence };
    } catch (error) {
      if (NoTranscriptGeneratedError.isInstance(error)) return { text: '', confidence: 0 };
      throw await asSdkError(error);
    }
  };
}

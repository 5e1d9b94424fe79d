import type { Recogniser } from '../ports.ts';
import { deepgramDialect } from './deepgram-live.ts';
import { type CloudEngine, describeEngine, type VendorSettings, vendorAccess } from './engine-name.ts';
import { openAiTranscriber, scribeTranscriber } from './http-transcriber.ts';
import { type LiveOptions, liveRecogniser } from './live-recogniser.ts';
import { scribeDialect } from './scribe-live.ts';
import { mistralTranscriber } from './sdk-transcriber.ts';
import { utteranceRecogniser } from './utterance-recogniser.ts';

/** A vendor's ears. */
export function openRecogniser(engine: CloudEngine, settings: VendorSettings, options: LiveOptions = {}): Recogniser {
  const { vendor, model } = engine;
  const access = vendorAccess(engine, settings);
  switch (vendor) {
    case 'openai':
      return utteranceRecogniser(openAiTranscriber(model, access, { isStreaming: model !== 'whisper-1' }));
    case 'openai-compatible':
    case 'groq':
      return utteranceRecogniser(openAiTranscriber(model, access));
    case 'mistral':
      return utteranceRecogniser(mistralTranscriber(model, access));
    case 'deepgram':
      return liveRecogniser(deepgramDialect(model, access), options);
    case 'elevenlabs':
      return model.endsWith('_realtime')
        ? liveRecogniser(scribeDialect(model, access), options)
        : utteranceRecogniser(scribeTranscriber(model, access));
    case 'google':
    case 'anthropic':
      throw new Error(`${describeEngine(engine)} has no ears`);
  }
}

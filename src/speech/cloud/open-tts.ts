import type { Tts } from '../ports.ts';
import { type CloudEngine, describeEngine, type VendorSettings, vendorAccess } from './engine-name.ts';
import { httpSpeaker, type SpeechCall } from './http-speaker.ts';
import { renderedTts, type Speaker, type Utterance } from './rendered-tts.ts';
import { sdkSpeaker } from './sdk-speaker.ts';

type Access = { baseUrl: string; apiKey: string };

/** A vendor's voice; `voice` is the one that speaks when a request names none. */
export function openTts(engine: CloudEngine, settings: VendorSettings, options: { voice?: string } = {}): Tts {
  return renderedTts(speakerOf(engine, vendorAccess(engine, settings), options.voice));
}

function speakerOf({ vendor, model }: CloudEngine, access: Access, voice: string | undefined): Speaker {
  switch (vendor) {
    case 'openai':
    case 'openai-compatible':
      return httpSpeaker(openAiCall(model, 'pcm', access), voice ?? 'alloy');
    case 'groq':
      // Orpheus has no other format.
      return httpSpeaker(openAiCall(model, 'wav', access), voice ?? 'autumn');
    case 'elevenlabs':
      return httpSpeaker(elevenLabsCall(model, access), voice ?? 'JBFqnCBsd6RMkjVDRZzb');
    case 'deepgram':
      return httpSpeaker(deepgramCall(access), voice ?? model);
    case 'google':
    case 'mistral':
      return sdkSpeaker(vendor, model, access, voice);
    case 'anthropic':
      throw new Error(`${describeEngine({ vendor, model })} has no voice`);
  }
}

function openAiCall(model: string, format: 'pcm' | 'wav', { baseUrl, apiKey }: Access) {
  return ({ text, pace }: Utterance, voice: string): SpeechCall => ({
    url: `${baseUrl}/audio/speech`,
    headers: bearer(apiKey),
    body: {
      model,
      input: text,
      voice,
      response_format: format,
      ...(isChanged(pace) && { speed: clamp(pace, 0.25, 4) }),
    },
    sampleRate: 24_000,
  });
}

function elevenLabsCall(model: string, { baseUrl, apiKey }: Access) {
  return ({ text, pace, sampleRate }: Utterance, voice: string): SpeechCall => ({
    url: `${baseUrl}/v1/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=pcm_${sampleRate}`,
    headers: apiKey === '' ? {} : { 'xi-api-key': apiKey },
    body: { text, model_id: model, ...(isChanged(pace) && { voice_settings: { speed: clamp(pace, 0.7, 1.2) } }) },
    sampleRate,
  });
}

/** Deepgram's models are its voices. */
function deepgramCall({ baseUrl, apiKey }: Access) {
  return ({ text, pace, sampleRate }: Utterance, voice: string): SpeechCall => {
    const query = new URLSearchParams({
      model: voice,
      encoding: 'linear16',
      sample_rate: String(sampleRate),
      container: 'none',
      // Older voices refuse it.
      ...(isChanged(pace) && voice.startsWith('aura-2') && { speed: String(clamp(pace, 0.7, 1.5)) }),
    });
    return {
      url: `${baseUrl}/v1/speak?${query}`,
      headers: apiKey === '' ? {} : { authorization: `Token ${apiKey}` },
      body: { text },
      sampleRate,
    };
  };
}

function bearer(apiKey: string): Record<string, string> {
  return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
}

function isChanged(pace: number | undefined): pace is number {
  return pace !== undefined && pace !== 1;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

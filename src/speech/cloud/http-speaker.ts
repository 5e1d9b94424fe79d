import { asEngineError, EngineError, errorOfStatus } from './engine-error.ts';
import { PcmReader } from './pcm-reader.ts';
import type { Speaker, Utterance } from './rendered-tts.ts';

export interface SpeechCall {
  url: string;
  headers: Record<string, string>;
  body: object;
  /** Of the sound that is asked for. */
  sampleRate: number;
}

// Of voices that the engine did not know; no call has more.
const mostUnknownVoices = 100;

/** A voice over HTTP whose sound is passed on while it still arrives. */
export function httpSpeaker(
  callOf: (utterance: Utterance, voice: string) => SpeechCall,
  defaultVoice: string,
): Speaker {
  const unknownVoices = new Set<string>();
  return async function* (utterance, signal) {
    const { voice = defaultVoice } = utterance;
    const isKnown = !unknownVoices.has(voice);
    let call = callOf(utterance, isKnown ? voice : defaultVoice);
    let response = await post(call, signal);
    if (isKnown && voice !== defaultVoice && [400, 404, 422].includes(response.status)) {
      // Which of these says that the voice is unknown differs from server to server.
      await response.body?.cancel();
      call = callOf(utterance, defaultVoice);
      response = await post(call, signal);
      if (response.ok && unknownVoices.size < mostUnknownVoices) unknownVoices.add(voice);
    }
    const type = response.headers.get('content-type') ?? '';
    const problem = problemOf(response, type);
    if (problem || !response.body) {
      await response.body?.cancel();
      throw problem ?? new EngineError('empty', 'no sound came');
    }
    const reader = new PcmReader(Number(/rate=(\d+)/.exec(type)?.[1] ?? call.sampleRate), utterance.sampleRate);
    try {
      for await (const chunk of response.body) yield reader.push(chunk);
    } catch (error) {
      throw asEngineError(error);
    }
    yield reader.end();
  };
}

async function post({ url, headers, body }: SpeechCall, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    throw asEngineError(error);
  }
}

function problemOf(response: Response, type: string): EngineError | undefined {
  if (!response.ok) return errorOfStatus(response.status);
  // MP3 has no magic number of its own, and many servers call everything audio/mpeg: the reader finds out.
  if (/^(?:text|application\/(?:json|xml|problem))/.test(type)) {
    return new EngineError('unreadable', 'the answer is no sound');
  }
  return undefined;
}

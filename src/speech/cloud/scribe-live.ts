import { z } from 'zod';
import { EngineError } from './engine-error.ts';
import type { LiveDialect } from './live-dialect.ts';
import { unknownConfidence } from './utterance-recogniser.ts';

const message = z.object({ message_type: z.string(), text: z.string().optional() });

// There was too little to commit, or nobody spoke: an answer too.
const nothingHeard = new Set(['commit_throttled', 'insufficient_audio_activity']);
const unauthorised = new Set(['auth_error', 'unaccepted_terms', 'quota_exceeded']);
const failures = new Set([
  'error',
  'transcriber_error',
  'input_error',
  'chunk_size_exceeded',
  'queue_overflow',
  'resource_exhausted',
  'session_time_limit_exceeded',
]);

/** ElevenLabs' Scribe for live sound, https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime. */
export function scribeDialect(model: string, { baseUrl, apiKey }: { baseUrl: string; apiKey: string }): LiveDialect {
  const chunk = (frame: Int16Array | undefined) =>
    JSON.stringify({
      message_type: 'input_audio_chunk',
      audio_base_64: frame ? Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('base64') : '',
      commit: frame === undefined,
    });
  return {
    connection({ sampleRate, language }) {
      const code = language?.split('-')[0];
      const query = new URLSearchParams({
        model_id: model,
        audio_format: `pcm_${sampleRate}`,
        commit_strategy: 'manual',
        ...(code && { language_code: code }),
      });
      return {
        url: `${baseUrl.replace(/^http/, 'ws')}/v1/speech-to-text/realtime?${query}`,
        headers: apiKey === '' ? {} : { 'xi-api-key': apiKey },
      };
    },
    awaitsReady: true,
    sound: chunk,
    flush: chunk(undefined),
    read(raw) {
      const { data } = message.safeParse(raw);
      if (!data) return undefined;
      const { message_type: type, text = '' } = data;
      if (type === 'session_started') return { kind: 'ready' };
      if (type === 'partial_transcript' || type === 'committed_transcript') {
        const isFinal = type === 'committed_transcript';
        return { kind: 'heard', text: text.trim(), confidence: unknownConfidence, isFinal, isFlushed: isFinal };
      }
      if (nothingHeard.has(type)) {
        return { kind: 'heard', text: '', confidence: unknownConfidence, isFinal: true, isFlushed: true };
      }
      if (unauthorised.has(type)) return { kind: 'failed', error: new EngineError('unauthorised', type) };
      if (type === 'rate_limited') return { kind: 'failed', error: new EngineError('rate-limited', type) };
      if (failures.has(type)) return { kind: 'failed', error: new EngineError('failed', type) };
      return undefined;
    },
  };
}

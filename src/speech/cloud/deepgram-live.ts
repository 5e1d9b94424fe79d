import { z } from 'zod';
import { EngineError } from './engine-error.ts';
import type { LiveDialect } from './live-dialect.ts';

const results = z.object({
  type: z.literal('Results'),
  start: z.number(),
  duration: z.number(),
  is_final: z.boolean(),
  from_finalize: z.boolean().nullish(),
  channel: z.object({
    alternatives: z.array(z.object({ transcript: z.string(), confidence: z.number() })).min(1),
  }),
});

const failure = z.object({ type: z.literal('Error') });

/** Deepgram's `/v1/listen`, https://developers.deepgram.com/reference/speech-to-text/listen-streaming. */
export function deepgramDialect(model: string, { baseUrl, apiKey }: { baseUrl: string; apiKey: string }): LiveDialect {
  return {
    connection({ sampleRate, language }) {
      const query = new URLSearchParams({
        model,
        encoding: 'linear16',
        sample_rate: String(sampleRate),
        channels: '1',
        interim_results: 'true',
        punctuate: 'true',
        // Our listener finds the ends of utterances; a final text at each pause only comes the sooner.
        endpointing: '300',
        ...(language !== undefined && { language }),
      });
      return {
        url: `${baseUrl.replace(/^http/, 'ws')}/v1/listen?${query}`,
        headers: apiKey === '' ? {} : { authorization: `Token ${apiKey}` },
      };
    },
    awaitsReady: false,
    sound: (frame) => new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength),
    flush: '{"type":"Finalize"}',
    keepAlive: '{"type":"KeepAlive"}',
    goodbye: '{"type":"CloseStream"}',
    read(message) {
      if (failure.safeParse(message).success) {
        return { kind: 'failed', error: new EngineError('failed', 'the server reported an error') };
      }
      const { data } = results.safeParse(message);
      const best = data?.channel.alternatives[0];
      if (!data || !best) return undefined;
      return {
        kind: 'heard',
        text: best.transcript.trim(),
        confidence: best.confidence,
        isFinal: data.is_final,
        isFlushed: data.from_finalize === true,
        endMs: (data.start + data.duration) * 1000,
      };
    },
  };
}

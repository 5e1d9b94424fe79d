import { z } from 'zod';
import type { Recognition } from '../ports.ts';
import { confidenceOf } from './confidence.ts';
import { asEngineError, EngineError, errorOfStatus } from './engine-error.ts';
import { serverSentEvents } from './server-sent-events.ts';
import { type TranscribeOptions, type Transcriber, unknownConfidence } from './utterance-recogniser.ts';

type Access = { baseUrl: string; apiKey: string };
type Fields = Record<string, string>;

const logprobs = z.array(z.object({ logprob: z.number() })).nullish();

const openAiAnswer = z.object({
  text: z.string(),
  logprobs,
  segments: z
    .array(z.object({ avg_logprob: z.number().nullish(), no_speech_prob: z.number().nullish() }))
    .nullish()
    .catch(undefined),
});

const openAiEvent = z.object({ type: z.string(), delta: z.string().optional(), text: z.string().optional(), logprobs });

const elevenLabsAnswer = z.object({
  text: z.string(),
  words: z
    .array(z.object({ type: z.string().nullish(), logprob: z.number().nullish() }))
    .nullish()
    .catch(undefined),
});

/** `/v1/audio/transcriptions`, as OpenAI, Groq and the many servers that follow them have it. */
export function openAiTranscriber(
  model: string,
  { baseUrl, apiKey }: Access,
  { isStreaming = false }: { isStreaming?: boolean } = {},
): Transcriber {
  const hasLogprobs = isStreaming && /^gpt-4o(?:-mini)?-transcribe(?!-diarize)/.test(model);
  let format = isStreaming ? 'json' : 'verbose_json';
  return async (wav, options) => {
    const send = () =>
      upload(
        `${baseUrl}/audio/transcriptions`,
        apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },
        wav,
        options,
        {
          model,
          response_format: format,
          ...languageField('language', options.language),
          ...(isStreaming && { stream: 'true' }),
          ...(hasLogprobs && { 'include[]': 'logprobs' }),
        },
      );
    let response = await send();
    if (format === 'verbose_json' && (response.status === 400 || response.status === 422)) {
      // Not every server tells how sure it is.
      await response.body?.cancel();
      format = 'json';
      response = await send();
    }
    await refuseFailure(response);
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return isEvents ? await readEvents(response, options) : recognitionOf(await readJson(response, openAiAnswer));
  };
}

/** ElevenLabs' Scribe for files. */
export function scribeTranscriber(model: string, { baseUrl, apiKey }: Access): Transcriber {
  return async (wav, options) => {
    const headers: Fields = apiKey === '' ? {} : { 'xi-api-key': apiKey };
    const response = await upload(`${baseUrl}/v1/speech-to-text`, headers, wav, options, {
      model_id: model,
      tag_audio_events: 'false',
      ...languageField('language_code', options.language),
    });
    await refuseFailure(response);
    const { text, words } = await readJson(response, elevenLabsAnswer);
    const spoken = (words ?? []).filter(({ type }) => type !== 'spacing').flatMap(({ logprob }) => logprob ?? []);
    return { text: text.trim(), confidence: confidenceOf(spoken) ?? unknownConfidence };
  };
}

async function upload(
  url: string,
  headers: Fields,
  wav: Uint8Array<ArrayBuffer>,
  { signal }: TranscribeOptions,
  fields: Fields,
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([wav], { type: 'audio/wav' }), 'utterance.wav');
  try {
    return await fetch(url, { method: 'POST', headers, body: form, signal });
  } catch (error) {
    throw asEngineError(error);
  }
}

async function refuseFailure(response: Response): Promise<void> {
  if (response.ok) return;
  await response.body?.cancel();
  throw errorOfStatus(response.status);
}

async function readEvents({ body }: Response, { onPartial }: TranscribeOptions): Promise<Recognition> {
  let heard = '';
  try {
    for await (const data of serverSentEvents(body ?? new ReadableStream())) {
      const event = parse(data, openAiEvent);
      if (event.type === 'transcript.text.delta') {
        heard += event.delta ?? '';
        onPartial?.({ text: heard.trim(), confidence: unknownConfidence });
      } else if (event.type === 'transcript.text.done') {
        return recognitionOf({ text: event.text ?? heard, logprobs: event.logprobs });
      } else if (event.type === 'error') {
        throw new EngineError('failed', 'the server reported an error');
      }
    }
  } catch (error) {
    throw asEngineError(error);
  }
  throw new EngineError('broken', 'the answer broke off');
}

async function readJson<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  const text = await response.text().catch((error: unknown) => {
    throw asEngineError(error);
  });
  return parse(text, schema);
}

function parse<T>(text: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(jsonOf(text));
  if (!parsed.success) throw new EngineError('unreadable', 'the answer is not understood');
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recognitionOf({ text, logprobs, segments }: z.infer<typeof openAiAnswer>): Recognition {
  const tokens = (logprobs ?? []).map(({ logprob }) => logprob);
  const means = (segments ?? []).flatMap(({ avg_logprob }) => avg_logprob ?? []);
  // Whisper hears words in silence too, and says itself how likely it was silence.
  const silence = Math.max(0, ...(segments ?? []).map(({ no_speech_prob }) => no_speech_prob ?? 0));
  const confidence = confidenceOf(tokens) ?? confidenceOf(means) ?? unknownConfidence;
  return { text: text.trim(), confidence: confidence * (1 - Math.min(1, silence)) };
}

/** ISO 639-1, which is all that these take of `en-US`. */
function languageField(name: string, language: string | undefined): Fields {
  const code = language?.split('-')[0];
  return code ? { [name]: code } : {};
}

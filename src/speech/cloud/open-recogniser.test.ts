import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readWav } from '../../rtp/wav.ts';
import type { CloudEngine } from './engine-name.ts';
import { openRecogniser } from './open-recogniser.ts';
import { type Asked, gate, httpServer, sine, until } from './testing/vendor-server.ts';

const sound = sine(8_000, 0.1);

async function serve(t: TestContext, name: string, answer: (asked: Asked) => unknown) {
  const server = await httpServer(t, answer);
  const [vendor, model] = name.split('/') as [CloudEngine['vendor'], string];
  const baseUrl = vendor === 'elevenlabs' ? server.url : `${server.url}/v1`;
  const recogniser = openRecogniser({ vendor, model }, { [vendor]: { apiKey: 'secret', baseUrl } });
  t.after(() => recogniser.close());
  const partials: string[] = [];
  const stream = recogniser.open({
    sampleRate: 8_000,
    language: 'en-US',
    onPartial: ({ text }) => partials.push(text),
  });
  const hear = () => {
    for (let at = 0; at < sound.length; at += 160) stream.hear(sound.subarray(at, at + 160));
  };
  return { server, recogniser, stream, hear, partials };
}

function json(response: Asked['response'], value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function formOf({ request, body }: Asked): Promise<FormData> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  return await new Response(new Uint8Array(body), { headers }).formData();
}

describe('an utterance over HTTP', () => {
  it('goes as a WAV file to a server that is compatible with OpenAI', async (t) => {
    const { server, stream, hear } = await serve(t, 'openai-compatible/whisper', ({ response }) =>
      json(response, { text: ' Yes, please. ', segments: [{ avg_logprob: -0.2 }, { avg_logprob: -0.4 }] }),
    );
    hear();
    const { text, confidence } = await stream.recognise('final');
    assert.equal(text, 'Yes, please.');
    assert.ok(Math.abs(confidence - Math.exp(-0.3)) < 1e-9);
    const [asked] = server.asked;
    assert.ok(asked);
    assert.equal(asked.url.pathname, '/v1/audio/transcriptions');
    assert.equal(asked.request.headers.authorization, 'Bearer secret');
    const form = await formOf(asked);
    assert.deepEqual(
      ['model', 'language', 'response_format', 'stream'].map((name) => form.get(name)),
      ['whisper', 'en', 'verbose_json', null],
    );
    const wav = readWav(Buffer.from(await (form.get('file') as File).arrayBuffer()));
    assert.equal(wav.sampleRate, 8_000);
    assert.deepEqual(wav.channels, [sound]);
  });

  it('is doubted where the engine may have heard silence', async (t) => {
    const { stream, hear } = await serve(t, 'groq/whisper-large-v3-turbo', ({ response }) =>
      json(response, { text: 'Thank you.', segments: [{ avg_logprob: -0.1, no_speech_prob: 0.9 }] }),
    );
    hear();
    assert.ok((await stream.recognise('final')).confidence < 0.1);
  });

  it('is asked for once more in the plain format where the server has no other', async (t) => {
    const formats: unknown[] = [];
    const { stream, hear } = await serve(t, 'openai-compatible/whisper', async (asked) => {
      const format = (await formOf(asked)).get('response_format');
      formats.push(format);
      json(
        asked.response,
        format === 'json' ? { text: 'Yes.' } : { error: 'unsupported' },
        format === 'json' ? 200 : 400,
      );
    });
    hear();
    assert.deepEqual(await stream.recognise('final'), { text: 'Yes.', confidence: 0.8 });
    await stream.recognise('final');
    assert.deepEqual(formats, ['verbose_json', 'json', 'json']);
  });

  it('is understood word by word where OpenAI streams', async (t) => {
    const heard = gate();
    const { server, stream, hear, partials } = await serve(t, 'openai/gpt-4o-mini-transcribe', async ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"transcript.text.delta","delta":"Yes"}\n\ndata: {"type":"transcript.te');
      await heard.opened;
      response.write('xt.delta","delta":", please"}\r\n\r\n');
      response.end(
        'data: {"type":"transcript.text.done","text":"Yes, please.","logprobs":[{"token":"Yes","logprob":-0.5}]}\n\n',
      );
    });
    hear();
    const recognised = stream.recognise('final');
    await until(() => partials.length > 0);
    assert.deepEqual(partials, ['Yes']);
    heard.open();
    assert.deepEqual(await recognised, { text: 'Yes, please.', confidence: Math.exp(-0.5) });
    assert.deepEqual(partials, ['Yes', 'Yes, please']);
    const [asked] = server.asked;
    assert.ok(asked);
    const form = await formOf(asked);
    assert.deepEqual(
      ['stream', 'include[]', 'response_format'].map((name) => form.get(name)),
      ['true', 'logprobs', 'json'],
    );
  });

  it('goes to the batch models of ElevenLabs', async (t) => {
    const { server, stream, hear } = await serve(t, 'elevenlabs/scribe_v2', ({ response }) =>
      json(response, {
        text: 'Yes please.',
        language_code: 'eng',
        words: [
          { text: 'Yes', type: 'word', logprob: -0.1 },
          { text: ' ', type: 'spacing', logprob: -9 },
          { text: 'please.', type: 'word', logprob: -0.3 },
        ],
      }),
    );
    hear();
    const { text, confidence } = await stream.recognise('final');
    assert.equal(text, 'Yes please.');
    assert.ok(Math.abs(confidence - Math.exp(-0.2)) < 1e-9);
    const [asked] = server.asked;
    assert.ok(asked);
    assert.equal(asked.url.pathname, '/v1/speech-to-text');
    assert.equal(asked.request.headers['xi-api-key'], 'secret');
    const form = await formOf(asked);
    assert.deepEqual([form.get('model_id'), form.get('language_code')], ['scribe_v2', 'en']);
  });

  it('goes to Mistral through the AI SDK', async (t) => {
    const { server, stream, hear } = await serve(t, 'mistral/voxtral-mini-latest', ({ response }) =>
      json(response, { model: 'voxtral-mini-latest', text: 'Yes.', language: null, segments: [], usage: {} }),
    );
    hear();
    assert.deepEqual(await stream.recognise('final'), { text: 'Yes.', confidence: 0.8 });
    assert.equal(server.asked[0]?.url.pathname, '/v1/audio/transcriptions');
    assert.equal(server.asked[0]?.request.headers.authorization, 'Bearer secret');
  });

  it('grows until the next one begins', async (t) => {
    const sizes: number[] = [];
    const { stream, hear } = await serve(t, 'openai-compatible/whisper', async (asked) => {
      sizes.push(((await formOf(asked)).get('file') as File).size - 44);
      json(asked.response, { text: 'Yes.' });
    });
    assert.deepEqual(await stream.recognise('final'), { text: '', confidence: 0 });
    hear();
    await stream.recognise('final');
    hear();
    await stream.recognise('final');
    stream.next();
    hear();
    await stream.recognise('final');
    assert.deepEqual(sizes, [1_600, 3_200, 1_600]);
  });

  it('ends when nobody listens any more', async (t) => {
    const { server, stream, hear } = await serve(t, 'openai-compatible/whisper', () => {});
    hear();
    const recognised = stream.recognise('final');
    await until(() => server.asked.length === 1);
    stream.close();
    await assert.rejects(recognised, { name: 'EngineError' });
    await server.asked[0]?.closed;
    await assert.rejects(stream.recognise('final'), { name: 'EngineError' });
  });

  it('is sent once more when the connection broke before the answer', async (t) => {
    let count = 0;
    const { stream, hear } = await serve(t, 'openai-compatible/whisper', ({ request, response }) => {
      if (count++ === 0) request.socket.resetAndDestroy();
      else json(response, { text: 'Yes.' });
    });
    hear();
    assert.equal((await stream.recognise('final')).text, 'Yes.');
  });

  const failures: [string, string, (asked: Asked) => unknown][] = [
    ['a wrong key', 'unauthorised', ({ response }) => response.writeHead(403).end('{"key":"secret"}')],
    ['too many requests', 'rate-limited', ({ response }) => response.writeHead(429).end()],
    ['a broken server', 'failed', ({ response }) => response.writeHead(503).end('<h1>sorry</h1>')],
    ['a page in place of text', 'unreadable', ({ response }) => response.writeHead(200).end('<h1>Hello</h1>')],
    ['other JSON', 'unreadable', ({ response }) => json(response, { text: 7 })],
    ['an empty answer', 'unreadable', ({ response }) => response.writeHead(200).end()],
    ['a connection that always breaks', 'broken', ({ request }) => request.socket.resetAndDestroy()],
    [
      'an answer that is half sent',
      'broken',
      ({ request }) => request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"te'),
    ],
    [
      'a stream of events that breaks off',
      'broken',
      ({ response }) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('data: {"type":"transcript.text.delta","delta":"Yes"}\n\n'),
    ],
    [
      'an error among the events',
      'failed',
      ({ response }) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('data: {"type":"error","message":"secret"}\n\n'),
    ],
  ];
  for (const [what, code, answer] of failures) {
    it(`fails with what it was: ${what}`, async (t) => {
      const { stream, hear } = await serve(t, 'openai/whisper-1', answer);
      hear();
      await assert.rejects(stream.recognise('final'), (error: Error & { code?: string }) => {
        assert.equal(error.code, code);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    });
  }

  it('leaks no connection in two hundred', async (t) => {
    let count = 0;
    const { server, stream, hear } = await serve(t, 'openai-compatible/whisper', ({ response }) =>
      count++ % 4 === 3 ? response.writeHead(500).end() : json(response, { text: 'Yes.' }),
    );
    for (let n = 0; n < 200; n++) {
      hear();
      await stream.recognise('final').catch(() => {});
      stream.next();
    }
    assert.equal(server.asked.length, 200);
    assert.ok(server.connections.total <= 2, `${server.connections.total} connections`);
  });
});

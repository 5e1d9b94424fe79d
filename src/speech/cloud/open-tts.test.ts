import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { resample } from '../../rtp/resample.ts';
import { wavHeader } from '../../rtp/wav.ts';
import type { CloudEngine } from './engine-name.ts';
import { openTts } from './open-tts.ts';
import { type Asked, bytesOf, collect, gate, httpServer, sine, until } from './testing/vendor-server.ts';

const sound = sine(24_000, 0.2);
const line = { text: 'Good morning.', sampleRate: 8_000 } as const;

async function serve(t: TestContext, answer: (asked: Asked) => unknown, name = 'openai/tts-1') {
  const server = await httpServer(t, answer);
  const [vendor, model] = name.split('/') as [CloudEngine['vendor'], string];
  const baseUrl = ['elevenlabs', 'deepgram'].includes(vendor) ? server.url : `${server.url}/v1`;
  const tts = openTts({ vendor, model }, { [vendor]: { apiKey: 'secret', baseUrl } });
  t.after(() => tts.close());
  return { server, tts };
}

function say(response: Asked['response'], ...chunks: Uint8Array[]): void {
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  for (const chunk of chunks) response.write(chunk);
  response.end();
}

describe('a voice over HTTP', () => {
  it('speaks the protocol of OpenAI', async (t) => {
    const { server, tts } = await serve(t, ({ response }) => say(response, bytesOf(sound)));
    assert.deepEqual(await collect(tts.speak({ ...line, voice: 'coral', pace: 0.8 })), resample(sound, 24_000, 8_000));
    const [asked] = server.asked;
    assert.equal(asked?.request.method, 'POST');
    assert.equal(asked?.url.pathname, '/v1/audio/speech');
    assert.equal(asked?.request.headers.authorization, 'Bearer secret');
    assert.deepEqual(JSON.parse(String(asked?.body)), {
      model: 'tts-1',
      input: 'Good morning.',
      voice: 'coral',
      response_format: 'pcm',
      speed: 0.8,
    });
  });

  it('speaks the protocol of ElevenLabs, at the rate of the line', async (t) => {
    const { server, tts } = await serve(
      t,
      ({ response }) => say(response, bytesOf(sound)),
      'elevenlabs/eleven_flash_v2_5',
    );
    assert.deepEqual(await collect(tts.speak({ ...line, voice: 'abc', pace: 0.5 })), sound);
    const [asked] = server.asked;
    assert.equal(`${asked?.url.pathname}${asked?.url.search}`, '/v1/text-to-speech/abc/stream?output_format=pcm_8000');
    assert.equal(asked?.request.headers['xi-api-key'], 'secret');
    assert.deepEqual(JSON.parse(String(asked?.body)), {
      text: 'Good morning.',
      model_id: 'eleven_flash_v2_5',
      voice_settings: { speed: 0.7 },
    });
  });

  it('speaks the protocol of Deepgram, at the rate of the line', async (t) => {
    const { server, tts } = await serve(
      t,
      ({ response }) => say(response, bytesOf(sound)),
      'deepgram/aura-2-thalia-en',
    );
    assert.deepEqual(await collect(tts.speak({ ...line, sampleRate: 16_000, pace: 2 })), sound);
    const [asked] = server.asked;
    assert.equal(asked?.url.pathname, '/v1/speak');
    assert.deepEqual(Object.fromEntries(asked?.url.searchParams ?? []), {
      model: 'aura-2-thalia-en',
      encoding: 'linear16',
      sample_rate: '16000',
      container: 'none',
      speed: '1.5',
    });
    assert.equal(asked?.request.headers.authorization, 'Token secret');
    assert.deepEqual(JSON.parse(String(asked?.body)), { text: 'Good morning.' });
  });

  it('takes the WAV that Groq sends, at its own rate', async (t) => {
    const { server, tts } = await serve(
      t,
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'audio/wav' });
        response.end(Buffer.concat([wavHeader(48_000, 1, 19_200), bytesOf(sine(48_000, 0.2))]));
      },
      'groq/orpheus',
    );
    assert.equal((await collect(tts.speak(line))).length, 1_600);
    assert.equal(JSON.parse(String(server.asked[0]?.body)).response_format, 'wav');
  });

  it('takes the files of Google and Mistral through the AI SDK', async (t) => {
    const wav = Buffer.concat([wavHeader(24_000, 1, sound.length * 2), bytesOf(sound)]);
    const mistral = await serve(
      t,
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ audio_data: wav.toString('base64') }));
      },
      'mistral/voxtral-mini-tts-2603',
    );
    assert.deepEqual(await collect(mistral.tts.speak(line)), resample(sound, 24_000, 8_000));
    assert.equal(mistral.server.asked[0]?.url.pathname, '/v1/audio/speech');
    assert.equal(mistral.server.asked[0]?.request.headers.authorization, 'Bearer secret');
    const google = await serve(
      t,
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: bytesOf(sound).toString('base64') };
        response.end(JSON.stringify({ candidates: [{ content: { parts: [{ inlineData }] } }] }));
      },
      'google/gemini-2.5-flash-preview-tts',
    );
    assert.deepEqual(await collect(google.tts.speak(line)), resample(sound, 24_000, 8_000));
    assert.equal(google.server.asked[0]?.url.pathname, '/v1/models/gemini-2.5-flash-preview-tts:generateContent');
  });

  it('is heard before the server has sent the last of it', async (t) => {
    const heard = gate();
    const { tts } = await serve(t, async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      response.write(bytesOf(sound));
      await heard.opened;
      response.end(bytesOf(sound));
    });
    let samples = 0;
    for await (const piece of tts.speak(line)) {
      samples += piece.length;
      heard.open();
    }
    assert.equal(samples, 3_200);
  });

  it('has no seams, whatever the sizes of the chunks', async (t) => {
    const { tts } = await serve(t, async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      const bytes = bytesOf(sound);
      for (let at = 0, size = 1; at < bytes.length; at += size, size += 37) {
        response.write(bytes.subarray(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    assert.deepEqual(await collect(tts.speak(line)), resample(sound, 24_000, 8_000));
  });

  it('falls back on its default when a voice is unknown, and remembers it', async (t) => {
    const voices: string[] = [];
    const { tts } = await serve(t, ({ body, response }) => {
      const { voice } = JSON.parse(String(body));
      voices.push(voice);
      if (voice === 'alloy') say(response, bytesOf(sound));
      else response.writeHead(400).end('{"error":{"message":"voice"}}');
    });
    await collect(tts.speak({ ...line, voice: 'slt' }));
    await collect(tts.speak({ ...line, voice: 'slt' }));
    assert.deepEqual(voices, ['slt', 'alloy', 'alloy']);
  });
});

describe('a voice that fails', () => {
  const failures: [string, string, (asked: Asked) => unknown][] = [
    ['a wrong key', 'unauthorised', ({ response }) => response.writeHead(401).end('{"detail":"secret"}')],
    ['too many requests', 'rate-limited', ({ response }) => response.writeHead(429).end()],
    ['a refusal', 'refused', ({ response }) => response.writeHead(400).end()],
    ['a broken server', 'failed', ({ response }) => response.writeHead(500).end('<h1>Good morning.</h1>')],
    [
      'a page in place of sound',
      'unreadable',
      ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
    ],
    [
      'JSON in place of sound',
      'unreadable',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":"Good morning."}');
      },
    ],
    ['an empty answer', 'empty', ({ response }) => response.writeHead(200, { 'content-type': 'audio/pcm' }).end()],
    ['a connection that is reset at once', 'broken', ({ request }) => request.socket.resetAndDestroy()],
    [
      'a connection that is reset in the middle',
      'broken',
      ({ request, response }) => {
        response.writeHead(200, { 'content-type': 'audio/pcm' });
        response.write(bytesOf(sound), () => setImmediate(() => request.socket.resetAndDestroy()));
      },
    ],
    [
      'a connection whose server half closes it in the middle',
      'broken',
      ({ request }) => {
        request.socket.write(
          'HTTP/1.1 200 OK\r\ncontent-type: audio/pcm\r\ntransfer-encoding: chunked\r\n\r\n4\r\n\0\0\0\0\r\n',
        );
        request.socket.end();
      },
    ],
    [
      'something that is no HTTP',
      'broken',
      ({ request }) => {
        request.socket.end('garbage\r\n\r\n');
      },
    ],
  ];
  for (const [what, code, answer] of failures) {
    it(`says so: ${what}`, async (t) => {
      const { tts } = await serve(t, answer);
      await assert.rejects(collect(tts.speak(line)), (error: Error & { code?: string }) => {
        assert.equal(error.code, code);
        assert.doesNotMatch(JSON.stringify([error.message, error.cause ?? null]), /secret|Good morning/);
        return true;
      });
    });
  }

  it('keeps quiet about keys and texts through the AI SDK too', async (t) => {
    for (const [status, code] of [
      [401, 'unauthorised'],
      [429, 'rate-limited'],
      [500, 'failed'],
    ] as const) {
      const { server, tts } = await serve(
        t,
        ({ response }) => response.writeHead(status).end('{"x":"secret"}'),
        'mistral/tts',
      );
      await assert.rejects(collect(tts.speak(line)), { name: 'EngineError', code, message: `HTTP ${status}` });
      assert.equal(server.asked.length, 1);
    }
    const { tts } = await serve(t, ({ response }) => response.writeHead(200).end('garbage'), 'mistral/tts');
    await assert.rejects(collect(tts.speak(line)), { name: 'EngineError', code: 'unreadable' });
    const gone = await serve(t, ({ request }) => request.socket.resetAndDestroy(), 'mistral/tts');
    await assert.rejects(collect(gone.tts.speak(line)), { name: 'EngineError', code: 'broken' });
  });

  it('cannot be reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const tts = openTts(
      { vendor: 'openai-compatible', model: 'x' },
      { 'openai-compatible': { baseUrl: `http://127.0.0.1:${port}` } },
    );
    await assert.rejects(collect(tts.speak(line)), { code: 'broken' });
  });
});

describe('a voice that is interrupted', () => {
  for (const when of ['before the first sound', 'in the middle'] as const) {
    it(`leaves no request running: ${when}`, async (t) => {
      const { server, tts } = await serve(t, ({ response }) => {
        if (when === 'in the middle') {
          response.writeHead(200, { 'content-type': 'audio/pcm' });
          response.write(bytesOf(sound));
        }
      });
      const controller = new AbortController();
      const spoken = collect(
        (async function* () {
          for await (const piece of tts.speak({ ...line, signal: controller.signal })) {
            yield piece;
            controller.abort();
          }
        })(),
      );
      await until(() => server.asked.length === 1);
      if (when === 'before the first sound') controller.abort();
      assert.equal((await spoken).length > 0, when === 'in the middle');
      await server.asked[0]?.closed;
      await until(() => server.connections.open === 0);
    });
  }

  it('ends the request when nobody listens to the rest', async (t) => {
    const { server, tts } = await serve(t, ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      response.write(bytesOf(sound));
    });
    for await (const _ of tts.speak(line)) break;
    await server.asked[0]?.closed;
  });

  it('asks nothing when it is aborted already', async (t) => {
    const { server, tts } = await serve(t, ({ response }) => say(response, bytesOf(sound)));
    const request = { ...line, signal: AbortSignal.abort() };
    assert.equal((await collect(tts.speak(request))).length, 0);
    await tts.prepare(request);
    assert.equal(server.asked.length, 0);
  });

  it('ends with the engine', async (t) => {
    const { server, tts } = await serve(t, () => {});
    const spoken = collect(tts.speak(line));
    await until(() => server.asked.length === 1);
    await tts.close();
    assert.equal((await spoken).length, 0);
    await server.asked[0]?.closed;
  });
});

describe('a prepared text', () => {
  it('is spoken without asking again', async (t) => {
    const { server, tts } = await serve(t, ({ response }) => say(response, bytesOf(sound)));
    await tts.prepare(line);
    assert.deepEqual(await collect(tts.speak(line)), resample(sound, 24_000, 8_000));
    assert.deepEqual(await collect(tts.speak(line)), resample(sound, 24_000, 8_000));
    assert.equal(server.asked.length, 1);
    await collect(tts.speak({ ...line, sampleRate: 16_000 }));
    assert.equal(server.asked.length, 2);
  });

  it('is spoken while it is still being made', async (t) => {
    const heard = gate();
    const { server, tts } = await serve(t, async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      response.write(bytesOf(sound));
      await heard.opened;
      response.end();
    });
    const prepared = tts.prepare(line);
    await until(() => server.asked.length === 1);
    for await (const _ of tts.speak(line)) heard.open();
    await prepared;
    assert.equal(server.asked.length, 1);
  });

  it('is asked for again when making it failed or was called off', async (t) => {
    const answers = [500, 0, 200];
    const { server, tts } = await serve(t, ({ response }) => {
      const status = answers.shift();
      if (status === 200) say(response, bytesOf(sound));
      else if (status) response.writeHead(status).end();
    });
    await assert.rejects(tts.prepare(line), { code: 'failed' });
    const controller = new AbortController();
    const prepared = tts.prepare({ ...line, signal: controller.signal });
    await until(() => server.asked.length === 2);
    controller.abort();
    await prepared;
    await server.asked[1]?.closed;
    assert.equal((await collect(tts.speak(line))).length, 1_600);
  });

  it('goes on for who speaks it when who prepared it calls it off', async (t) => {
    const called = gate();
    const { server, tts } = await serve(t, async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      response.write(bytesOf(sound));
      await called.opened;
      response.end(bytesOf(sound));
    });
    const controller = new AbortController();
    const prepared = tts.prepare({ ...line, signal: controller.signal });
    let samples = 0;
    for await (const piece of tts.speak(line)) {
      samples += piece.length;
      controller.abort();
      await prepared;
      called.open();
    }
    assert.equal(samples, 3_200);
    assert.equal(server.asked.length, 1);
  });

  it('is forgotten when there are too many', async (t) => {
    const { server, tts } = await serve(t, ({ response }) => say(response, bytesOf(sound)));
    for (let n = 0; n < 65; n++) await tts.prepare({ ...line, text: `Text ${n}.` });
    await collect(tts.speak({ ...line, text: 'Text 64.' }));
    assert.equal(server.asked.length, 65);
    await collect(tts.speak({ ...line, text: 'Text 0.' }));
    assert.equal(server.asked.length, 66);
  });
});

describe('two hundred utterances', () => {
  it('leak no connection, whatever becomes of them', async (t) => {
    let count = 0;
    const { server, tts } = await serve(t, ({ request, response }) => {
      const kind = count++ % 5;
      if (kind === 1) response.writeHead(500).end();
      else if (kind === 2) request.socket.resetAndDestroy();
      else if (kind === 3) response.writeHead(200, { 'content-type': 'audio/pcm' }).write(bytesOf(sound));
      else say(response, bytesOf(sound));
    });
    for (let n = 0; n < 200; n++) {
      const controller = new AbortController();
      try {
        for await (const _ of tts.speak({ ...line, signal: controller.signal })) if (n % 5 === 3) controller.abort();
      } catch {
        assert.ok([1, 2].includes(n % 5));
      }
    }
    assert.equal(server.asked.length, 200);
    await until(() => server.connections.open <= 1);
  });
});

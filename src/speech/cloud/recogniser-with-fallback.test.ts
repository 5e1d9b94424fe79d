import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Recogniser, RecogniserOptions, RecogniserStream } from '../ports.ts';
import type { EngineNote } from './breaker.ts';
import { openRecogniser } from './open-recogniser.ts';
import { recogniserWithFallback } from './recogniser-with-fallback.ts';
import { type Asked, httpServer, liveServer, until } from './testing/vendor-server.ts';

/** The spare ears: the text says which frames were heard, by their first samples. */
class SpareEars implements Recogniser {
  readonly open = ({ onPartial }: RecogniserOptions): RecogniserStream => {
    let frames: Int16Array[] = [];
    const text = () => `spare ${frames.map(([first]) => first).join(' ')}`;
    return {
      isIncremental: true,
      hear(frame) {
        frames.push(frame);
        onPartial?.({ text: text(), confidence: 1 });
      },
      recognise: async () => ({ text: text(), confidence: 1 }),
      next() {
        frames = [];
      },
      close() {},
    };
  };
  async close() {}
}

function withSpare(t: TestContext, primary: Recogniser, answerMs = 10_000) {
  const notes: EngineNote[] = [];
  const partials: string[] = [];
  const clock = { ms: 0 };
  const recogniser = recogniserWithFallback(primary, new SpareEars(), {
    engine: 'vendor/model',
    onNote: (note) => notes.push(note),
    answerMs,
    now: () => clock.ms,
  });
  t.after(() => recogniser.close());
  t.after(() => primary.close());
  const stream = recogniser.open({ sampleRate: 8_000, onPartial: ({ text }) => partials.push(text) });
  const hear = (...firsts: number[]) => {
    for (const first of firsts) stream.hear(Int16Array.from({ length: 160 }, () => first));
  };
  return { recogniser, stream, hear, notes, partials, clock };
}

async function serve(t: TestContext, answer: (asked: Asked) => unknown, answerMs?: number) {
  const server = await httpServer(t, answer);
  const primary = openRecogniser(
    { vendor: 'openai-compatible', model: 'whisper' },
    { 'openai-compatible': { baseUrl: server.url } },
  );
  return { server, ...withSpare(t, primary, answerMs) };
}

const yes = ({ response }: Asked) => response.writeHead(200).end('{"text":"Yes."}');

describe('ears with spare ones', () => {
  it('are heard as long as they answer', async (t) => {
    const { stream, hear, notes, partials } = await serve(t, yes);
    assert.equal(stream.isIncremental, false);
    hear(1, 2);
    assert.equal((await stream.recognise('final')).text, 'Yes.');
    assert.deepEqual([notes, partials], [[], []]);
  });

  for (const [what, detail, answer] of [
    ['they do not answer', 'timeout: no text in 200 ms', () => {}],
    ['they are broken', 'failed: HTTP 500', ({ response }: Asked) => response.writeHead(500).end()],
    [
      'they talk nonsense',
      'unreadable: the answer is not understood',
      ({ response }: Asked) => response.writeHead(200).end('?'),
    ],
  ] as const) {
    it(`leave the utterance to them from its beginning: ${what}`, async (t) => {
      const { server, stream, hear, notes } = await serve(t, answer, detail.startsWith('timeout') ? 200 : undefined);
      hear(1, 2);
      assert.equal((await stream.recognise('final')).text, 'spare 1 2');
      hear(3);
      assert.equal((await stream.recognise('final')).text, 'spare 1 2 3');
      assert.ok(stream.isIncremental);
      stream.next();
      hear(4);
      assert.equal((await stream.recognise('final')).text, 'spare 4');
      assert.deepEqual(notes, [{ code: 'engine-fell-back', engine: 'vendor/model', detail }]);
      await Promise.all(server.asked.map(({ closed }) => closed));
    });
  }

  it('are left alone after a failure, and tried again after a while', async (t) => {
    let isDown = true;
    const { server, stream, hear, notes, clock, partials } = await serve(t, (asked) =>
      isDown ? asked.response.writeHead(429).end() : yes(asked),
    );
    const utterance = async () => {
      hear(1);
      const { text } = await stream.recognise('final');
      stream.next();
      return text;
    };
    assert.equal(await utterance(), 'spare 1');
    clock.ms = 29_999;
    assert.equal(await utterance(), 'spare 1');
    assert.equal(server.asked.length, 1);
    assert.ok(partials.includes('spare 1'));
    clock.ms = 30_000;
    assert.equal(await utterance(), 'spare 1');
    assert.equal(server.asked.length, 2);
    isDown = false;
    clock.ms = 60_000;
    assert.equal(await utterance(), 'Yes.');
    assert.equal(await utterance(), 'Yes.');
    assert.deepEqual(
      notes.map(({ code }) => code),
      ['engine-fell-back', 'engine-recovered'],
    );
  });

  it('stay off for the call when the key is wrong', async (t) => {
    const { server, stream, hear, notes, clock } = await serve(t, ({ response }) => response.writeHead(401).end());
    for (let n = 0; n < 3; n++) {
      hear(n);
      assert.equal((await stream.recognise('final')).text, `spare ${n}`);
      stream.next();
      clock.ms += 1e6;
    }
    assert.equal(server.asked.length, 1);
    assert.deepEqual(
      notes.map(({ code }) => code),
      ['engine-switched-off'],
    );
  });

  it('say nothing more when the call is over', async (t) => {
    const { server, recogniser, stream, hear, notes } = await serve(t, () => {});
    hear(1);
    const recognised = stream.recognise('final');
    await until(() => server.asked.length === 1);
    await recogniser.close();
    await assert.rejects(recognised, { name: 'EngineError' });
    await server.asked[0]?.closed;
    assert.deepEqual(notes, []);
  });

  it('are replaced when a live connection stops answering, closes or never opens', async (t) => {
    for (const [detail, hear, refuse] of [
      ['timeout: no text in 200 ms', () => {}, () => undefined],
      ['broken: the connection was closed (1011)', 'close', () => undefined],
      ['unauthorised: HTTP 401', () => {}, () => 401],
      ['timeout: not connected in 60 ms', () => {}, () => 'silence' as const],
    ] as const) {
      const server = await liveServer(t, (_, { socket }) => hear === 'close' && socket.close(1011), { refuse });
      const primary = openRecogniser(
        { vendor: 'deepgram', model: 'nova-3' },
        { deepgram: { apiKey: 'secret', baseUrl: server.url } },
        { connectMs: detail.includes('60 ms') ? 60 : 10_000 },
      );
      const call = withSpare(t, primary, detail.includes('200 ms') ? 200 : undefined);
      call.hear(1, 2, 3);
      assert.equal((await call.stream.recognise('final')).text, 'spare 1 2 3');
      assert.deepEqual(
        call.notes.map((note) => note.detail),
        [detail],
      );
      await until(() => server.connections.open === 0);
    }
  });
});

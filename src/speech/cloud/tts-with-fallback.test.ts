import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import type { SpeakRequest, Tts } from '../ports.ts';
import type { EngineNote } from './breaker.ts';
import { openTts } from './open-tts.ts';
import { type Asked, bytesOf, collect, httpServer, until } from './testing/vendor-server.ts';
import { ttsWithFallback } from './tts-with-fallback.ts';

const line = { text: 'One is here. Two is there. Three is gone.', sampleRate: 8_000 } as const;

/** The spare voice: each text is as many samples of 1 as it has letters. */
class SpareVoice implements Tts {
  readonly spoken: string[] = [];
  readonly prepared: string[] = [];
  async *speak({ text }: SpeakRequest) {
    this.spoken.push(text);
    yield new Int16Array(text.length).fill(1);
  }
  async prepare({ text }: SpeakRequest) {
    this.prepared.push(text);
  }
  async close() {}
}

async function serve(t: TestContext, answer: (asked: Asked, text: string) => unknown, limitMs = 10_000) {
  const server = await httpServer(t, (asked) => answer(asked, JSON.parse(String(asked.body)).text));
  const primary = openTts(
    { vendor: 'deepgram', model: 'aura-2-thalia-en' },
    { deepgram: { apiKey: 'secret', baseUrl: server.url } },
  );
  t.after(() => primary.close());
  const spare = new SpareVoice();
  const notes: EngineNote[] = [];
  const clock = { ms: 0 };
  const tts = ttsWithFallback(primary, spare, {
    engine: 'deepgram/aura-2-thalia-en',
    onNote: (note) => notes.push(note),
    firstSoundMs: limitMs,
    stallMs: limitMs,
    restMs: 30_000,
    now: () => clock.ms,
  });
  const texts = () => server.asked.map(({ body }) => JSON.parse(String(body)).text as string);
  return { server, tts, spare, notes, clock, texts };
}

/** As many samples of 9 as the text has letters. */
function say({ response }: Asked, text: string): void {
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  response.end(bytesOf(new Int16Array(text.length).fill(9)));
}

/** Which voice spoke how many samples: `9x12 1x5`. */
function heard(sound: Int16Array): string {
  const runs: [number, number][] = [];
  for (const sample of sound) {
    const last = runs.at(-1);
    if (last?.[0] === sample) last[1]++;
    else runs.push([sample, 1]);
  }
  return runs.map(([sample, count]) => `${sample}x${count}`).join(' ');
}

describe('a voice with a spare one', () => {
  it('speaks sentence by sentence, the next one prepared in time', async (t) => {
    const { tts, spare, notes, texts } = await serve(t, say);
    assert.equal(heard(await collect(tts.speak(line))), '9x39');
    assert.deepEqual(texts(), ['One is here.', 'Two is there.', 'Three is gone.']);
    assert.deepEqual([spare.spoken, notes], [[], []]);
  });

  it('asks once more when nothing was spoken yet', async (t) => {
    let count = 0;
    const { tts, notes, texts } = await serve(t, (asked, text) =>
      count++ === 0 ? asked.response.writeHead(500).end() : say(asked, text),
    );
    assert.equal(heard(await collect(tts.speak(line))), '9x39');
    assert.deepEqual(texts(), ['One is here.', 'One is here.', 'Two is there.', 'Three is gone.']);
    assert.deepEqual(notes, []);
  });

  const failures: [string, string, number, (asked: Asked) => unknown][] = [
    ['no first byte', 'timeout: no sound in 150 ms', 2, () => {}],
    [
      'headers and no sound',
      'timeout: no sound in 150 ms',
      2,
      ({ response }) => response.writeHead(200, { 'content-type': 'audio/pcm' }).flushHeaders(),
    ],
    ['HTTP 500', 'failed: HTTP 500', 2, ({ response }) => response.writeHead(500).end()],
    ['HTTP 429', 'rate-limited: HTTP 429', 1, ({ response }) => response.writeHead(429).end()],
    ['HTTP 400', 'refused: HTTP 400', 1, ({ response }) => response.writeHead(400).end()],
    ['an empty body', 'empty: no sound came', 2, ({ response }) => response.writeHead(200).end()],
    [
      'garbage',
      'unreadable: the answer is no sound',
      2,
      ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('One is here.'),
    ],
  ];
  for (const [what, detail, times, answer] of failures) {
    it(`leaves the whole text to it: ${what}`, async (t) => {
      const { server, tts, spare, notes } = await serve(t, answer, detail.startsWith('timeout') ? 150 : undefined);
      assert.equal(heard(await collect(tts.speak(line))), `1x${line.text.length}`);
      assert.deepEqual(spare.spoken, [line.text]);
      assert.equal(server.asked.length, times);
      assert.deepEqual(notes, [{ code: 'engine-fell-back', engine: 'deepgram/aura-2-thalia-en', detail }]);
      await Promise.all(server.asked.map(({ closed }) => closed));
    });
  }

  for (const [what, code, end] of [
    ['stalls', 'timeout', () => {}],
    ['is reset', 'broken', ({ request }: Asked) => request.socket.resetAndDestroy()],
    ['is half closed', 'broken', ({ request }: Asked) => request.socket.end()],
  ] as const) {
    it(`goes on with the sentence that ${what}`, async (t) => {
      const { tts, spare, notes } = await serve(
        t,
        (asked, text) => {
          if (!text.startsWith('Two')) return say(asked, text);
          asked.response.writeHead(200, { 'content-type': 'audio/pcm' });
          asked.response.write(bytesOf(new Int16Array(5).fill(9)));
          return setTimeout(() => end(asked), 30);
        },
        400,
      );
      assert.equal(heard(await collect(tts.speak(line))), '9x17 1x28');
      assert.deepEqual(spare.spoken, ['Two is there. Three is gone.']);
      assert.equal(notes.length, 1);
      assert.match(notes[0]?.detail ?? '', new RegExp(`^${code}: `));
    });
  }

  it('does not ask again when other sentences were spoken', async (t) => {
    const { tts, spare, texts } = await serve(t, (asked, text) => text.startsWith('Three') || say(asked, text), 400);
    assert.equal(heard(await collect(tts.speak(line))), '9x25 1x14');
    assert.deepEqual(spare.spoken, ['Three is gone.']);
    assert.deepEqual(texts(), ['One is here.', 'Two is there.', 'Three is gone.']);
  });

  it('is left alone after a failure, and tried again after a while', async (t) => {
    let isDown = true;
    const { server, tts, spare, notes, clock } = await serve(t, (asked, text) =>
      isDown ? asked.response.writeHead(503).end() : say(asked, text),
    );
    const codes = () => notes.map(({ code }) => code);
    const one = { ...line, text: 'One.' };
    await collect(tts.speak(one));
    assert.equal(server.asked.length, 2);
    clock.ms = 29_999;
    await collect(tts.speak(one));
    assert.equal(server.asked.length, 2);
    clock.ms = 30_000;
    await collect(tts.speak(one));
    assert.equal(server.asked.length, 3, 'one probe, without a second attempt');
    await collect(tts.speak(one));
    assert.equal(server.asked.length, 3);
    assert.deepEqual(codes(), ['engine-fell-back']);
    isDown = false;
    clock.ms = 60_000;
    assert.equal(heard(await collect(tts.speak(one))), '9x4');
    assert.equal(heard(await collect(tts.speak(one))), '9x4');
    assert.deepEqual(codes(), ['engine-fell-back', 'engine-recovered']);
    assert.equal(spare.spoken.length, 4);
  });

  it('stays off for the call when the key is wrong', async (t) => {
    const { server, tts, notes, clock } = await serve(t, ({ response }) => response.writeHead(401).end('secret'));
    await collect(tts.speak(line));
    clock.ms = 1e9;
    await collect(tts.speak(line));
    await tts.prepare(line);
    assert.equal(server.asked.length, 1);
    assert.deepEqual(notes, [
      { code: 'engine-switched-off', engine: 'deepgram/aura-2-thalia-en', detail: 'unauthorised: HTTP 401' },
    ]);
  });

  it('prepares its sentences, and the spare one when it cannot', async (t) => {
    let isDown = false;
    const { server, tts, spare, notes } = await serve(t, (asked, text) =>
      isDown ? asked.response.writeHead(503).end() : say(asked, text),
    );
    await tts.prepare(line);
    assert.equal(server.asked.length, 3);
    isDown = true;
    assert.equal(heard(await collect(tts.speak(line))), '9x39');
    assert.equal(server.asked.length, 3);
    await tts.prepare({ ...line, text: 'Four.' });
    assert.deepEqual(spare.prepared, ['Four.']);
    assert.equal(notes.length, 1);
    assert.equal(heard(await collect(tts.speak({ ...line, text: 'Four.' }))), '1x5');
  });

  it('does not wait for a preparation that hangs', async (t) => {
    const { server, tts } = await serve(t, () => {}, 150);
    const one = { ...line, text: 'One.' };
    const prepared = tts.prepare(one);
    await until(() => server.asked.length === 1);
    assert.equal(heard(await collect(tts.speak(one))), '1x4');
    await prepared;
    assert.equal(server.asked.length, 2);
    await Promise.all(server.asked.map(({ closed }) => closed));
  });

  for (const when of ['before the first sound', 'in the middle', 'by closing'] as const) {
    it(`is silent at once when it is interrupted: ${when}`, async (t) => {
      const { server, tts, spare, notes } = await serve(t, ({ response }) => {
        if (when !== 'in the middle') return;
        response.writeHead(200, { 'content-type': 'audio/pcm' });
        response.write(bytesOf(new Int16Array(5).fill(9)));
      });
      const controller = new AbortController();
      const spoken = collect(tts.speak({ ...line, signal: controller.signal }));
      await until(() => server.asked.length >= (when === 'in the middle' ? 2 : 1));
      if (when === 'by closing') await tts.close();
      else controller.abort();
      assert.equal((await spoken).length, when === 'in the middle' ? 5 : 0);
      await Promise.all(server.asked.map(({ closed }) => closed));
      assert.deepEqual([spare.spoken, notes], [[], []]);
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    });
  }

  it('leaves no listener and no connection behind in two hundred texts', async (t) => {
    let count = 0;
    const { server, tts, clock } = await serve(t, (asked, text) => {
      const kind = count++ % 6;
      if (kind === 3) asked.request.socket.resetAndDestroy();
      else if (kind === 5) asked.response.writeHead(500).end();
      else say(asked, text);
    });
    const { signal } = new AbortController();
    for (let n = 0; n < 200; n++) {
      clock.ms += 31_000;
      const sound = await collect(tts.speak({ ...line, signal }));
      assert.ok(sound.length >= 39, heard(sound));
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    await until(() => server.connections.open <= 2);
  });
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loudness } from '../../../test/harness/audio.ts';
import { hearAll, quiet, spokenWhole, wholeText } from '../../../test/harness/speech.ts';
import { joined } from '../../rtp/pcm.ts';
import { sttOf } from '../hearing/stt.ts';
import type { LineRate, Transcript } from '../ports.ts';
import { embeddedRecogniser } from './embedded-recogniser.ts';
import { EmbeddedTts } from './embedded-tts.ts';
import { fliteVoices } from './flite.ts';
import { PhraseCache } from './phrase-cache.ts';
import { WorkerPool } from './worker-pool.ts';

let pool: WorkerPool;
let tts: EmbeddedTts;

before(async () => {
  pool = new WorkerPool({ workers: 2 });
  tts = new EmbeddedTts(pool, await PhraseCache.open({}));
  await pool.ready;
});
after(() => pool.close());

async function heard(sound: Int16Array, sampleRate: LineRate): Promise<Transcript[]> {
  const finals: Transcript[] = [];
  const listener = sttOf(embeddedRecogniser(pool)).listen({ sampleRate, onFinal: (final) => finals.push(final) });
  await hearAll(listener, joined(quiet(400, sampleRate), sound, quiet(1_600, sampleRate)), sampleRate);
  return finals;
}

const letters = (text: string) => text.toLowerCase().replace(/[^a-z ]/g, '');

for (const sampleRate of [8_000, 16_000] as const) {
  test(`what is spoken is understood at ${sampleRate / 1_000} kHz`, async () => {
    const text = 'Hello, I would like to talk about the new office building.';
    const sound = await spokenWhole(tts, { text, voice: 'rms', sampleRate });
    const finals = await heard(sound, sampleRate);
    assert.equal(letters(wholeText(finals)), letters(text));
    assert.ok(finals.every(({ confidence }) => confidence > 0.5 && confidence <= 1));
    const [first] = finals;
    const last = finals.at(-1);
    assert.ok(first && Math.abs(first.startMs - 400) < 150, String(first?.startMs));
    const endMs = 400 + (sound.length * 1_000) / sampleRate;
    assert.ok(last && Math.abs(last.endMs - endMs) < 350, `${last?.endMs} of ${endMs}`);
  });
}

for (const answer of ['No.', 'Four.', "I don't know.", 'Yes.']) {
  test(`the short answer "${answer}" is understood`, async () => {
    const sound = await spokenWhole(tts, { text: answer, voice: 'rms', sampleRate: 8_000 });
    assert.equal(letters(wholeText(await heard(sound, 8_000))), letters(answer));
  });
}

test('silence is nothing', async () => {
  assert.deepEqual(await heard(quiet(3_000, 8_000), 8_000), []);
});

test('every voice speaks, and each sounds different', async () => {
  const sounds = await Promise.all(
    fliteVoices.map((voice) => spokenWhole(tts, { text: 'Good morning.', voice, sampleRate: 8_000 })),
  );
  for (const sound of sounds) assert.ok(loudness(sound) > 300);
  assert.equal(new Set(sounds.map((sound) => sound.length)).size, fliteVoices.length);
});

test('a slower pace takes longer', async () => {
  const request = { text: 'Could you tell me your address?', sampleRate: 8_000 } as const;
  const normal = await spokenWhole(tts, request);
  const slow = await spokenWhole(tts, { ...request, pace: 0.75 });
  const ratio = slow.length / normal.length;
  assert.ok(ratio > 1.2 && ratio < 1.45, String(ratio));
});

test('the first sound of a long text comes before the last is made', async () => {
  const text = 'This is the first sentence. '.repeat(30);
  const pieces: number[] = [];
  let waitingAtFirst = 0;
  for await (const piece of tts.speak({ text: `${text} And an end.`, sampleRate: 8_000, voice: 'awb' })) {
    if (pieces.length === 0) waitingAtFirst = pool.waiting;
    pieces.push(piece.length);
  }
  assert.ok(pieces.length > 20);
  assert.ok(waitingAtFirst <= 2, 'only a few sentences are ordered ahead');
});

test('a text that was prepared is not rendered again', async () => {
  const request = { text: 'Prepared in good time.', sampleRate: 8_000 } as const;
  await tts.prepare(request);
  const closed = new EmbeddedTts(await closedPool(), await cacheOf(request.text));
  await assert.rejects(spokenWhole(closed, { ...request, text: 'Not prepared.' }), /closed/);
  assert.deepEqual(await spokenWhole(closed, request), await spokenWhole(tts, request));
});

async function closedPool(): Promise<WorkerPool> {
  const closed = new WorkerPool({ workers: 0 });
  await closed.close();
  return closed;
}

async function cacheOf(text: string): Promise<PhraseCache> {
  const cache = await PhraseCache.open({});
  await new EmbeddedTts(pool, cache).prepare({ text, sampleRate: 8_000 });
  return cache;
}

test('speaking stops when it is cancelled, without an error', async () => {
  const controller = new AbortController();
  let pieces = 0;
  const request = { text: 'One sentence more. '.repeat(40), sampleRate: 8_000, signal: controller.signal } as const;
  for await (const _ of tts.speak(request)) if (++pieces === 2) controller.abort();
  assert.equal(pieces, 2);
});

test('nothing to say is no sound and no error', async () => {
  for (const text of ['', ' ', '…', '!?', '🙂']) {
    assert.equal((await spokenWhole(tts, { text, sampleRate: 8_000 })).length, 0);
  }
});

test('what a listener was waiting for is dropped when it is closed', async () => {
  const sound = await spokenWhole(tts, { text: 'Is anybody there?', sampleRate: 8_000 });
  const finals: Transcript[] = [];
  const listener = sttOf(embeddedRecogniser(pool)).listen({
    sampleRate: 8_000,
    onFinal: (final) => finals.push(final),
  });
  for (let at = 0; at + 160 <= sound.length; at += 160) listener.hear(sound.slice(at, at + 160));
  listener.close();
  await listener.settled();
  assert.deepEqual(finals, []);
});

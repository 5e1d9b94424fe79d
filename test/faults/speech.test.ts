import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { joined } from '../../src/rtp/pcm.ts';
import { embeddedRecogniser } from '../../src/speech/embedded/embedded-recogniser.ts';
import { EmbeddedTts } from '../../src/speech/embedded/embedded-tts.ts';
import { PhraseCache } from '../../src/speech/embedded/phrase-cache.ts';
import { WorkerPool } from '../../src/speech/embedded/worker-pool.ts';
import { sttOf } from '../../src/speech/hearing/stt.ts';
import type { Transcript } from '../../src/speech/ports.ts';
import { residentMegabytes } from '../harness/resident-memory.ts';
import { hearAll, quiet, spokenWhole, wholeText } from '../harness/speech.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 20);
const sampleRate = 8_000;
const utterancesPerRound = 100;
const callsAtOnce = 6;
/** Each worker may hold the memory of one or two renderings, some 50 MB, until it is collected. */
const uncollectedMegabytes = 120;

describe('speech', () => {
  const lost: string[] = [];
  let pool: WorkerPool;

  before(async () => {
    pool = new WorkerPool({ workers: 2, onWorkerLost: (reason) => lost.push(reason) });
    await pool.ready;
  });
  after(() => pool.close());

  /** Says it and hears it again. */
  async function echo(tts: EmbeddedTts, text: string): Promise<string> {
    const sound = await spokenWhole(tts, { text, voice: 'rms', sampleRate });
    const finals: Transcript[] = [];
    const listener = sttOf(embeddedRecogniser(pool)).listen({ sampleRate, onFinal: (final) => finals.push(final) });
    await hearAll(listener, joined(quiet(300, sampleRate), sound, quiet(800, sampleRate)), sampleRate);
    return wholeText(finals);
  }

  it(`${rounds} workers killed in the middle of six calls: every utterance is spoken and understood`, async () => {
    const tts = new EmbeddedTts(pool, await PhraseCache.open({ memoryBytes: 0 }));
    const stop = new AbortController();
    const heard: string[] = [];
    const calls = Array.from({ length: callsAtOnce }, async () => {
      while (!stop.signal.aborted) heard.push(await echo(tts, 'Thank you very much.'));
    });
    for (let round = 0; round < rounds; round++) {
      const target = heard.length + callsAtOnce;
      while (heard.length < target) await sleep(10);
      const processId = pool.processIds[round % pool.processIds.length];
      if (processId) process.kill(processId, 'SIGKILL');
      while (lost.length <= round || pool.processIds.length < 2) await sleep(10);
    }
    stop.abort();
    await Promise.all(calls);
    assert.equal(lost.length, rounds);
    assert.deepEqual(new Set(heard), new Set(['Thank you very much.']));
  });

  it(`memory is flat over ${rounds * utterancesPerRound} utterances`, async (t) => {
    const tts = new EmbeddedTts(pool, await PhraseCache.open({ memoryBytes: 100_000 }));
    const megabytes: number[] = [];
    // The first round fills pools and caches.
    for (let round = 0; round <= rounds; round++) {
      for (let done = 0; done < utterancesPerRound; done += callsAtOnce) {
        await Promise.all(
          Array.from({ length: callsAtOnce }, (_, call) => echo(tts, `Thank you, number ${done + call}.`)),
        );
      }
      megabytes.push([process.pid, ...pool.processIds].reduce((sum, id) => sum + residentMegabytes(id), 0));
    }
    t.diagnostic(`resident after each round: ${megabytes.map(Math.round).join(', ')} MB`);
    const early = Math.max(...megabytes.slice(0, Math.ceil(megabytes.length / 2)));
    const last = megabytes.at(-1) as number;
    assert.ok(last < early + uncollectedMegabytes, `${Math.round(early)} MB became ${Math.round(last)} MB`);
  });
});

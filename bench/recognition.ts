import { joined } from '../src/rtp/pcm.ts';
import { embeddedRecogniser } from '../src/speech/embedded/embedded-recogniser.ts';
import { WorkerPool } from '../src/speech/embedded/worker-pool.ts';
import { sttOf } from '../src/speech/hearing/stt.ts';
import type { Stt, Transcript } from '../src/speech/ports.ts';
import { hearAll, quiet, wholeText } from '../test/harness/speech.ts';
import { type Figure, type Measure, toSample } from './figure.ts';
import { arePromptsInstalled, type HumanItem, humanSentences, humanShortAnswers } from './human-prompts.ts';
import {
  addNoise,
  lineRate,
  loudness,
  spoken,
  testSentences,
  testShortAnswers,
  testVoices,
  throughMuLaw,
} from './spoken-set.ts';
import { type WordErrors, wordErrors } from './word-error.ts';

const noises = [undefined, 20, 10] as const;
const atOnce = 2;

/** Words that were understood wrongly, through the same ears as in a call: voice detector, listener, engine. */
export const measureRecognition: Measure = async ({ signal }) => {
  const pool = new WorkerPool();
  const stt = sttOf(embeddedRecogniser(pool));
  try {
    const figures: Figure[] = [];
    for (const noiseDb of noises) {
      for (const [kind, texts] of [
        ['sentences', testSentences],
        ['short answers', testShortAnswers],
      ] as const) {
        const items = synthetic(texts, noiseDb);
        figures.push(await figure(`${kind}, synthetic voices${describe(noiseDb)}`, stt, items, signal));
      }
      if (!arePromptsInstalled()) continue;
      for (const [kind, items] of [
        ['sentences', humanSentences()],
        ['short answers', humanShortAnswers()],
      ] as const) {
        const noisy = items.map((item, index) => onTheLine(item, noiseDb, index));
        figures.push(await figure(`${kind}, a real person${describe(noiseDb)}`, stt, noisy, signal));
      }
    }
    return figures;
  } finally {
    await pool.close();
  }
};

const describe = (noiseDb: number | undefined) => (noiseDb === undefined ? '' : `, noise ${noiseDb} dB below`);

function synthetic(texts: string[], noiseDb: number | undefined): HumanItem[] {
  return testVoices.flatMap((voice, voiceIndex) =>
    texts.map((text, index) => {
      const pace = [0.95, 1, 1.05][(voiceIndex + index) % 3] as number;
      const seed = 1 + voiceIndex * 1_000 + index;
      return { text, samples: spoken({ text, voice, pace, ...(noiseDb !== undefined && { noiseDb }) }, seed) };
    }),
  );
}

function onTheLine({ text, samples }: HumanItem, noiseDb: number | undefined, seed: number): HumanItem {
  const line = joined(quiet(400, lineRate), samples, quiet(2_000, lineRate));
  if (noiseDb !== undefined) addNoise(line, loudness(samples) / 10 ** (noiseDb / 20), seed + 1);
  return { text, samples: throughMuLaw(line) };
}

async function figure(name: string, stt: Stt, items: HumanItem[], signal: AbortSignal): Promise<Figure> {
  const waiting = [...items];
  const sum: WordErrors = { words: 0, errors: 0 };
  const work = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      signal.throwIfAborted();
      const finals: Transcript[] = [];
      const listener = stt.listen({ sampleRate: lineRate, onFinal: (final) => finals.push(final) });
      await hearAll(listener, item.samples, lineRate);
      const { words, errors } = wordErrors(item.text, wholeText(finals));
      sum.words += words;
      sum.errors += errors;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { name: `word error, ${name}`, unit: '%', ours: toSample([(100 * sum.errors) / sum.words]) };
}

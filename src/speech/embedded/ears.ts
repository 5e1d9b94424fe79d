import { resample } from '../../rtp/resample.ts';
import { denoise } from './denoise.ts';
import type { RecogniseJob } from './jobs.ts';
import { Moonshine, type MoonshineResult, moonshineRate, type WriteOptions } from './moonshine.ts';
import { asAnswer, type Opinion, shortSeconds, weighShortAnswer } from './short-answer.ts';

/** Below this the small model is asked to step aside; above it the large one found next to nothing to mend. */
const sureConfidence = 0.9;
/** Of a long utterance, the texts that the large model follows at once: with three it understands hardly more, and later. */
const width = 2;
/** A long utterance stays with the small model if the large one is this much less sure of it. */
const trust = 0.1;

/** Before a short utterance: the large model then understands a quarter of the words that it got wrong. */
const silenceSamples = moonshineRate / 5;

/**
 * The small model, and where it is unsure of a whole utterance the large one, which starts from its words. Of a
 * short utterance both are asked, also for what people usually say. The large one hears that as it came over the
 * line: what the filter took from it was heard by the other.
 */
export class Ears {
  readonly #small: Moonshine;
  readonly #large: Moonshine;

  private constructor(small: Moonshine, large: Moonshine) {
    this.#small = small;
    this.#large = large;
  }

  static async load(): Promise<Ears> {
    return new Ears(await Moonshine.load('tiny'), await Moonshine.load('base'));
  }

  async recognise({ samples, sampleRate, draft, isWhole, isHurried }: RecogniseJob): Promise<MoonshineResult> {
    const filtered = denoise(samples);
    const waveform = waveformOf(filtered, sampleRate);
    const first = await opinionOf(this.#small, waveform, { draft });
    if (!isWhole) return resultOf(first);
    const isShort = first.hearing.seconds <= shortSeconds;
    if (first.writing.confidence >= sureConfidence) return isShort ? asAnswer(first.writing) : resultOf(first);
    if (isHurried) return isShort ? weighShortAnswer([first]) : resultOf(first);
    const { tokens } = first.writing;
    if (isShort) {
      const unfiltered = filtered === samples ? waveform : waveformOf(samples, sampleRate);
      return weighShortAnswer([first, await opinionOf(this.#large, afterSilence(unfiltered), { draft: tokens })]);
    }
    const second = await opinionOf(this.#large, waveform, { draft: tokens, width });
    return resultOf(second.writing.confidence > first.writing.confidence - trust ? second : first);
  }
}

function waveformOf(samples: Int16Array, sampleRate: number): Float32Array {
  const wide = resample(samples, sampleRate, moonshineRate);
  const waveform = new Float32Array(wide.length);
  for (let at = 0; at < wide.length; at++) waveform[at] = (wide[at] as number) / 32_768;
  return waveform;
}

function afterSilence(waveform: Float32Array): Float32Array {
  const later = new Float32Array(silenceSamples + waveform.length);
  later.set(waveform, silenceSamples);
  return later;
}

async function opinionOf(model: Moonshine, waveform: Float32Array, options: WriteOptions): Promise<Opinion> {
  const hearing = await model.hear(waveform);
  return { model, hearing, writing: await model.write(hearing, options) };
}

/** What goes back over the line to the main process, and no more. */
function resultOf({ writing: { text, confidence, tokens } }: Opinion): MoonshineResult {
  return { text, confidence, tokens };
}

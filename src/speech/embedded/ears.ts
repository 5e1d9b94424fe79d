import { resample } from '../../rtp/resample.ts';
import { denoise } from './denoise.ts';
import type { RecogniseJob } from './jobs.ts';
import { Moonshine, type MoonshineResult, moonshineRate } from './moonshine.ts';
import { asAnswer, type Opinion, shortSeconds, weighShortAnswer } from './short-answer.ts';

/** Below this the small model is asked to step aside; above it the large one found next to nothing to mend. */
const sureConfidence = 0.9;
/** A long utterance stays with the small model if the large one is this much less sure of it. */
const trust = 0.1;

/**
 * The small model, and where it is unsure of a whole utterance the large one, which starts from its words. Of a
 * short utterance both are asked, also for what people usually say.
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
    const wide = resample(denoise(samples), sampleRate, moonshineRate);
    const waveform = Float32Array.from(wide, (sample) => sample / 32_768);
    const first = await opinionOf(this.#small, waveform, draft);
    if (!isWhole) return resultOf(first);
    const isShort = first.hearing.seconds <= shortSeconds;
    if (first.writing.confidence >= sureConfidence) return isShort ? asAnswer(first.writing) : resultOf(first);
    if (isHurried) return isShort ? weighShortAnswer([first]) : resultOf(first);
    const second = await opinionOf(this.#large, waveform, first.writing.tokens);
    if (isShort) return weighShortAnswer([first, second]);
    return resultOf(second.writing.confidence > first.writing.confidence - trust ? second : first);
  }
}

async function opinionOf(model: Moonshine, waveform: Float32Array, draft: number[]): Promise<Opinion> {
  const hearing = await model.hear(waveform);
  return { model, hearing, writing: await model.write(hearing, draft) };
}

/** What goes back over the line to the main process, and no more. */
function resultOf({ writing: { text, confidence, tokens } }: Opinion): MoonshineResult {
  return { text, confidence, tokens };
}

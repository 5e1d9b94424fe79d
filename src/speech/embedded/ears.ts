import { resample } from '../../rtp/resample.ts';
import { denoise } from './denoise.ts';
import type { RecogniseJob } from './jobs.ts';
import { Moonshine, type MoonshineResult, moonshineRate, shortSeconds } from './moonshine.ts';

/** Below this the small model is asked to step aside; above it the large one found next to nothing to mend. */
const sureConfidence = 0.9;
/** A long utterance stays with the small model if the large one is this much less sure of it. */
const trust = 0.1;

/** The small model, and where it is unsure of a whole utterance the large one, which starts from its words. */
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
    const first = await this.#small.recognise(waveform, { draft, isWhole });
    if (!isWhole || isHurried || first.confidence >= sureConfidence) return first;
    const second = await this.#large.recognise(waveform, { draft: first.tokens });
    const isShort = waveform.length <= shortSeconds * moonshineRate;
    return isShort || second.confidence > first.confidence - trust ? second : first;
  }
}

import loadFvad, { type Fvad } from '@echogarden/fvad-wasm';
import { levelDb } from '../level.ts';
import type { LineRate, Vad } from '../ports.ts';
import { NoiseFloor } from './noise-floor.ts';

const frameMs = 20;
/** Of four, from lenient to strict: the strict ones miss soft endings. */
const mode = 2;
/** What is speech stands out this far from the noise of the line. */
const marginDb = 6;
/** A room behind a telephone is not quieter than this; what is, is the line's own hiss. */
const quietestDb = -58;

/** Between the vowels and the floor: softer sounds are some 25 dB below the vowels. */
const clearDb = 32;
/** A frame. */
const forgottenDb = 0.5;

/** WebRTC's detector, and only what stands out from the noise: by itself it takes steady noise for speech. */
export function openVad(sampleRate: LineRate): Vad {
  return new FvadVad(fvad, sampleRate);
}

const fvad = await loadFvad();

class FvadVad implements Vad {
  readonly #fvad: Fvad;
  readonly #handle: number;
  readonly #buffer: number;
  readonly #samples: number;
  readonly #floor = new NoiseFloor();
  #speechDb = -96;
  #floorDb = 0;
  #isClosed = false;

  constructor(fvad: Fvad, sampleRate: LineRate) {
    this.#fvad = fvad;
    this.#samples = (sampleRate * frameMs) / 1_000;
    this.#handle = fvad._fvad_new();
    this.#buffer = fvad._malloc(this.#samples * Int16Array.BYTES_PER_ELEMENT);
    if (!this.#handle || !this.#buffer) throw new Error('There is no memory for another voice detector');
    fvad._fvad_set_mode(this.#handle, mode);
    fvad._fvad_set_sample_rate(this.#handle, sampleRate);
  }

  hear(frame: Int16Array): boolean {
    if (this.#isClosed) return false;
    if (frame.length !== this.#samples)
      throw new RangeError(`A frame has ${this.#samples} samples, not ${frame.length}`);
    const level = levelDb(frame);
    const floor = this.#floor.hear(level);
    this.#fvad.HEAP16.set(frame, this.#buffer / Int16Array.BYTES_PER_ELEMENT);
    const isVoice = this.#fvad._fvad_process(this.#handle, this.#buffer, this.#samples) === 1;
    const isSpeech = isVoice && level > Math.max(floor + marginDb, quietestDb);
    this.#floorDb = floor;
    // The loudness of vowels: it follows a louder one at once and forgets it within a second.
    if (isSpeech) this.#speechDb = Math.max(level, this.#speechDb - forgottenDb);
    return isSpeech;
  }

  get isClear(): boolean {
    return this.#speechDb - this.#floorDb > clearDb;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#fvad._fvad_free(this.#handle);
    this.#fvad._free(this.#buffer);
  }
}

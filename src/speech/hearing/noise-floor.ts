const framesPerPart = 25;
const partsKept = 8;
/** Digital silence, as between packets or before the other side's microphone opens, says nothing of the noise. */
const silenceDb = -80;

/**
 * How loud it is when nobody speaks: the quietest of the last four seconds, in which even a fluent talker
 * draws breath. It falls at once and rises as old quiet is forgotten.
 */
export class NoiseFloor {
  readonly #quietest: number[] = [];
  #current = 0;
  #frames = 0;

  /** Takes the level of the next 20 ms in dB below full scale, gives the floor. */
  hear(levelDb: number): number {
    if (levelDb > silenceDb) this.#current = this.#frames === 0 ? levelDb : Math.min(this.#current, levelDb);
    if (levelDb > silenceDb && ++this.#frames === framesPerPart) {
      this.#quietest.push(this.#current);
      if (this.#quietest.length > partsKept) this.#quietest.shift();
      this.#frames = 0;
    }
    const parts = this.#frames > 0 ? [...this.#quietest, this.#current] : this.#quietest;
    // Of one short part alone it is not known whether it is all speech.
    return parts.length > 1 || this.#frames >= framesPerPart / 2 ? Math.min(...parts) : unknownDb;
  }
}

const unknownDb = -96;

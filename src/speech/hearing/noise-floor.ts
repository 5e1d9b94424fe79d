const framesPerPart = 25;
const partsKept = 8;
/** Digital silence, as between packets or before the other side's microphone opens, says nothing of the noise. */
const silenceDb = -80;

/**
 * How loud it is when nobody speaks: the quietest of the last four seconds, in which even a fluent talker
 * draws breath. It falls at once, also between the sounds of somebody who speaks from the beginning, and
 * rises as old quiet is forgotten.
 */
export class NoiseFloor {
  readonly #quietest: number[] = [Number.POSITIVE_INFINITY];
  #frames = 0;

  /** Takes the level of the next 20 ms in dB below full scale, gives the floor. */
  hear(levelDb: number): number {
    if (levelDb > silenceDb) this.#remember(levelDb);
    const floor = Math.min(...this.#quietest);
    return floor === Number.POSITIVE_INFINITY ? silenceDb : floor;
  }

  #remember(levelDb: number): void {
    const part = this.#quietest.length - 1;
    this.#quietest[part] = Math.min(this.#quietest[part] as number, levelDb);
    if (++this.#frames < framesPerPart) return;
    this.#frames = 0;
    this.#quietest.push(Number.POSITIVE_INFINITY);
    if (this.#quietest.length > partsKept) this.#quietest.shift();
  }
}

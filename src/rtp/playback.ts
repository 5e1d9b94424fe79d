type Item = { id: number; pcm: Int16Array; played: number };

const fadeMs = 5;

/** What is to be said, one piece after the other. */
export class Playback {
  readonly #onPlayed: (id: number, samples: number, isComplete: boolean) => void;
  readonly #fadeSamples: number;
  #queue: Item[] = [];
  #isSounding = false;
  /** The last bit after a stop, so that the voice does not end with a click. */
  #tail: Int16Array | undefined;

  constructor(sampleRate: number, onPlayed: (id: number, samples: number, isComplete: boolean) => void) {
    this.#fadeSamples = (fadeMs * sampleRate) / 1000;
    this.#onPlayed = onPlayed;
  }

  push(id: number, pcm: Int16Array): void {
    this.#queue.push({ id, pcm, played: 0 });
  }

  /** Writes the next samples to the start of the frame; how many there were. */
  next(frame: Int16Array): number {
    let filled = 0;
    if (this.#tail) {
      frame.set(this.#tail);
      filled = this.#tail.length;
      this.#tail = undefined;
    }
    for (let item = this.#queue[0]; item && filled < frame.length; item = this.#queue[0]) {
      const part = item.pcm.subarray(item.played, item.played + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      item.played += part.length;
      if (item.played < item.pcm.length) break;
      this.#queue.shift();
      this.#onPlayed(item.id, item.played, true);
    }
    this.#isSounding = filled === frame.length;
    return filled;
  }

  stop(): void {
    const [current] = this.#queue;
    if (current && this.#isSounding) {
      const rest = current.pcm.subarray(current.played, current.played + this.#fadeSamples);
      this.#tail = rest.map((sample, i) => Math.round(sample * (1 - (i + 1) / this.#fadeSamples)));
    }
    const stopped = this.#queue;
    this.#queue = [];
    for (const { id, played } of stopped) this.#onPlayed(id, played, false);
  }
}

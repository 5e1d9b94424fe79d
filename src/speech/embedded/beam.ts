/** A text that is being written, as the tokens chosen so far. */
export interface Path {
  tokens: number[];
  /** How likely they are together, as a logarithm. */
  logProbability: number;
  /** At each of its places how likely each token was, as logarithms. */
  rows: Float32Array[];
  isOver: boolean;
}

/** Between 0, where short texts win, and 1, where long ones do. */
const lengthWeight = 0.8;

/**
 * The likeliest texts so far, a few at a time: the token that is likeliest by itself may lead to a text that is not,
 * above all in noise.
 */
export class Beam {
  readonly #width: number;
  readonly #endToken: number;
  #paths: Path[];
  /** For each open path which of those that were open before it goes on from. */
  parents: number[] = [];

  constructor(width: number, endToken: number, beginning: Path) {
    this.#width = width;
    this.#endToken = endToken;
    this.#paths = [beginning];
  }

  /** Those that go on. */
  get open(): Path[] {
    return this.#paths.filter(({ isOver }) => !isOver);
  }

  get best(): Path {
    return this.#paths[0] as Path;
  }

  /** `rows`: for each open path how likely each token is to follow. */
  grow(rows: Float32Array[], allowed: Int32Array): void {
    const over = this.#paths.filter(({ isOver }) => isOver).map((path) => ({ path, parent: -1 }));
    const longer = this.open.flatMap((path, parent) => {
      const row = rows[parent] as Float32Array;
      return likeliest(row, allowed, this.#width).map((token) => ({ path: this.#withToken(path, token, row), parent }));
    });
    const kept = [...over, ...longer].sort((a, b) => worth(b.path) - worth(a.path)).slice(0, this.#width);
    this.parents = kept.filter(({ path }) => !path.isOver).map(({ parent }) => parent);
    this.#paths = kept.map(({ path }) => path);
  }

  #withToken({ tokens, logProbability, rows }: Path, token: number, row: Float32Array): Path {
    const isOver = token === this.#endToken;
    return {
      tokens: isOver ? tokens : [...tokens, token],
      logProbability: logProbability + (row[token] as number),
      rows: [...rows, row],
      isOver,
    };
  }
}

/** The mean probability of its tokens, the end among them. */
export function meanProbability({ logProbability, rows }: Path): number {
  return Math.exp(logProbability / rows.length);
}

function worth({ logProbability, rows }: Path): number {
  return logProbability / rows.length ** lengthWeight;
}

/** In the order of their likelihood. */
export function likeliest(row: Float32Array, allowed: Int32Array, count: number): number[] {
  const found: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < allowed.length; index++) {
    const token = allowed[index] as number;
    const score = row[token] as number;
    if (score <= least) continue;
    const place = found.findIndex((other) => (row[other] as number) < score);
    found.splice(place < 0 ? found.length : place, 0, token);
    if (found.length > count) found.pop();
    if (found.length === count) least = row[found.at(-1) as number] as number;
  }
  return found;
}

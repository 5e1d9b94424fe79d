import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tokenizer from 'llama-tokenizer-js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Recognition } from '../ports.ts';
import { splitDecoder } from './decoder-graphs.ts';

export const moonshineRate = 16_000;

export interface MoonshineResult extends Recognition {
  tokens: number[];
}

/** A sound as the encoder understood it. */
export type Hearing = { state: Tensor; seconds: number };

/** What was written of a sound, and how likely every token would have been at each of its places. */
export interface Writing extends MoonshineResult {
  /** The logarithms of the probabilities, for the places of a short text; the last is that of its end. */
  rows: Float32Array[];
}

/** Tiny is nearly twice as fast; base makes half the mistakes. */
export type MoonshineSize = 'tiny' | 'base';
const layersOf: Record<MoonshineSize, number> = { tiny: 6, base: 8 };
const startToken = 1;
const endToken = 2;
/** English speech has up to some 6 tokens in a second; more is the decoder going round in circles. */
const tokensPerSecond = 6.5;
const fewestTokens = 6;
/** What is said in two seconds has no more; each is of the size of the vocabulary. */
const rowsKept = 14;

/** Moonshine: an encoder over the waveform and a decoder that writes one token after the other. */
export class Moonshine {
  readonly #encoder: InferenceSession;
  readonly #first: InferenceSession;
  readonly #next: InferenceSession;
  readonly #memory: MemoryParts;

  private constructor(sessions: Sessions, layers: number) {
    this.#encoder = sessions.encoder;
    this.#first = sessions.first;
    this.#next = sessions.next;
    this.#memory = memoryParts(layers);
  }

  static async load(size: MoonshineSize): Promise<Moonshine> {
    const modelFolder = join(dirname(fileURLToPath(import.meta.resolve('@usefulsensors/moonshine-js'))), 'model');
    const weights = (name: string) => readFile(join(modelFolder, size, 'quantized', name));
    const { first, next } = splitDecoder(await weights('decoder_model_merged.onnx'));
    const sessions = {
      encoder: await InferenceSession.create(await weights('encoder_model.onnx'), sessionOptions),
      first: await InferenceSession.create(first, sessionOptions),
      next: await InferenceSession.create(next, sessionOptions),
    };
    return new Moonshine(sessions, layersOf[size]);
  }

  /** Tiny takes some 35 ms of a core for each second of speech, most of it in one piece: not for a thread with other duties. */
  async hear(samples: Float32Array): Promise<Hearing> {
    const input = new Tensor('float32', samples, [1, samples.length]);
    const { last_hidden_state: state } = await this.#encoder.run({ input_values: input });
    if (!state) throw new Error('The encoder gave no state');
    return { state, seconds: samples.length / moonshineRate };
  }

  /** `draft`: the tokens of an earlier text for the beginning of the same utterance, checked in one step, not written again. */
  async write({ state, seconds }: Hearing, draft: number[] = []): Promise<Writing> {
    const most = Math.max(fewestTokens, Math.ceil(seconds * tokensPerSecond));
    const opening = [startToken, ...draft.slice(0, most - 1)];
    const output = await this.#first.run({ input_ids: tokenTensor(opening), encoder_hidden_states: state });
    const written = new Text();
    const logits = output['logits'] as Tensor;
    do written.add(row(logits, written.length));
    while (!written.isOver && written.length < opening.length && written.last === opening[written.length]);

    const memory: Memory = keep(output, this.#memory, written.length);
    while (!written.isOver && written.length < most) {
      const step = await this.#next.run({ ...memory, input_ids: tokenTensor([written.last]) });
      written.add(row(step['logits'] as Tensor, 0));
      for (const name of this.#memory.own) memory[past(name)] = step[present(name)] as Tensor;
    }
    return written.result();
  }

  /** How likely each text is the whole of what was said, as a logarithm. */
  async score({ state }: Hearing, candidates: number[][]): Promise<number[]> {
    const longest = Math.max(...candidates.map((tokens) => tokens.length)) + 2;
    const ids = candidates.flatMap((tokens) => {
      const padding = Array<number>(longest - 2 - tokens.length).fill(endToken);
      return [startToken, ...tokens, fullStop, ...padding];
    });
    const { logits } = await this.#first.run({
      input_ids: tokenTensor(ids, candidates.length),
      encoder_hidden_states: repeated(state, candidates.length),
    });
    return candidates.map((tokens, candidate) => {
      const scores = (position: number) => row(logits as Tensor, candidate * longest + position);
      const said = tokens.reduce((sum, token, index) => sum + (scores(index)[token] as number), 0);
      return said + endProbability(scores(tokens.length), scores(tokens.length + 1));
    });
  }
}

interface Sessions {
  encoder: InferenceSession;
  first: InferenceSession;
  next: InferenceSession;
}

const sessionOptions: InferenceSession.SessionOptions = {
  // The pool has a worker for each core; threads within a worker would only wait for one another.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // The arena would keep what the longest utterance ever needed, and is no faster.
  enableCpuMemArena: false,
  graphOptimizationLevel: 'all',
  logSeverityLevel: 4,
  // One of these optimisations turns the whole table of embeddings to floats, again at each token.
  extra: { session: { disable_quant_qdq: '1' } },
};

type Memory = Record<string, Tensor>;

/** What the decoder remembers of its own tokens, which grows, and of what was heard, which stays. */
interface MemoryParts {
  own: string[];
  heard: string[];
}

function memoryParts(layers: number): MemoryParts {
  const partsOf = (side: string) =>
    Array.from({ length: layers }, (_, layer) => [`${layer}.${side}.key`, `${layer}.${side}.value`]).flat();
  return { own: partsOf('decoder'), heard: partsOf('encoder') };
}

const past = (name: string) => `past_key_values.${name}`;
const present = (name: string) => `present.${name}`;

function keep(output: InferenceSession.OnnxValueMapType, parts: MemoryParts, tokens: number): Memory {
  const memory: Memory = {};
  for (const name of parts.heard) memory[past(name)] = output[present(name)] as Tensor;
  for (const name of parts.own) memory[past(name)] = firstTokens(output[present(name)] as Tensor, tokens);
  return memory;
}

/** Forgets the tokens of a draft that turned out wrong: the tensor is [1, heads, tokens, headSize]. */
function firstTokens(tensor: Tensor, tokens: number): Tensor {
  const [, heads = 0, all = 0, headSize = 0] = tensor.dims;
  if (all === tokens) return tensor;
  const data = tensor.data as Float32Array;
  const kept = new Float32Array(heads * tokens * headSize);
  for (let head = 0; head < heads; head++) {
    const from = head * all * headSize;
    kept.set(data.subarray(from, from + tokens * headSize), head * tokens * headSize);
  }
  return new Tensor('float32', kept, [1, heads, tokens, headSize]);
}

function tokenTensor(tokens: number[], rows = 1): Tensor {
  return new Tensor('int64', BigInt64Array.from(tokens, BigInt), [rows, tokens.length / rows]);
}

function repeated(tensor: Tensor, times: number): Tensor {
  const data = tensor.data as Float32Array;
  const all = new Float32Array(data.length * times);
  for (let time = 0; time < times; time++) all.set(data, time * data.length);
  return new Tensor('float32', all, [times, ...tensor.dims.slice(1)]);
}

/** The logarithms of the probabilities of all tokens at one place. */
function row(logits: Tensor, index: number): Float32Array {
  const vocabulary = logits.dims[2] as number;
  return (logits.data as Float32Array).subarray(index * vocabulary, (index + 1) * vocabulary);
}

/** Of the end of a text: at once, or behind a full stop or a comma, if nothing follows there. */
function endProbability(last: Float32Array, afterStop: Float32Array): number {
  const stop = stops.reduce((sum, token) => sum + Math.exp(last[token] as number), 0);
  return Math.log(Math.exp(last[endToken] as number) + stop * Math.exp(afterStop[endToken] as number));
}

/** The tokens chosen so far, the likeliest each time. */
class Text {
  readonly #tokens: number[] = [];
  readonly #rows: Float32Array[] = [];
  #logProbability = 0;
  isOver = false;

  get length(): number {
    return this.#tokens.length;
  }

  get last(): number {
    return this.#tokens.at(-1) ?? startToken;
  }

  add(scores: Float32Array): void {
    if (this.#rows.length < rowsKept) this.#rows.push(scores);
    // A short answer such as "No." comes back as nothing unless the end is forbidden at first.
    const allowed = this.#tokens.length > 0 ? latinAndEnd : openingTokens;
    let best = -1;
    let highest = Number.NEGATIVE_INFINITY;
    for (const token of allowed) {
      const score = scores[token] as number;
      if (score > highest) [best, highest] = [token, score];
    }
    this.#logProbability += highest;
    if (best === endToken) this.isOver = true;
    else this.#tokens.push(best);
  }

  result(): Writing {
    const steps = this.#tokens.length + (this.isOver ? 1 : 0);
    return {
      text: tokenizer.decode([startToken, ...this.#tokens]).trim(),
      confidence: Math.exp(this.#logProbability / steps),
      tokens: this.#tokens,
      rows: this.#rows,
    };
  }
}

const vocabulary: string[] = tokenizer.vocabById;
const tokensLike = (pattern: RegExp) => vocabulary.flatMap((text, token) => (pattern.test(text) ? [token] : []));
/** The model knows other scripts too, and falls into them on noise; what it is asked for is English. */
const latin = tokensLike(/^(?!<.+>$)[▁ -~]+$/);
const latinAndEnd = Int32Array.of(endToken, ...latin);
const openingTokens = Int32Array.from(tokensLike(/^▁[A-Za-z0-9][!-~]*$/));
const stops = tokensLike(/^[.,?!;]+$/);
const fullStop = vocabulary.indexOf('.');

/** The tokens of a text, as the model would write it. */
export function tokensOf(text: string): number[] {
  return tokenizer.encode(text, false);
}

/** Without the full stop or what else follows the last word. */
export function wordTokens(tokens: number[]): number[] {
  const words = tokens.findLastIndex((token) => !stops.includes(token));
  return tokens.slice(0, words + 1);
}

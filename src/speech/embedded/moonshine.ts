import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tokenizer from 'llama-tokenizer-js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Recognition } from '../ports.ts';
import { Beam, likeliest, meanProbability, type Path } from './beam.ts';
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

export interface WriteOptions {
  /** The tokens of an earlier text for the beginning of the same utterance, checked in one step, not written again. */
  draft?: number[];
  width?: number;
}

/** Tiny is nearly twice as fast; base makes half the mistakes. */
export type MoonshineSize = 'tiny' | 'base';
const layersOf: Record<MoonshineSize, number> = { tiny: 6, base: 8 };
const startToken = 1;
const endToken = 2;
/** English speech has up to some 6 tokens in a second; more is the decoder going round in circles. */
const tokensPerSecond = 6.5;
const fewestTokens = 6;
/** Where several texts are followed, a draft is taken over up to the first token that is less likely than this. */
const sureProbability = 0.7;
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

  /** The likeliest text, of `width` that are followed at once: each of them takes time. */
  async write({ state, seconds }: Hearing, { draft = [], width = 1 }: WriteOptions = {}): Promise<Writing> {
    const most = Math.max(fewestTokens, Math.ceil(seconds * tokensPerSecond));
    const opening = [startToken, ...draft.slice(0, most - 1)];
    let output = await this.#first.run({ input_ids: tokenTensor(opening), encoder_hidden_states: state });
    const beginning = confirmed(output['logits'] as Tensor, opening.slice(1), width === 1 ? 0 : sureProbability);
    let length = beginning.tokens.length;
    const beam = new Beam(width, endToken, beginning);
    beam.grow([row(output['logits'] as Tensor, length)], allowedAt(length));
    if (++length >= most || beam.open.length === 0) return writingOf(beam.best);

    const heard = this.#memory.heard.map((name) => repeated(output[present(name)] as Tensor, width));
    const own = (name: string) => rowsOf(output[present(name)] as Tensor, beam.parents);
    const memory: Memory = {};
    for (const name of this.#memory.own) memory[past(name)] = firstTokens(own(name), length);
    for (; length < most && beam.open.length > 0; length++) {
      const { open } = beam;
      memory['input_ids'] = tokenTensor(
        open.map(({ tokens }) => tokens.at(-1) as number),
        open.length,
      );
      for (const [part, name] of this.#memory.heard.entries()) {
        memory[past(name)] = firstRows(heard[part] as Tensor, open.length);
      }
      output = await this.#next.run(memory);
      const logits = output['logits'] as Tensor;
      beam.grow(
        open.map((_, index) => row(logits, index)),
        latinAndEnd,
      );
      for (const name of this.#memory.own) memory[past(name)] = own(name);
    }
    return writingOf(beam.best);
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

/** Forgets the tokens of a draft that turned out wrong: the tensor is [texts, heads, tokens, headSize]. */
function firstTokens(tensor: Tensor, tokens: number): Tensor {
  const [texts = 0, heads = 0, all = 0, headSize = 0] = tensor.dims;
  if (all === tokens) return tensor;
  const data = tensor.data as Float32Array;
  const kept = new Float32Array(texts * heads * tokens * headSize);
  for (let head = 0; head < texts * heads; head++) {
    const from = head * all * headSize;
    kept.set(data.subarray(from, from + tokens * headSize), head * tokens * headSize);
  }
  return new Tensor('float32', kept, [texts, heads, tokens, headSize]);
}

function tokenTensor(tokens: number[], rows = 1): Tensor {
  return new Tensor('int64', BigInt64Array.from(tokens, BigInt), [rows, tokens.length / rows]);
}

/** As it is for one text, the same for several. */
function repeated(tensor: Tensor, times: number): Tensor {
  if (times === 1) return tensor;
  const data = tensor.data as Float32Array;
  const all = new Float32Array(data.length * times);
  for (let time = 0; time < times; time++) all.set(data, time * data.length);
  return new Tensor('float32', all, [times, ...tensor.dims.slice(1)]);
}

/** Of a tensor whose rows are all alike. */
function firstRows(tensor: Tensor, count: number): Tensor {
  const [rows = 1, ...shape] = tensor.dims;
  if (count === rows) return tensor;
  const data = tensor.data as Float32Array;
  return new Tensor('float32', data.subarray(0, (data.length / rows) * count), [count, ...shape]);
}

function rowsOf(tensor: Tensor, wanted: number[]): Tensor {
  const [rows = 1, ...shape] = tensor.dims;
  if (wanted.length === rows && wanted.every((index, place) => index === place)) return tensor;
  const data = tensor.data as Float32Array;
  const size = data.length / rows;
  const kept = new Float32Array(wanted.length * size);
  for (const [place, index] of wanted.entries())
    kept.set(data.subarray(index * size, (index + 1) * size), place * size);
  return new Tensor('float32', kept, [wanted.length, ...shape]);
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

/** As much of a draft as the model would write too, each token with at least this probability. */
function confirmed(logits: Tensor, draft: number[], probability: number): Path {
  const path: Path = { tokens: [], logProbability: 0, rows: [], isOver: false };
  for (const [place, token] of draft.entries()) {
    const scores = row(logits, place);
    const score = scores[token] as number;
    const isLikeliest = score > Math.log(0.5) || likeliest(scores, allowedAt(place), 1)[0] === token;
    if (!isLikeliest || score < Math.log(probability)) break;
    path.tokens.push(token);
    path.rows.push(scores);
    path.logProbability += score;
  }
  return path;
}

function writingOf(path: Path): Writing {
  return {
    text: tokenizer.decode([startToken, ...path.tokens]).trim(),
    confidence: meanProbability(path),
    tokens: path.tokens,
    rows: path.rows.slice(0, rowsKept),
  };
}

const vocabulary: string[] = tokenizer.vocabById;
const tokensLike = (pattern: RegExp) => vocabulary.flatMap((text, token) => (pattern.test(text) ? [token] : []));
/** The model knows other scripts too, and falls into them on noise; what it is asked for is English. */
const latin = tokensLike(/^(?!<.+>$)[▁ -~]+$/);
const latinAndEnd = Int32Array.of(endToken, ...latin);
const openingTokens = Int32Array.from(tokensLike(/^▁[A-Za-z0-9][!-~]*$/));
/** A short answer such as "No." comes back as nothing unless the end is forbidden at first. */
const allowedAt = (place: number) => (place === 0 ? openingTokens : latinAndEnd);
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

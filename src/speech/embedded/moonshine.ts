import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tokenizer from 'llama-tokenizer-js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Recognition } from '../ports.ts';
import { splitDecoder } from './decoder-graphs.ts';
import { shortAnswers } from './short-answers.ts';

export const moonshineRate = 16_000;

export interface MoonshineResult extends Recognition {
  tokens: number[];
}

export interface RecogniseOptions {
  /** The tokens of an earlier result for the beginning of the same utterance: checked in one step, not written again. */
  draft?: number[];
  /** Whether this is the whole utterance, not the beginning of one that is still being spoken. */
  isWhole?: boolean;
}

/** Tiny is nearly twice as fast; base makes half the mistakes. */
export type MoonshineSize = 'tiny' | 'base';
const layersOf: Record<MoonshineSize, number> = { tiny: 6, base: 8 };
const startToken = 1;
const endToken = 2;
/** English speech has up to some 6 tokens in a second; more is the decoder going round in circles. */
const tokensPerSecond = 6.5;
const fewestTokens = 6;

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
  async recognise(
    samples: Float32Array,
    { draft = [], isWhole = true }: RecogniseOptions = {},
  ): Promise<MoonshineResult> {
    const { last_hidden_state: heard } = await this.#encoder.run({
      input_values: new Tensor('float32', samples, [1, samples.length]),
    });
    if (!heard) throw new Error('The encoder gave no state');
    const most = Math.max(fewestTokens, Math.ceil((samples.length / moonshineRate) * tokensPerSecond));

    const opening = [startToken, ...draft.slice(0, most - 1)];
    const output = await this.#first.run({ input_ids: tokenTensor(opening), encoder_hidden_states: heard });
    const written = new Writing();
    const logits = output['logits'] as Tensor;
    do written.add(logits, written.length);
    while (!written.isOver && written.length < opening.length && written.last === opening[written.length]);

    const memory: Memory = keep(output, this.#memory, written.length);
    while (!written.isOver && written.length < most) {
      const step = await this.#next.run({ ...memory, input_ids: tokenTensor([written.last]) });
      written.add(step['logits'] as Tensor, 0);
      for (const name of this.#memory.own) memory[past(name)] = step[present(name)] as Tensor;
    }
    const result = written.result();
    const isShort = samples.length <= shortSeconds * moonshineRate;
    return isShort && isWhole ? this.#weighShortAnswers(heard, logits, result) : result;
  }

  /** Takes a short answer in place of what was written, where it is nearly as likely. */
  async #weighShortAnswers(heard: Tensor, opening: Tensor, written: MoonshineResult): Promise<MoonshineResult> {
    const own = wordTokens(written.tokens);
    if (phrases.some(({ tokens }) => isSame(tokens, own))) return { ...written, text: written.text.replace(/,$/, '.') };
    if (written.confidence > sureConfidence) return written;
    const candidates = likelyPhrases(row(opening, 0), own);
    if (candidates.length === 0) return written;
    const [ownScore = 0, ...scores] = await this.#score(heard, [own, ...candidates.map(({ tokens }) => tokens)]);
    let best = { text: written.text, score: ownScore - phraseBonus, tokens: written.tokens };
    for (const [index, { text, tokens }] of candidates.entries()) {
      const score = scores[index] as number;
      if (score > best.score) best = { text: `${text}.`, score, tokens };
    }
    if (best.tokens === written.tokens) return written;
    return { text: best.text, confidence: Math.exp(best.score / (best.tokens.length + 1)), tokens: best.tokens };
  }

  /** How likely each phrase is the whole of what was said, as a logarithm. */
  async #score(heard: Tensor, candidates: number[][]): Promise<number[]> {
    const longest = Math.max(...candidates.map((tokens) => tokens.length)) + 1;
    const ids = candidates.flatMap((tokens) => {
      const padding = Array<number>(longest - 1 - tokens.length).fill(endToken);
      return [startToken, ...tokens, ...padding];
    });
    const { logits } = await this.#first.run({
      input_ids: tokenTensor(ids, candidates.length),
      encoder_hidden_states: repeated(heard, candidates.length),
    });
    return candidates.map((tokens, candidate) => {
      const scores = (position: number) => row(logits as Tensor, candidate * longest + position);
      const said = tokens.reduce((sum, token, index) => sum + (scores(index)[token] as number), 0);
      return said + logProbability(scores(tokens.length), closingTokens);
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

/** Of any of the tokens. */
function logProbability(row: Float32Array, tokens: number[]): number {
  return Math.log(tokens.reduce((sum, token) => sum + Math.exp(row[token] as number), 0));
}

/** The tokens chosen so far, the likeliest each time. */
class Writing {
  readonly #tokens: number[] = [];
  #logProbability = 0;
  isOver = false;

  get length(): number {
    return this.#tokens.length;
  }

  get last(): number {
    return this.#tokens.at(-1) ?? startToken;
  }

  add(logits: Tensor, position: number): void {
    const scores = row(logits, position);
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

  result(): MoonshineResult {
    const steps = this.#tokens.length + (this.isOver ? 1 : 0);
    return {
      text: tokenizer.decode([startToken, ...this.#tokens]).trim(),
      confidence: Math.exp(this.#logProbability / steps),
      tokens: this.#tokens,
    };
  }
}

const vocabulary: string[] = tokenizer.vocabById;
const tokensLike = (pattern: RegExp) => vocabulary.flatMap((text, token) => (pattern.test(text) ? [token] : []));
/** The model knows other scripts too, and falls into them on noise; what it is asked for is English. */
const latin = tokensLike(/^(?!<.+>$)[▁ -~]+$/);
const latinAndEnd = Int32Array.of(endToken, ...latin);
const openingTokens = Int32Array.from(tokensLike(/^▁[A-Za-z0-9][!-~]*$/));
const closingTokens = [endToken, ...tokensLike(/^[.,?!;]+$/)];

/** Longer utterances have a context of their own. */
export const shortSeconds = 2;
/** Above this the model was never wrong where a phrase would have been right. */
const sureConfidence = 0.93;
/** How much likelier a phrase is than the model believes, as a logarithm; of 2 to 5 the best that costs other answers nothing. */
const phraseBonus = 4;
/** Phrases whose first word is this much less likely than the likeliest are not looked at. */
const openingMargin = 9;
/** What sounds like one word is not five; each place to be weighed takes a millisecond. */
const mostMoreTokens = 2;
const mostCandidates = 10;

interface Phrase {
  text: string;
  tokens: number[];
}

const phrases: Phrase[] = shortAnswers.map((text) => ({ text, tokens: tokenizer.encode(text, false) }));

function likelyPhrases(opening: Float32Array, own: number[]): Phrase[] {
  const score = ({ tokens }: Phrase) => opening[tokens[0] as number] as number;
  const highest = opening.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return phrases
    .filter((phrase) => score(phrase) > highest - openingMargin)
    .filter(({ tokens }) => tokens.length <= own.length + mostMoreTokens && !isBeginning(tokens, own))
    .sort((a, b) => score(b) - score(a) || a.tokens.length - b.tokens.length)
    .slice(0, mostCandidates);
}

function wordTokens(tokens: number[]): number[] {
  const words = tokens.findLastIndex((token) => !closingTokens.includes(token));
  return tokens.slice(0, words + 1);
}

function isSame(a: number[], b: number[]): boolean {
  return a.length === b.length && isBeginning(a, b);
}

function isBeginning(short: number[], long: number[]): boolean {
  return short.every((token, index) => token === long[index]);
}

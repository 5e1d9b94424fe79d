import type { LineRate, Tts } from '../speech/ports.ts';
import { sentences } from '../speech/text/sentences.ts';

/** What an utterance is played on. */
export interface Mouth {
  readonly sampleRate: LineRate;
  /** Says something after what is being said; resolves when it was said or stopped. The samples are given away. */
  play(pcm: Int16Array): Promise<{ playedMs: number; isComplete: boolean }>;
  stopPlaying(): void;
}

export interface UtteranceOptions {
  mouth: Mouth;
  tts: Tts;
  voice: string;
  pace: number;
  /** The first sound is on its way. */
  onBegun(): void;
}

/** `isComplete`: nothing of it was cut off. */
export type UtteranceEnd = { isComplete: boolean; spoken: string };

interface Sentence {
  text: string;
  pieces: Piece[];
  isRendered: boolean;
}

interface Piece {
  pcm: Int16Array;
  playedMs: number;
  state: 'waiting' | 'playing' | 'stopped' | 'done';
}

/** With the telephone at once: the next piece must be there before the last one ends. */
const piecesAhead = 2;
/** Rendering stops this far ahead of what is heard: people interrupt. */
const renderAheadMs = 6_000;
/** After a pause the voice takes up the word again that it stopped in. */
const backUpMs = 200;
/** Of a sentence that is not rendered to its end yet. */
const letterMs = 62;

/**
 * Something the assistant says, sentence by sentence, rendered while it is spoken. It can fall silent and
 * go on, and knows which of its words were heard.
 */
export class Utterance {
  /** Rejects when the voice failed. */
  readonly ended: Promise<UtteranceEnd>;
  readonly #options: UtteranceOptions;
  readonly #sentences: Sentence[] = [];
  readonly #end = Promise.withResolvers<UtteranceEnd>();
  readonly #stop = new AbortController();
  #wakeRenderer: () => void = () => {};
  #isWhole = false;
  #isHeld = false;
  #isBegun = false;

  constructor(options: UtteranceOptions) {
    this.#options = options;
    this.ended = this.#end.promise;
    this.ended.catch(() => {});
    this.#render().catch((error) => this.#end.reject(error));
  }

  /** Adds to what is said. */
  say(text: string): void {
    for (const sentence of sentences(text)) this.#sentences.push({ text: sentence, pieces: [], isRendered: false });
    this.#wakeRenderer();
  }

  /** Nothing more will be added. */
  finish(): void {
    this.#isWhole = true;
    this.#wakeRenderer();
  }

  get text(): string {
    return this.#sentences.map(({ text }) => text).join(' ');
  }

  /** Whether it ends with a question of which most was heard. */
  get isAsking(): boolean {
    const last = this.#sentences.at(-1);
    return this.#isWhole && last !== undefined && /\?["')]*$/.test(last.text) && this.#heardShare(last) > 0.5;
  }

  /** The words that were heard so far. */
  get spoken(): string {
    return this.#sentences
      .map((sentence) => beginningOf(sentence.text, this.#heardShare(sentence)))
      .filter((text) => text !== '')
      .join(' ');
  }

  hold(): void {
    if (this.#isHeld || this.#stop.signal.aborted) return;
    this.#isHeld = true;
    this.#stopPlaying();
  }

  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#play();
  }

  cut(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#wakeRenderer();
    this.#stopPlaying();
    if (this.#piecesThatAre('stopped') === 0) this.#finishCut();
  }

  async #render(): Promise<void> {
    const { tts, voice, pace, mouth } = this.#options;
    const { signal } = this.#stop;
    for (let index = 0; !signal.aborted; ) {
      const sentence = this.#sentences[index];
      if (sentence && this.#aheadMs < renderAheadMs) {
        const request = { text: sentence.text, voice, pace, sampleRate: mouth.sampleRate, signal };
        for await (const pcm of tts.speak(request)) {
          sentence.pieces.push({ pcm, playedMs: 0, state: 'waiting' });
          this.#play();
        }
        sentence.isRendered = !signal.aborted;
        index++;
      } else if (!sentence && this.#isWhole) break;
      else await new Promise<void>((resolve) => (this.#wakeRenderer = resolve));
    }
    this.#finishIfSaid();
  }

  #play(): void {
    while (!this.#isHeld && !this.#stop.signal.aborted) {
      const isBusy = this.#piecesThatAre('stopped') > 0 || this.#piecesThatAre('playing') >= piecesAhead;
      const piece = this.#pieces.find(({ state }) => state === 'waiting');
      if (isBusy || !piece) return;
      if (!this.#isBegun) this.#options.onBegun();
      this.#isBegun = true;
      void this.#playPiece(piece);
    }
  }

  async #playPiece(piece: Piece): Promise<void> {
    const { mouth } = this.#options;
    piece.state = 'playing';
    const fromMs = Math.max(0, piece.playedMs - backUpMs);
    const { playedMs, isComplete } = await mouth.play(piece.pcm.slice((fromMs * mouth.sampleRate) / 1_000));
    piece.playedMs = fromMs + playedMs;
    const wasStopped = (piece.state as Piece['state']) === 'stopped';
    piece.state = isComplete ? 'done' : 'waiting';
    this.#wakeRenderer();
    if (this.#stop.signal.aborted) {
      if (this.#piecesThatAre('stopped') === 0) this.#finishCut();
      return;
    }
    // Nobody of us stopped it: the line is closed.
    if (!isComplete && !wasStopped) return this.cut();
    this.#play();
    this.#finishIfSaid();
  }

  #stopPlaying(): void {
    const playing = this.#pieces.filter(({ state }) => state === 'playing');
    for (const piece of playing) piece.state = 'stopped';
    if (playing.length > 0) this.#options.mouth.stopPlaying();
  }

  #finishIfSaid(): void {
    const isRendered = this.#isWhole && this.#sentences.every((sentence) => sentence.isRendered);
    if (!isRendered || this.#pieces.some(({ state }) => state !== 'done')) return;
    this.#end.resolve({ isComplete: true, spoken: this.text });
  }

  #finishCut(): void {
    this.#end.resolve({ isComplete: false, spoken: this.spoken });
  }

  get #pieces(): Piece[] {
    return this.#sentences.flatMap(({ pieces }) => pieces);
  }

  #piecesThatAre(wanted: Piece['state']): number {
    return this.#pieces.filter(({ state }) => state === wanted).length;
  }

  #lengthMs({ pcm }: Piece): number {
    return (pcm.length * 1_000) / this.#options.mouth.sampleRate;
  }

  get #aheadMs(): number {
    return this.#pieces
      .filter(({ state }) => state !== 'done')
      .reduce((sum, piece) => sum + this.#lengthMs(piece) - piece.playedMs, 0);
  }

  #heardShare({ text, pieces, isRendered }: Sentence): number {
    const renderedMs = pieces.reduce((sum, piece) => sum + this.#lengthMs(piece), 0);
    const wholeMs = isRendered ? renderedMs : Math.max(renderedMs, text.length * letterMs);
    return wholeMs === 0 ? 0 : pieces.reduce((sum, { playedMs }) => sum + playedMs, 0) / wholeMs;
  }
}

/** Whole words only: one that was begun counts as soon as half of it was heard. */
function beginningOf(text: string, share: number): string {
  if (share >= 0.99) return text;
  const heard = text.length * share;
  let end = 0;
  for (const { index, 0: word } of text.matchAll(/\S+/g)) {
    if (index + word.length / 2 <= heard) end = index + word.length;
  }
  return text.slice(0, end);
}

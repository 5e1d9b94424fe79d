import type { CallEvent } from '../domain/call-event.ts';
import type { TranscriptTurn } from '../domain/call-result.ts';
import type { Listener, Stt, Transcript, Tts } from '../speech/ports.ts';
import { sentences } from '../speech/text/sentences.ts';
import { CallRecord } from './call-record.ts';
import type { Aloud, Ending, Fact, Heard, Mind, Move } from './mind.ts';
import { Reception } from './reception.ts';
import { type Floor, newFloor, type TurnEffect, type TurnEvent, takeTurn } from './turn.ts';
import { type Mouth, Utterance, type UtteranceEnd } from './utterance.ts';

/** The telephone in the assistant's hands. */
export interface Line extends Mouth {
  sendDigits(digits: string): void;
  /** Hands the person over; the SIP status that it ended with. */
  transfer(to: string): Promise<number>;
}

export interface ConversationOptions {
  mind: Mind;
  line: Line;
  tts: Tts;
  stt: Stt;
  voice: string;
  language: string;
  /** What those who watch are told. */
  onEvent(event: CallEvent): void;
  /** Puts on record what must not be lost; the call goes on, or ends, only after it. */
  onFact(fact: Fact): Promise<void>;
  /** A fault of ours; the call goes on, or ends politely. */
  onFault(error: unknown): void;
}

type SpeakOptions = { isOpening?: boolean; isLast?: boolean; answering?: Answering | undefined };

/** The utterance that is being answered, for the measure of how long that takes. */
type Answering = { turn: number; endMs: number; understoodMs: number; thoughtMs: number };

const frameMs = 20;
const longestCallMs = 30 * 60_000;
/** For the last words of somebody who speaks while we say goodbye. */
const lastWordsMs = 3_000;
/** Keys that belong together are pressed one after the other. */
const betweenDigitsMs = 1_500;
/** Whoever speaks so soon into a reply was not done yet. */
const unheardMs = 700;
/** After so many utterances of theirs nobody takes them for a machine any more. */
const provenTurns = 2;
/** Texts that are rendered ahead at a time. */
const preparedTexts = 4;

/** One conversation over the telephone, from the answer to its end. All times are of sound heard since the answer. */
export class Conversation {
  /** Resolves when the assistant wants to hang up, and why. */
  readonly ended: Promise<Ending>;
  readonly record = new CallRecord();
  readonly #options: ConversationOptions;
  readonly #end = Promise.withResolvers<Ending>();
  readonly #closing = new AbortController();
  readonly #listener: Listener;
  readonly #reception: Reception;
  #floor: Floor = newFloor;
  #isOver = false;
  #nowMs = 0;
  #isTalking = false;
  #heardTurns = 0;
  #utterance: Utterance | undefined;
  /** When the reply to what they said last was first heard; infinite while it is thought of. */
  #replyBegunMs: number | undefined;
  /** Whether they spoke on before they could have heard our reply. */
  #isGoingOn = false;
  #attempt = new AbortController();
  /** Said before it was known who answered. */
  #pending: { heard: Heard; endMs: number } | undefined;
  /** What the operator wants said, as soon as there is room for it. */
  readonly #whispers: string[] = [];
  #digits = '';
  #digitMs = 0;
  #lastFact: Fact | undefined;
  #finishing: { ending: Ending; sinceMs: number } | undefined;
  /** What follows our last words, unless they were replaced by others. */
  #next: Move['next'] | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.ended = this.#end.promise;
    const { sampleRate } = options.line;
    this.#reception = new Reception(sampleRate, options.mind, {
      onPerson: () => this.#introduce(),
      onMachine: () => {
        this.#pending = undefined;
        this.#fallSilent();
      },
      onSure: () => this.#answerPending(),
      onEnd: (end) => this.#finish(end),
      onEvent: options.onEvent,
      speak: (text) => this.#speak(text),
      press: (keys) => this.#press(keys),
    });
    this.#listener = options.stt.listen({
      sampleRate,
      language: options.language,
      onSpeechStart: (startMs) => this.#onSpeechStart(startMs),
      onPartial: (transcript) => this.#reception.partial(transcript),
      onFinal: (transcript) => this.#onFinal(transcript),
    });
  }

  /** The call was answered: the introduction begins at once, whoever it is is found out meanwhile. */
  begin(): void {
    this.#introduce();
    void this.#prepareAhead();
  }

  /** The next 20 ms of what they say. */
  hear(frame: Int16Array): void {
    if (this.#isOver) return;
    this.#nowMs += frameMs;
    this.#reception.hear(frame);
    this.#listener.hear(frame);
    const { isWithPerson, isVoiced } = this.#reception;
    if (isWithPerson) this.#turn({ kind: 'time', nowMs: this.#nowMs, isVoiced });
    this.#passTime();
  }

  /** They pressed a key. */
  digit(digit: string): void {
    this.#digits += digit;
    this.#digitMs = this.#nowMs;
  }

  /** A sentence of the operator's. */
  say(text: string): void {
    this.#whispers.push(text);
    if (!this.#utterance && !this.#isTalking) this.#sayWhispers();
  }

  #sayWhispers(): void {
    if (!this.#isWithPerson || this.#floor.isLast) return;
    const text = this.#whispers.shift();
    if (text !== undefined) this.#speak(text);
  }

  /** The call is over, whoever ended it; how, if nobody had decided it. */
  close(): Ending {
    const ending = this.#finishing?.ending ?? this.#abandoned();
    this.#stop();
    return ending;
  }

  /** Resolves when what was said last is on record. */
  async settled(): Promise<void> {
    await this.#utterance?.ended.catch(() => {});
  }

  get #isWithPerson(): boolean {
    return !this.#isOver && this.#reception.isWithPerson;
  }

  #stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#closing.abort();
    this.#fallSilent();
    this.#listener.close();
    this.#reception.close();
  }

  /** They hung up, or the line broke. */
  #abandoned(): Ending {
    switch (this.#lastFact?.kind) {
      case 'opted-out':
        return { kind: 'opted_out', reason: 'The person asked not to be called again.' };
      case 'wrong-person':
        return { kind: 'wrong_person', reason: 'The person called is not at this number.' };
      case 'callback':
        return { kind: 'callback_requested', reason: 'The person asked to be called at another time.' };
      case undefined: {
        const hungUp = { kind: 'hung_up', reason: 'The person hung up before the conversation was over.' } as const;
        return this.#reception.endingIfLeft() ?? hungUp;
      }
    }
  }

  #finish(ending: Ending): void {
    this.#finishing ??= { ending, sinceMs: this.#nowMs };
    if (this.#isTalking && this.#isWithPerson) return;
    this.#end.resolve(this.#finishing.ending);
  }

  /** Whatever is being said, or thought of. */
  #fallSilent(): void {
    this.#attempt.abort();
    this.#utterance?.cut();
  }

  #introduce(): void {
    // Their hello is known as one before it is understood.
    const talk = this.#isTalking ? { startMs: this.#nowMs, isOverVoice: true, isGreeting: true } : undefined;
    this.#floor = { ...newFloor, nowMs: this.#nowMs, talk };
    const { say } = this.#options.mind.introduction();
    this.#speak(say, { isOpening: true });
  }

  #onSpeechStart(startMs: number): void {
    this.#isTalking = true;
    this.#isGoingOn = this.#replyBegunMs !== undefined && startMs < this.#replyBegunMs + unheardMs;
    this.#reception.begin();
    if (this.#isWithPerson) this.#turn({ kind: 'speech-began', atMs: startMs });
  }

  #onFinal(transcript: Transcript): void {
    if (this.#isOver) return;
    const { text, confidence, startMs, endMs } = transcript;
    this.#isTalking = false;
    const turn = text === '' ? this.record.turns.length - 1 : this.record.heard(text, startMs, endMs);
    if (text !== '') {
      const said = { speaker: 'callee', text, startMs, endMs, interrupted: false } as const;
      this.#options.onEvent({ type: 'utterance', turn, ...said });
    }
    const isForUs = this.#reception.final(transcript);
    if (isForUs) this.#understood({ text, confidence, turn, isInterruption: false }, transcript);
  }

  #understood(heard: Heard, { startMs, endMs }: Pick<Transcript, 'startMs' | 'endMs'>): void {
    const lengthMs = endMs - startMs;
    const isAsking = this.#utterance?.isAsking ?? false;
    const { text, confidence } = heard;
    for (const effect of this.#turn({ kind: 'understood', text, confidence, lengthMs, isAsking })) {
      if (effect.kind !== 'reply') continue;
      const isContinuation = effect.isInterruption && this.#isGoingOn;
      this.#reply({ ...heard, isInterruption: effect.isInterruption, isContinuation }, endMs);
    }
  }

  #turn(event: TurnEvent): TurnEffect[] {
    const { floor, effects } = takeTurn(this.#floor, event);
    this.#floor = floor;
    for (const effect of effects) {
      if (effect.kind === 'hold') this.#utterance?.hold();
      else if (effect.kind === 'resume') this.#utterance?.resume();
      else if (effect.kind === 'prompt') void this.#think(() => this.#options.mind.silence());
      else if (effect.kind === 'cut') this.#fallSilent();
    }
    return effects;
  }

  /** As soon as it is known that a person spoke. */
  #reply(heard: Heard, endMs: number): void {
    if (!this.#reception.isSure) {
      const before = this.#pending ? `${this.#pending.heard.text} ` : '';
      this.#pending = { heard: { ...heard, text: `${before}${heard.text}` }, endMs };
      return;
    }
    if (++this.#heardTurns >= provenTurns) this.#reception.settle();
    this.#replyBegunMs = Number.POSITIVE_INFINITY;
    const utterance = { ...heard, elapsedMs: this.#nowMs };
    const answering = { turn: heard.turn, endMs, understoodMs: this.#nowMs, thoughtMs: this.#nowMs };
    void this.#think((aloud) => this.#options.mind.heard(utterance, aloud), answering);
  }

  #answerPending(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending && this.#isWithPerson) this.#reply(pending.heard, pending.endMs);
  }

  async #think(thought: (aloud: Aloud) => Promise<Move>, answering?: Answering): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    let utterance: Utterance | undefined;
    const aloud: Aloud = {
      signal: attempt.signal,
      say: (sentence) => {
        if (attempt.signal.aborted || !this.#isWithPerson) return;
        if (answering && !utterance) answering.thoughtMs = this.#nowMs;
        utterance ??= this.#openUtterance({ answering });
        utterance.say(sentence);
      },
    };
    const move = await this.#moveOf(thought(aloud));
    for (const fact of move.facts ?? []) await this.#keep(fact);
    if (attempt.signal.aborted || !this.#isWithPerson) return utterance?.finish();
    if (answering && !utterance) answering.thoughtMs = this.#nowMs;
    this.#perform(move, utterance, answering);
    void this.#prepareAhead();
  }

  /** A mind that fails ends its call, and no other. */
  #moveOf(thought: Promise<Move>): Promise<Move> {
    return thought.catch((error): Move => {
      this.#options.onFault(error);
      const ending: Ending = { kind: 'failed', reason: 'The conversation failed on our side.' };
      return { say: 'I am sorry, I have to end the call here. Goodbye.', next: { kind: 'hang-up', ending } };
    });
  }

  #perform(move: Move, begun: Utterance | undefined, answering: Answering | undefined): void {
    const { next } = move;
    const isLast = next.kind !== 'listen';
    if (move.keys) this.#press(move.keys);
    let utterance = begun;
    if (utterance) {
      utterance.say(move.say);
      utterance.finish();
      if (isLast) this.#turn({ kind: 'voice-began', isOpening: false, isLast });
    } else if (move.say !== '') {
      // Somebody who speaks into our last words may need others.
      this.#utterance?.cut();
      utterance = this.#speak(move.say, { isLast, answering });
    } else if (isLast) utterance = this.#utterance;
    else this.#turn({ kind: 'voice-ended' });
    if (!isLast) return;
    this.#next = next;
    const follow = () => {
      if (!this.#isWithPerson || this.#next !== next) return;
      if (next.kind === 'hang-up') this.#finish(next.ending);
      else void this.#transfer(next.to);
    };
    if (utterance) utterance.ended.then(follow, follow);
    else follow();
  }

  async #transfer(to: string): Promise<void> {
    const status = await this.#options.line.transfer(to).catch(() => 500);
    if (status < 300) return this.#finish({ kind: 'transferred', reason: 'The person was handed over.' });
    const sorry = 'I am sorry, nobody can take the call right now. We will call you back. Goodbye.';
    await this.#speak(sorry, { isLast: true }).ended.catch(() => {});
    this.#finish({ kind: 'callback_requested', reason: `The person could not be handed over (${status}).` });
  }

  async #keep(fact: Fact): Promise<void> {
    this.#lastFact = fact;
    await this.#options.onFact(fact);
  }

  #press(keys: string): void {
    this.#options.line.sendDigits(keys);
    this.#options.onEvent({ type: 'keys', keys, atMs: this.#nowMs });
  }

  #speak(text: string, options: SpeakOptions = {}): Utterance {
    const utterance = this.#openUtterance(options);
    utterance.say(text);
    utterance.finish();
    return utterance;
  }

  #openUtterance({ isOpening = false, isLast = false, answering }: SpeakOptions): Utterance {
    const { line, tts, voice, mind } = this.#options;
    let turn: TranscriptTurn | undefined;
    const utterance = new Utterance({
      mouth: line,
      tts,
      voice,
      pace: mind.pace,
      onBegun: () => {
        turn = this.record.beginSpeaking(this.#nowMs);
        this.#measure(isOpening, answering);
      },
    });
    this.#utterance = utterance;
    if (this.#isWithPerson) this.#turn({ kind: 'voice-began', isOpening, isLast });
    const over = (said: UtteranceEnd) => this.#onSpoken(utterance, turn, said);
    utterance.ended.then(over, (error) => {
      this.#options.onFault(error);
      over({ spoken: utterance.spoken, isComplete: false });
    });
    return utterance;
  }

  #measure(isOpening: boolean, answering: Answering | undefined): void {
    if (isOpening) this.record.introductionMs ??= this.#nowMs;
    this.#replyBegunMs = answering && this.#nowMs;
    if (!answering) return;
    const since = (ms: number) => Math.max(0, ms - answering.endMs);
    this.record.addLatency({
      turn: answering.turn,
      endOfSpeechMs: since(answering.understoodMs),
      textMs: since(answering.thoughtMs),
      audioMs: since(this.#nowMs),
    });
  }

  #onSpoken(utterance: Utterance, entry: TranscriptTurn | undefined, said: UtteranceEnd): void {
    const turn = entry && this.record.endSpeaking(entry, said, this.#nowMs);
    if (entry && turn !== undefined) this.#options.onEvent({ type: 'utterance', turn, ...entry });
    if (this.#utterance !== utterance) return;
    this.#utterance = undefined;
    if (this.#isWithPerson) this.#turn({ kind: 'voice-ended' });
    if (said.isComplete) this.#sayWhispers();
  }

  #passTime(): void {
    if (this.#digits !== '' && this.#nowMs - this.#digitMs >= betweenDigitsMs) this.#heardDigits();
    if (this.#finishing && this.#nowMs - this.#finishing.sinceMs >= lastWordsMs)
      this.#end.resolve(this.#finishing.ending);
    if (this.#nowMs >= longestCallMs) this.#finish({ kind: 'completed', reason: 'The call took too long.' });
  }

  #heardDigits(): void {
    const text = this.#digits.split('').join(' ');
    this.#digits = '';
    if (!this.#isWithPerson) return;
    const turn = this.record.heard(text, this.#digitMs, this.#nowMs);
    const pressed = { startMs: this.#digitMs, endMs: this.#nowMs };
    this.#understood({ text, confidence: 1, turn, isInterruption: false }, pressed);
  }

  /** What will probably be said soon is rendered while nobody waits for it. */
  async #prepareAhead(): Promise<void> {
    const { mind, tts, voice, line } = this.#options;
    const { signal } = this.#closing;
    for (const text of mind.likely().slice(0, preparedTexts).flatMap(sentences)) {
      if (signal.aborted) return;
      await tts.prepare({ text, voice, pace: mind.pace, sampleRate: line.sampleRate, signal }).catch(() => {});
    }
  }
}

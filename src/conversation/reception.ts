import type { CallEvent } from '../domain/call-event.ts';
import { AnswerDetector, type Verdict } from '../speech/answer/answer-detector.ts';
import { openVad } from '../speech/hearing/vad.ts';
import type { LineRate, Transcript, Vad } from '../speech/ports.ts';
import type { Ending, Mind } from './mind.ts';
import type { Utterance } from './utterance.ts';

/**
 * Whom we are dealing with: somebody to talk to, a voicemail that greets and then takes a message, a
 * screener or a menu that wants something, or nobody yet, after one of these.
 */
type Phase = 'person' | 'greeting' | 'message' | 'screener' | 'menu' | 'waiting';

export interface ReceptionHandlers {
  /** Somebody is there to talk to, or comes after a machine. */
  onPerson(): void;
  /** What answered is no person, whatever was being said to one. */
  onMachine(): void;
  /** It is known that whoever spoke is a person. */
  onSure(): void;
  onEnd(ending: Ending): void;
  onEvent(event: CallEvent): void;
  speak(text: string): Utterance;
  press(keys: string): void;
}

const frameMs = 20;
const betweenWordsMs = 240;
/** A screener has asked, a menu has told all its keys. */
const promptEndMs = { screener: 700, menu: 1_400 };
const longestGreetingMs = 90_000;
const longestWaitMs = 60_000;
/** A message of which so much was heard counts as left. */
const mostOfMessage = 0.8;
const asksToWait =
  /\b(?:stay on the line|hold (?:on|the line|please)|please (?:hold|wait)|one moment|(?:try|trying) to (?:reach|connect)|(?:connect|connecting|transferring|putting) (?:you|your call))\b/i;

/** Finds out who answered, and gets past machines. Times are of sound heard since the answer. */
export class Reception {
  readonly #sampleRate: LineRate;
  readonly #mind: Mind;
  readonly #handlers: ReceptionHandlers;
  readonly #vad: Vad;
  #detector: AnswerDetector | undefined;
  #phase: Phase = 'person';
  #phaseSinceMs = 0;
  #nowMs = 0;
  #voicedMs = Number.NEGATIVE_INFINITY;
  /** Since the detector began. */
  #heardText = '';
  #talkEndMs: number | undefined;
  #via: 'screener' | 'menu' | undefined;
  #messageShare = 0;

  constructor(sampleRate: LineRate, mind: Mind, handlers: ReceptionHandlers) {
    this.#sampleRate = sampleRate;
    this.#mind = mind;
    this.#handlers = handlers;
    this.#vad = openVad(sampleRate);
    this.#watch();
  }

  get isWithPerson(): boolean {
    return this.#phase === 'person';
  }

  /** Whether it is known who spoke, as far as it ever will be. */
  get isSure(): boolean {
    return !this.#detector || this.#detector.verdict !== undefined;
  }

  /** Whether they are speaking in this moment. */
  get isVoiced(): boolean {
    return this.#nowMs - this.#voicedMs < betweenWordsMs;
  }

  /** The next 20 ms. */
  hear(frame: Int16Array): void {
    this.#nowMs += frameMs;
    const isSpeech = this.#vad.hear(frame);
    if (isSpeech) this.#voicedMs = this.#nowMs;
    this.#detector?.hear(frame, isSpeech);
    this.#passTime();
  }

  begin(): void {
    this.#talkEndMs = undefined;
  }

  partial({ text, startMs, endMs }: Transcript): void {
    this.#detector?.understand(text, false, startMs, endMs);
  }

  /** Whether these were words of a person we are talking with, to be answered. */
  final({ text, startMs, endMs }: Transcript): boolean {
    const wasWithPerson = this.isWithPerson;
    this.#talkEndMs = endMs;
    this.#heardText = `${this.#heardText} ${text}`.trim();
    // From these words it may be known that nobody is there to be answered, or that somebody came.
    this.#detector?.understand(text, true, startMs, endMs);
    this.#greetWhoCame();
    return wasWithPerson && this.isWithPerson;
  }

  /** Whoever talks with us like this is no machine. */
  settle(): void {
    this.#detector = undefined;
  }

  close(): void {
    this.#detector = undefined;
    this.#vad.close();
  }

  /** How the call ended if the other side left it now. */
  endingIfLeft(): Ending | undefined {
    switch (this.#phase) {
      case 'person':
        return undefined;
      case 'greeting':
        return ending('machine_no_message', 'The voicemail hung up before it took a message.');
      case 'message':
        return this.#messageShare >= mostOfMessage
          ? ending('voicemail_left', 'The voicemail hung up at the end of the message.')
          : ending('machine_no_message', 'The voicemail hung up during the message.');
      case 'screener':
        return ending('screened', 'The screener hung up.');
      case 'menu':
        return ending('machine_no_message', 'A menu answered and hung up.');
      case 'waiting':
        return this.#via === 'menu'
          ? ending('machine_no_message', 'A menu led to no person.')
          : ending('screened', 'The person did not take the call.');
    }
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseSinceMs = this.#nowMs;
  }

  /** Finds out who speaks from now on. */
  #watch(): void {
    this.#heardText = '';
    this.#detector = new AnswerDetector({
      sampleRate: this.#sampleRate,
      onVerdict: (verdict) => this.#onVerdict(verdict),
      onGreetingEnd: () => this.#leaveMessage(),
    });
  }

  #onVerdict({ kind }: Verdict): void {
    if (this.#phase === 'message') return;
    this.#handlers.onEvent({ type: 'answered_by', kind });
    switch (kind) {
      case 'person':
        this.#greetWhoCame();
        return this.#handlers.onSure();
      case 'silence':
        return this.#handlers.onSure();
      case 'voicemail':
        return this.#meetMachine('greeting');
      case 'screener':
        // It asks us to wait while it calls the person.
        return this.#phase === 'waiting' ? this.#watch() : this.#meetMachine('screener');
      case 'menu':
        return this.#meetMachine('menu');
      case 'fax':
        return this.#meetNobody('machine_no_message', 'A fax machine answered.');
      case 'intercept':
        return this.#meetNobody('invalid_number', 'An announcement of the network answered.');
    }
  }

  /** After a screener or a menu: somebody who says more than that we are to wait. */
  #greetWhoCame(): void {
    if (this.#phase !== 'waiting' || this.#heardText === '') return;
    if (asksToWait.test(this.#heardText)) return this.#watch();
    if (this.#detector?.verdict?.kind !== 'person') return;
    this.#enter('person');
    this.#handlers.onPerson();
  }

  #meetMachine(phase: Phase): void {
    this.#enter(phase);
    this.#handlers.onMachine();
  }

  #meetNobody(kind: Ending['kind'], reason: string): void {
    this.#meetMachine('waiting');
    this.#handlers.onEnd(ending(kind, reason));
  }

  #leaveMessage(): void {
    if (this.#phase !== 'greeting') return;
    this.#enter('message');
    const message = this.#mind.voicemail();
    const utterance = this.#handlers.speak(message);
    const onOver = () => {
      this.#messageShare = utterance.spoken.length / Math.max(1, message.length);
      if (this.#messageShare >= 1) this.#handlers.onEnd(ending('voicemail_left', 'A voicemail was left.'));
    };
    utterance.ended.then(onOver, onOver);
  }

  #passTime(): void {
    const phaseMs = this.#nowMs - this.#phaseSinceMs;
    const quietMs = this.#talkEndMs === undefined ? 0 : this.#nowMs - this.#talkEndMs;
    if (this.#phase === 'screener' && quietMs >= promptEndMs.screener) this.#answerScreener();
    else if (this.#phase === 'menu' && quietMs >= promptEndMs.menu) this.#answerMenu();
    else if (this.#phase === 'greeting' && phaseMs >= longestGreetingMs)
      this.#handlers.onEnd(ending('machine_no_message', 'The voicemail never took a message.'));
    else if (this.#phase === 'waiting' && phaseMs >= longestWaitMs)
      this.#handlers.onEnd(this.endingIfLeft() ?? ending('screened', 'Nobody came.'));
  }

  #answerScreener(): void {
    this.#via = 'screener';
    this.#enter('waiting');
    this.#detector = undefined;
    const watch = () => this.#watch();
    this.#handlers.speak(this.#mind.screener()).ended.then(watch, watch);
  }

  #answerMenu(): void {
    this.#via = 'menu';
    const { keys, next } = this.#mind.menu(this.#heardText);
    this.#enter('waiting');
    if (keys) this.#handlers.press(keys);
    if (next.kind === 'hang-up') return this.#handlers.onEnd(next.ending);
    this.#watch();
  }
}

function ending(kind: Ending['kind'], reason: string): Ending {
  return { kind, reason };
}

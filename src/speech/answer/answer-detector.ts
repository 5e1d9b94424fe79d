import { levelDb } from '../level.ts';
import type { LineRate } from '../ports.ts';
import { countWords, isBareHello, isIntroduction, type PhraseEvidence, weighPhrases } from './answer-phrases.ts';
import { type Tone, ToneDetector } from './tone-detector.ts';

export type AnswerKind =
  | 'person'
  | 'voicemail'
  /** A phone or a carrier that asks who calls and why before it rings. */
  | 'screener'
  /** "Press 1", or a queue. */
  | 'menu'
  | 'silence'
  /** A fax machine or a modem. */
  | 'fax'
  /** An operator's announcement that the number cannot be reached, or its tones. */
  | 'intercept';

export interface Verdict {
  kind: AnswerKind;
  /** From 0 to 1. */
  confidence: number;
  atMs: number;
  reason: string;
  /** Whether an earlier verdict was wrong. */
  isRevision: boolean;
}

export interface Beep {
  startMs: number;
  endMs: number;
  frequency: number;
}

export interface AnswerDetectorOptions {
  sampleRate: LineRate;
  onVerdict(verdict: Verdict): void;
  /** A voicemail greeting is over, one may speak: after its beep, or when none has come. */
  onGreetingEnd?(atMs: number): void;
  onBeep?(beep: Beep): void;
  /** Nothing at all was said for this long. */
  silenceMs?: number;
  /** No beep came for this long after the last word of a voicemail greeting. */
  noBeepMs?: number;
}

const frameMs = 20;
const certain = 0.98;
/** Less is a click or the noise of a receiver that is lifted. */
const leastSpeechMs = 100;
const pickUpMs = 60;
const leastAtPickUpMs = 260;
const afterPickUpMs = 240;
/** A pause that separates what was said from what is said next. */
const newTalkMs = 1_200;
/** Behind a voice there may be others: what is this much weaker than the loudest is not the one who answered. */
const backgroundDb = 9;
/** A frame: what was loud a while ago may have been music. */
const forgottenDb = 0.02;
const levelsKept = 6;
/** A beep is followed by silence, a note by the next one. */
const beepDropDb = 6;
/** Between the loud vowels of somebody who goes on speaking. */
const loudGapMs = 250;
/** A second beep follows the first within this. */
const secondBeepMs = 240;
/** Somebody who was taken for a person and speaks of messages later on is no machine. */
const revisableMs = 15_000;
/** Longer than people speak to somebody who has not said a word yet. */
const longGreetingMs = 5_000;
const longestHelloMs = 6_000;
const longTalkMs = 10_000;
const leastRecordedWords = 10;

/** How long somebody has to wait in silence for us to be taken for a person, by what was understood. */
const patienceMs = {
  question: 200,
  hello: 220,
  /** Understanding takes some 200 ms; with a short word one need not wait for it. */
  unheardShort: 320,
  unheard: 700,
  /** The longer it was, the less it was a person, and its last words are the ones that tell. */
  unheardLong: 1_000,
  introduction: 540,
  other: 380,
  long: 560,
  suspicious: 1_300,
};
const shortTalkMs = 1_000;
/** A text that ends this long before the speech did is not all that was said. */
const staleMs = 240;
const longSentenceMs = 2_600;

/**
 * Tells who or what answered a call, by the sound and the words of the first seconds. In doubt it is a
 * person: a machine does not mind being greeted, and is found out by its next words.
 */
export class AnswerDetector {
  readonly #options: AnswerDetectorOptions;
  readonly #tones: ToneDetector;
  #nowMs = 0;
  #verdict: Verdict | undefined;
  #isRevised = false;
  #isGreetingOver = false;
  #beepEndMs: number | undefined;
  #talk: Talk | undefined;
  #loudestDb = -96;
  readonly #levels: number[] = [];
  #hasHeardTalk = false;
  #settledText = '';
  #text = '';
  #textEndMs = 0;
  #evidence: PhraseEvidence = weighPhrases('');

  constructor(options: AnswerDetectorOptions) {
    this.#options = options;
    this.#tones = new ToneDetector({ sampleRate: options.sampleRate, onTone: (tone) => this.#hearTone(tone) });
  }

  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  /** The next 20 ms, and whether they are speech. */
  hear(frame: Int16Array, isSpeech: boolean): void {
    this.#nowMs += frameMs;
    this.#tones.hear(frame);
    const sinceMs = this.#tones.soundingSinceMs;
    // Detectors of speech take a tone for a vowel until it is known to be one.
    if (sinceMs !== undefined) this.#talk = this.#talk?.upTo(sinceMs);
    else if (isSpeech) this.#hearVoice(levelDb(frame));
    this.#levels.push(levelDb(frame));
    if (this.#levels.length > levelsKept) this.#levels.shift();
    this.#decide();
    this.#watchGreeting();
  }

  /** What was understood of an utterance so far, or at its end. */
  understand(text: string, isFinal: boolean, _startMs: number, endMs: number): void {
    if (this.#isSettled()) return;
    // Recognisers make a word or two of a beep.
    const isBeep = this.#beepEndMs !== undefined && Math.abs(endMs - this.#beepEndMs) < 1_000 && countWords(text) <= 2;
    if (isBeep) return;
    const whole = `${this.#settledText} ${text}`.trim();
    if (isFinal) this.#settledText = whole;
    this.#text = whole;
    this.#textEndMs = endMs;
    this.#evidence = weighPhrases(whole);
    this.#decide();
  }

  #hearVoice(level: number): void {
    this.#loudestDb = Math.max(level, this.#loudestDb - forgottenDb);
    const before = this.#talk;
    const mostMs = before && isPickUp(before) ? afterPickUpMs : newTalkMs;
    const talk = before && this.#nowMs - before.lastMs <= mostMs ? before : new Talk(this.#nowMs - frameMs);
    talk.hear(this.#nowMs, level >= this.#loudestDb - backgroundDb);
    this.#talk = talk;
  }

  #decide(): void {
    const talk = this.#talk;
    const isTalk = talk !== undefined && talk.spokenMs >= leastSpeechMs && !isPickUp(talk);
    if (isTalk) this.#hasHeardTalk = true;
    if (this.#decideByWords()) return;
    if (this.#verdict && this.#verdict.kind !== 'silence') return;
    if (isTalk) this.#decideByPause(talk);
    else if (!this.#verdict && !this.#hasHeardTalk && this.#nowMs >= (this.#options.silenceMs ?? 4_000)) {
      this.#conclude('silence', 0.9, 'nobody spoke');
    }
  }

  #decideByWords(): boolean {
    const { weights, heard } = this.#evidence;
    const reason = () => `said: ${heard.slice(0, 3).join(', ')}`;
    for (const kind of ['intercept', 'screener', 'voicemail', 'menu'] as const) {
      if (weights[kind] >= 1) return this.#conclude(kind, weights[kind] >= 1.5 ? 0.97 : 0.92, reason());
    }
    const machine = machineWeight(this.#evidence);
    if (weights.person >= 1 && machine <= 0.5) return this.#conclude('person', 0.93, reason());
    return false;
  }

  #decideByPause(talk: Talk): void {
    const silentMs = talk.silentMs(this.#nowMs);
    const machine = machineWeight(this.#evidence);
    if (silentMs >= this.#patience(talk, machine)) {
      const isLong = this.#isLongGreeting(this.#nowMs - silentMs - talk.startMs, machine);
      const suspect = machine >= 0.7 || isLong ? heaviestMachine(this.#evidence) : undefined;
      if (suspect) this.#conclude(suspect, 0.6, 'words of a machine, then silence');
      else this.#conclude('person', this.#text === '' ? 0.8 : machine > 0 ? 0.6 : 0.9, 'spoke and waits for us');
    } else if (this.#nowMs - talk.startMs >= longTalkMs) {
      const isRecording = machine > 0 || countWords(this.#text) >= leastRecordedWords;
      this.#conclude(isRecording ? 'voicemail' : 'person', isRecording ? 0.6 : 0.5, 'spoke on and on');
    }
  }

  /** Words that are not understood are counted at least. */
  #isLongGreeting(spokenMs: number, machine: number): boolean {
    if (machine >= 0.4) return spokenMs >= longGreetingMs;
    const isWordy = countWords(this.#text) >= leastRecordedWords && this.#evidence.weights.person === 0;
    return isWordy && spokenMs >= longestHelloMs;
  }

  #patience(talk: Talk, machine: number): number {
    if (machine >= 0.3) return patienceMs.suspicious;
    const endMs = this.#nowMs - talk.silentMs(this.#nowMs);
    const spokenMs = endMs - talk.startMs;
    const isUnderstood = this.#text !== '' && this.#textEndMs >= endMs - staleMs;
    if (!isUnderstood && spokenMs <= shortTalkMs) return patienceMs.unheardShort;
    if (!isUnderstood) return spokenMs > longSentenceMs ? patienceMs.unheardLong : patienceMs.unheard;
    if (isQuestion(this.#text)) return patienceMs.question;
    if (isBareHello(this.#text)) return patienceMs.hello;
    if (isIntroduction(this.#text)) return patienceMs.introduction;
    return spokenMs > longSentenceMs ? patienceMs.long : patienceMs.other;
  }

  #hearTone({ kind, ...beep }: Tone): void {
    if (kind === 'sit') this.#conclude('intercept', certain, 'special information tones');
    if (kind === 'fax' || kind === 'modem' || kind === 'cng') this.#conclude('fax', 0.95, `${kind} tone`);
    if (kind === 'busy') this.#conclude('intercept', 0.7, 'busy tone');
    if (kind !== 'beep') return;
    this.#options.onBeep?.(beep);
    this.#beepEndMs = beep.endMs;
    // Screeners and queues beep as well.
    const known = this.#verdict?.kind;
    if (known !== undefined && known !== 'silence' && known !== 'person') return;
    // Whoever asks or greets stands beside something that beeps.
    if (known === 'person' && (isBareHello(this.#text) || isQuestion(this.#text))) return;
    const quietest = Math.min(...this.#levels.slice(-3));
    if (Math.max(...this.#levels) - quietest >= beepDropDb) this.#conclude('voicemail', 0.75, 'a beep');
  }

  /** Whether this settles it; a verdict is revised once, and towards a person only from silence. */
  #conclude(kind: AnswerKind, confidence: number, reason: string): boolean {
    const earlier = this.#verdict;
    if (earlier?.kind === kind) return true;
    const isFromSilence = earlier?.kind === 'silence';
    if (earlier && !isFromSilence) {
      if (this.#isSettled() || kind === 'person' || kind === 'silence') return true;
      this.#isRevised = true;
    }
    this.#verdict = { kind, confidence, atMs: this.#nowMs, reason, isRevision: earlier !== undefined };
    this.#options.onVerdict(this.#verdict);
    return true;
  }

  #isSettled(): boolean {
    // No words are as certain as these tones.
    const isByTones = this.#verdict?.kind === 'fax' || (this.#verdict?.confidence ?? 0) >= certain;
    const isLongKnown = this.#verdict?.kind === 'person' && this.#nowMs - this.#verdict.atMs > revisableMs;
    return this.#isRevised || isByTones || isLongKnown;
  }

  #watchGreeting(): void {
    if (this.#isGreetingOver || this.#verdict?.kind !== 'voicemail') return;
    const lastMs = Math.max(this.#talk?.lastLoudMs ?? 0, this.#beepEndMs ?? 0);
    const isSounding = this.#tones.soundingSinceMs !== undefined;
    const isAfterBeep = this.#beepEndMs !== undefined && this.#beepEndMs >= lastMs;
    const quietMs = this.#nowMs - lastMs;
    const neededMs = isAfterBeep ? secondBeepMs : (this.#options.noBeepMs ?? 2_500);
    if (isSounding || quietMs < neededMs) return;
    this.#isGreetingOver = true;
    this.#options.onGreetingEnd?.(this.#nowMs);
  }
}

/** Speech without a long pause. */
class Talk {
  readonly startMs: number;
  lastMs: number;
  spokenMs = 0;
  lastLoudMs: number;

  constructor(startMs: number) {
    this.startMs = startMs;
    this.lastMs = startMs;
    this.lastLoudMs = startMs;
  }

  hear(nowMs: number, isLoud: boolean): void {
    this.spokenMs += frameMs;
    this.lastMs = nowMs;
    if (isLoud) this.lastLoudMs = nowMs;
  }

  /** Without what turned out to be a tone. */
  upTo(ms: number): Talk | undefined {
    if (ms >= this.lastMs) return this;
    if (ms <= this.startMs) return undefined;
    this.spokenMs = Math.max(0, this.spokenMs - (this.lastMs - ms));
    this.lastMs = ms;
    this.lastLoudMs = Math.min(this.lastLoudMs, ms);
    return this;
  }

  silentMs(nowMs: number): number {
    return Math.max(nowMs - this.lastMs, nowMs - this.lastLoudMs - loudGapMs);
  }
}

/** Nobody speaks in the very moment of answering, but lines crackle and noise sets in. */
function isPickUp({ startMs, lastMs }: Talk): boolean {
  return startMs < pickUpMs && lastMs - startMs < leastAtPickUpMs;
}

function isQuestion(text: string): boolean {
  return /\?["']?$/.test(text);
}

function machineWeight({ weights }: PhraseEvidence): number {
  return Math.max(weights.voicemail, weights.screener, weights.menu, weights.intercept);
}

function heaviestMachine({ weights }: PhraseEvidence): AnswerKind | undefined {
  const kinds = ['voicemail', 'screener', 'menu', 'intercept'] as const;
  return kinds.toSorted((a, b) => weights[b] - weights[a])[0];
}

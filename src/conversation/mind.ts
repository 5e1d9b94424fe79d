import type { Answer, RuleVerdict } from '../domain/call-result.ts';
import type { Outcome } from '../domain/outcome.ts';

/** All that a conversation is about, and all that a mind may use. */
export interface Brief {
  agent: { name: string; company: string };
  calleeName: string;
  introMessage?: string;
  introNotes?: string;
  introVoicemail?: string;
  questions: readonly string[];
  rules: readonly string[];
  /** What the caller's system knows of the person, in its order. */
  form: readonly { key: string; value: string }[];
  /** When the call was answered, and the clock of whoever is called. */
  now: Date;
  timeZone: string;
}

/** An utterance of the person called. */
export interface Heard {
  text: string;
  /** From 0 to 1. */
  confidence: number;
  /** Its place in the transcript. */
  turn: number;
  /** Whether it cut short what was being said; what of that was spoken counts as said. */
  isInterruption: boolean;
  /** Whether it goes on with what was said last: the reply came too early, and was not heard. */
  isContinuation?: boolean;
  /** Since the answer. */
  elapsedMs?: number;
}

/** How a mind ends a call, in the words of the closed list. */
export interface Ending {
  kind: Outcome['kind'];
  reason: string;
}

/** Something that must be on record before the call goes on, let alone ends. */
export type Fact =
  | { kind: 'opted-out'; turn: number }
  | { kind: 'callback'; at: Date | undefined; turn: number }
  | { kind: 'wrong-person'; turn: number };

/** What the assistant does next. */
export interface Move {
  facts?: Fact[];
  /** Keys to press before speaking. */
  keys?: string;
  /** Empty: nothing is said. */
  say: string;
  next: { kind: 'listen' } | { kind: 'hang-up'; ending: Ending } | { kind: 'transfer'; to: string };
}

export interface Turn {
  speaker: 'assistant' | 'callee';
  text: string;
}

/** For a mind that finds its words one after the other. */
export interface Aloud {
  /** Says a sentence at once, before the move that it belongs to is complete; the move's `say` is what then follows. */
  say(sentence: string): void;
  /** Nobody waits for the reply any more: the person spoke on, or hung up. */
  signal: AbortSignal;
}

/** Decides what is said. One for each call. */
export interface Mind {
  /** Before the number is dialled: whatever takes time. It never fails, and gives up when it takes too long. */
  prepare(signal: AbortSignal): Promise<void>;
  /** What is likely to be said soon, the likeliest first: rendered before it is needed. */
  likely(): string[];
  /** What is said first, to a person who answered. */
  introduction(): Move;
  heard(utterance: Heard, aloud: Aloud): Promise<Move>;
  /** Nobody said a word although it was their turn; called again for each further while. */
  silence(): Promise<Move>;
  /** What is left on an answering machine. */
  voicemail(): string;
  /** What a screener is told: who calls, and why. */
  screener(): string;
  /** What a menu is answered with. */
  menu(heard: string): Move;
  /** Slower or faster, as the person wished; 1 is the voice's own pace. */
  readonly pace: number;
  /** What went wrong and was made up for. */
  readonly notes: readonly string[];
  result(transcript: readonly Turn[]): { answers: Answer[]; rules: RuleVerdict[]; summary: string };
}

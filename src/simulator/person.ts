import type { VoiceName } from './voice.ts';

/** What comes of listening: the other one spoke and paused, began to speak, pressed a key, or nothing for a while. */
export type Heard =
  /** The text is empty where nothing was understood, or only loudness is heard. */
  | { kind: 'spoke'; ms: number; text: string }
  | { kind: 'speaking' }
  | { kind: 'digit'; digit: string }
  | { kind: 'silence' };

/** The telephone in the hands of a simulated person. Everything rejects once the call is over. */
export type Handset = {
  ring(ms: number): Promise<void>;
  refuse(status: number, reason: string, q850Cause?: number): never;
  answer(): Promise<void>;
  /** Resolves when it was said; in the person's own voice unless another one has the word. */
  say(text: string, voice?: VoiceName): Promise<void>;
  beep(): Promise<void>;
  /** Until the other one has spoken and paused, or pressed a key; `silence` after the given time without either. */
  listen(patienceMs: number): Promise<Heard>;
  /** The same, but no longer than until the other one has been speaking for the given time. */
  listenInto(speechMs: number, patienceMs: number): Promise<Heard>;
  wait(ms: number): Promise<void>;
  hangUp(): never;
};

export type Person = {
  about: string;
  /** Of the voices the one that is understood best, unless another is given. */
  voice?: VoiceName;
  /** Loudness is enough for those who have no use for words: recognising them costs the machine much. */
  hears?: 'loudness';
  live: (phone: Handset) => Promise<void>;
};

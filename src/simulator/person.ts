/** What comes of listening: the other one spoke and paused, began to speak, pressed a key, or nothing for a while. */
export type Heard =
  | { kind: 'spoke'; ms: number }
  | { kind: 'speaking' }
  | { kind: 'digit'; digit: string }
  | { kind: 'silence' };

/** The telephone in the hands of a simulated person. Everything rejects once the call is over. */
export type Handset = {
  ring(ms: number): Promise<void>;
  refuse(status: number, reason: string, q850Cause?: number): never;
  answer(): Promise<void>;
  /** Resolves when it was said. */
  say(text: string): Promise<void>;
  beep(): Promise<void>;
  /** Until the other one has spoken and paused, or pressed a key; `silence` after the given time without either. */
  listen(patienceMs: number): Promise<Heard>;
  /** Until the other one has been speaking for the given time without a pause. */
  listenInto(speechMs: number, patienceMs: number): Promise<Heard>;
  wait(ms: number): Promise<void>;
  hangUp(): never;
};

export type Person = { about: string; live: (phone: Handset) => Promise<void> };

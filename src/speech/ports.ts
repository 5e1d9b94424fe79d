/** The sample rates of telephone lines, and of all sound that passes through these ports. */
export type LineRate = 8_000 | 16_000;

export interface SpeakRequest {
  /** As it is written; the engine finds out how numbers and the like are said. */
  text: string;
  /** One of the engine's voices; its default when absent or unknown to it. */
  voice?: string;
  /** 1 is the voice's own pace, 0.8 slower. */
  pace?: number;
  sampleRate: LineRate;
  signal?: AbortSignal;
}

/** A voice. Failing is an exception of the iteration; being aborted just ends it. */
export interface Tts {
  /** The sound in pieces of any length, each as soon as it is known. */
  speak(request: SpeakRequest): AsyncIterable<Int16Array>;
  /** Makes a text ready that will probably be said, so that speaking it starts at once. */
  prepare(request: SpeakRequest): Promise<void>;
  close(): Promise<void>;
}

/** What was understood of an utterance. Times are counted in the sound that was heard. */
export interface Transcript {
  text: string;
  startMs: number;
  endMs: number;
  /** From 0 to 1. */
  confidence: number;
}

export interface ListenHandlers {
  /** Somebody begins to speak; called before anything is understood. */
  onSpeechStart?(startMs: number): void;
  /** What is understood so far of the utterance that is being spoken. */
  onPartial?(transcript: Transcript): void;
  /** The utterance is over. An empty text means that somebody spoke and nothing was understood. */
  onFinal?(transcript: Transcript): void;
}

export interface ListenOptions extends ListenHandlers {
  sampleRate: LineRate;
  language?: string;
}

/** Ears: sound in, text out. */
export interface Stt {
  listen(options: ListenOptions): Listener;
  close(): Promise<void>;
}

export interface Listener {
  /** The next 20 ms of sound, silence included. */
  hear(frame: Int16Array): void;
  /** Resolves when nothing is being recognised: for sound that comes faster than it was spoken. */
  settled(): Promise<void>;
  /** No more sound comes: resolves after the last final text. */
  end(): Promise<void>;
  /** Stops at once; nothing is reported any more. */
  close(): void;
}

/** Tells speech from other sound. */
export interface Vad {
  /** Whether the next 20 ms are speech. */
  hear(frame: Int16Array): boolean;
  /** Whether the voice stands out so far that no soft ending of a word hides in the noise. */
  readonly isClear: boolean;
  close(): void;
}

export interface Recognition {
  text: string;
  /** From 0 to 1. */
  confidence: number;
}

/**
 * What makes text of an utterance; where utterances begin and end is found out by the listener, the same
 * for every engine.
 */
export interface Recogniser {
  open(options: RecogniserOptions): RecogniserStream;
  close(): Promise<void>;
}

export interface RecogniserOptions {
  sampleRate: LineRate;
  language?: string;
  /** For engines that volunteer what they understand while the utterance is spoken. */
  onPartial?(recognition: Recognition): void;
}

/** In passing, while the person still speaks, or because the utterance is probably over and somebody waits. */
export type RecognisePurpose = 'partial' | 'final';

export interface RecogniserStream {
  /** Whether it has time to recognise what was said while the person still speaks. */
  readonly isIncremental: boolean;
  /** The next 20 ms of the utterance. */
  hear(frame: Int16Array): void;
  /** The whole utterance so far, as well as it can be known now; more of it may still be heard after this. */
  recognise(purpose: RecognisePurpose): Promise<Recognition>;
  /** The utterance is over, what is heard from now on is another one. */
  next(): void;
  /** Ends what is under way, too. */
  close(): void;
}

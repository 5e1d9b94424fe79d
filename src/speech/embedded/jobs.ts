import type { LineRate } from '../ports.ts';
import type { FliteVoice } from './flite.ts';
import type { MoonshineResult } from './moonshine.ts';

export interface SpeakJob {
  kind: 'speak';
  text: string;
  voice: FliteVoice;
  pace: number;
  sampleRate: LineRate;
}

export interface RecogniseJob {
  kind: 'recognise';
  samples: Int16Array;
  sampleRate: LineRate;
  draft: number[];
  isWhole: boolean;
  /** All workers are busy: no second look at what was understood. */
  isHurried: boolean;
}

export type Job = SpeakJob | RecogniseJob;

export interface JobResults {
  speak: Int16Array;
  recognise: MoonshineResult;
}

export type JobResult = JobResults[Job['kind']];

/** Tells a worker that what it needs to recognise speech is loaded when it is first asked to, not at its start. */
export const lazyArgument = '--lazy';

/** What goes to a worker and what comes back. */
export interface JobMessage {
  id: number;
  job: Job;
}

export type WorkerMessage = { kind: 'ready' } | { kind: 'done'; id: number; result: JobResult } | JobFailure;

export interface JobFailure {
  kind: 'failed';
  id: number;
  message: string;
}

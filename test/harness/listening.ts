import assert from 'node:assert/strict';
import { type WordErrors, wordErrors, wordErrorsAtBeginning } from '../../bench/word-error.ts';
import { embeddedRecogniser } from '../../src/speech/embedded/embedded-recogniser.ts';
import type { WorkerPool } from '../../src/speech/embedded/worker-pool.ts';
import { sttOf } from '../../src/speech/hearing/stt.ts';
import type { LineRate, Transcript } from '../../src/speech/ports.ts';
import { hearAll } from './speech.ts';

/** What is said in a recording. */
export async function heardIn(pool: WorkerPool, samples: Int16Array, sampleRate: number): Promise<Transcript[]> {
  const finals: Transcript[] = [];
  const listener = sttOf(embeddedRecogniser(pool)).listen({
    sampleRate: sampleRate as LineRate,
    onFinal: (final) => finals.push(final),
  });
  await hearAll(listener, samples, sampleRate as LineRate);
  return finals;
}

/** The same words, but for what a recogniser gets wrong of any synthetic voice. */
export function assertSounds(expected: string, heard: string): void {
  assertFew(wordErrors(expected, heard), expected, heard);
}

/** It begins with these words, whatever follows. */
export function assertBegins(expected: string, heard: string): void {
  assertFew(wordErrorsAtBeginning(expected, heard), expected, heard);
}

function assertFew({ words, errors }: WordErrors, expected: string, heard: string): void {
  assert.ok(errors <= Math.ceil(words * 0.15), `${errors} of ${words} words differ:\n${expected}\n${heard}`);
}

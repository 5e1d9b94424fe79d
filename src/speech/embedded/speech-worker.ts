import { constants, setPriority } from 'node:os';
import { resample } from '../../rtp/resample.ts';
import { Ears } from './ears.ts';
import { runFlite } from './flite.ts';
import { type Job, type JobMessage, type JobResult, lazyArgument, type SpeakJob, type WorkerMessage } from './jobs.ts';
import { trimSilence } from './trim-silence.ts';

// Telephones come first: what is heard and spoken 20 ms at a time must not wait for this work.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// A terminal's Ctrl-C reaches this process too; the service may still be finishing its calls then.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit());

let loading: Promise<Ears> | undefined;
const ears = () => {
  loading ??= Ears.load();
  return loading;
};
if (!process.argv.includes(lazyArgument)) await ears();

let queue = Promise.resolve();
process.on('message', ({ id, job }: JobMessage) => {
  queue = queue.then(() => answer(id, job));
});
send({ kind: 'ready' });

async function answer(id: number, job: Job): Promise<void> {
  try {
    send({ kind: 'done', id, result: await carryOut(job) });
  } catch (error) {
    send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
}

async function carryOut(job: Job): Promise<JobResult> {
  return job.kind === 'speak' ? speak(job) : (await ears()).recognise(job);
}

function speak({ text, voice, pace, sampleRate }: SpeakJob): Int16Array {
  const sound = runFlite({ text, voice, rate: pace });
  return trimSilence(resample(sound.samples, sound.sampleRate, sampleRate), sampleRate);
}

function send(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

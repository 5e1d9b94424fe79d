import type { JobMessage, WorkerMessage } from '../../src/speech/embedded/jobs.ts';

// A speech worker that does what the text says, to be lost on purpose.
process.on('disconnect', () => process.exit());
process.on('message', ({ id, job }: JobMessage) => {
  const text = job.kind === 'speak' ? job.text : '';
  if (text === 'die') process.exit(7);
  else if (text === 'fail') send({ kind: 'failed', id, message: 'it would not' });
  else if (text !== 'hang') send({ kind: 'done', id, result: Int16Array.from(Buffer.from(text)) });
});
send({ kind: 'ready' });

function send(message: WorkerMessage): void {
  process.send?.(message);
}

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { SpeakJob } from './jobs.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

const program = new URL('../../../test/harness/moody-worker.ts', import.meta.url);
const pools: WorkerPool[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));

function moodyPool(options: WorkerPoolOptions = {}): { pool: WorkerPool; lost: string[] } {
  const lost: string[] = [];
  const pool = new WorkerPool({ program, workers: 1, onWorkerLost: (reason) => lost.push(reason), ...options });
  pools.push(pool);
  return { pool, lost };
}

const job = (text: string): SpeakJob => ({ kind: 'speak', text, voice: 'slt', pace: 1, sampleRate: 8_000 });
const ask = (pool: WorkerPool, text: string, options: { owner?: object; signal?: AbortSignal } = {}) =>
  pool
    .run(job(text), { owner: {}, urgency: 'now', ...options })
    .then((samples) => Buffer.from(Uint8Array.from(samples)).toString());

test('a job that fails fails alone', async () => {
  const { pool, lost } = moodyPool();
  const [failed, done] = await Promise.allSettled([ask(pool, 'fail'), ask(pool, 'hello')]);
  assert.equal(failed.status === 'rejected' && failed.reason.message, 'it would not');
  assert.equal(done.status === 'fulfilled' && done.value, 'hello');
  assert.deepEqual(lost, []);
});

test('a worker that dies is replaced, and only the job that killed two of them fails', async () => {
  const { pool, lost } = moodyPool();
  const results = await Promise.allSettled([ask(pool, 'die'), ask(pool, 'hello'), ask(pool, 'there')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(lost, ['exit code 7', 'exit code 7']);
});

test('a worker killed from outside costs nothing: its job goes to the next one', async () => {
  const { pool, lost } = moodyPool();
  await pool.ready;
  const [processId] = pool.processIds;
  const hanging = new AbortController();
  const hang = ask(pool, 'hang', { signal: hanging.signal });
  const next = ask(pool, 'hello');
  process.kill(processId as number, 'SIGKILL');
  // The job that hangs is at the head again, so the other one has its turn only when it is given up and lost.
  hanging.abort(new Error('enough'));
  await assert.rejects(hang, /enough/);
  const [replacement] = await untilReplaced(pool, processId as number);
  process.kill(replacement as number, 'SIGKILL');
  assert.equal(await next, 'hello');
  assert.ok(lost.every((reason) => reason === 'SIGKILL'));
});

async function untilReplaced(pool: WorkerPool, old: number): Promise<number[]> {
  while (pool.processIds.length === 0 || pool.processIds.includes(old))
    await new Promise((resolve) => setImmediate(resolve));
  return pool.processIds;
}

test('a worker that hangs is ended after the time a job may take', async () => {
  const { pool, lost } = moodyPool({ jobMs: 50 });
  const [hung, next] = await Promise.allSettled([ask(pool, 'hang'), ask(pool, 'hello')]);
  assert.equal(hung.status, 'rejected');
  assert.equal(next.status === 'fulfilled' && next.value, 'hello');
  assert.deepEqual(lost, ['SIGKILL', 'SIGKILL']);
});

test('a job that waits is dropped when it is cancelled', async () => {
  const { pool } = moodyPool();
  await pool.ready;
  const controller = new AbortController();
  const first = ask(pool, 'hang', { signal: controller.signal });
  const waiting = ask(pool, 'hello', { signal: controller.signal });
  assert.equal(pool.waiting, 1);
  controller.abort(new Error('not any more'));
  await assert.rejects(waiting, /not any more/);
  await assert.rejects(first, /not any more/);
  assert.equal(pool.waiting, 0);
});

test('closing fails what is under way and leaves no process behind', async () => {
  const { pool } = moodyPool({ workers: 2 });
  await pool.ready;
  const processIds = pool.processIds;
  const hung = assert.rejects(ask(pool, 'hang'), /closed/);
  await pool.close();
  await hung;
  await assert.rejects(ask(pool, 'hello'), /closed/);
  for (const processId of processIds) assert.throws(() => process.kill(processId, 0), /ESRCH/);
});

test('many owners share one worker in turns', async () => {
  const { pool } = moodyPool();
  const order: string[] = [];
  const [talker, other] = [{}, {}];
  const note = (name: string) => () => order.push(name);
  await Promise.all([
    ...Array.from({ length: 20 }, () => ask(pool, 'x', { owner: talker }).then(note('talker'))),
    ask(pool, 'x', { owner: other }).then(note('other')),
  ]);
  assert.ok(order.indexOf('other') <= 2, order.join(' '));
});

import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { FairQueue, type Urgency } from './fair-queue.ts';
import { type Job, type JobResult, type JobResults, lazyArgument, type WorkerMessage } from './jobs.ts';

export interface WorkerPoolOptions {
  /** Default: one for each core, up to eight. */
  workers?: number;
  /** The program of a worker; tests have one that misbehaves. */
  program?: URL;
  /** For a single command: what is not used is not loaded. */
  isLazy?: boolean;
  /** A job that takes longer has gone astray: its worker is ended. */
  jobMs?: number;
  onWorkerLost?(reason: string): void;
}

export interface JobOptions {
  /** On whose behalf; owners take turns. */
  owner: object;
  urgency: Urgency;
  signal?: AbortSignal | undefined;
}

interface Task extends JobOptions {
  job: Job;
  done: PromiseWithResolvers<JobResult>;
  /** Workers that were lost over it. */
  losses: number;
}

/** A second worker may be lost to chance; a third would be the job's own doing. */
const mostLosses = 2;
/** So that a worker which cannot start does not keep the machine busy with trying. */
const pauseAfterLossMs = 1_000;

/**
 * Processes that speak and recognise, one job at a time each. They are processes, not threads: when a
 * thread ends in the middle of an inference, the runtime takes the whole program with it, all calls
 * included; when a process dies, its job goes to another one.
 */
export class WorkerPool {
  readonly #options: WorkerOptions;
  readonly #queue = new FairQueue<Task>();
  readonly #workers = new Set<Worker>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  readonly #ready = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(options: WorkerPoolOptions = {}) {
    this.#options = { program: new URL('./speech-worker.ts', import.meta.url), jobMs: 20_000, ...options };
    this.#ready.promise.catch(() => {});
    const workers = options.workers ?? Math.min(8, availableParallelism());
    for (let count = 0; count < workers; count++) this.#start();
  }

  /** Resolves when the first worker can take a job. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Jobs that wait for a worker. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether a job would be begun at once. */
  get hasFreeWorker(): boolean {
    return [...this.#workers].some((worker) => worker.isFree);
  }

  /** The processes' ids, for tests and the curious. */
  get processIds(): number[] {
    return [...this.#workers].flatMap(({ child }) => child.pid ?? []);
  }

  run<J extends Job>(job: J, options: JobOptions): Promise<JobResults[J['kind']]> {
    const { signal } = options;
    if (this.#isClosed) return Promise.reject(new Error('The speech workers are closed'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const task: Task = { ...options, job, done: Promise.withResolvers(), losses: 0 };
    const giveUp = () => {
      this.#queue.remove(task);
      task.done.reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#queue.add(task, task.owner, task.urgency);
    this.#assign();
    return task.done.promise.finally(() => signal?.removeEventListener('abort', giveUp)) as Promise<
      JobResults[J['kind']]
    >;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const restart of this.#restarts) clearTimeout(restart);
    const closed = new Error('The speech workers are closed');
    this.#ready.reject(closed);
    for (let task = this.#queue.take(); task; task = this.#queue.take()) task.done.reject(closed);
    await Promise.all([...this.#workers].map((worker) => worker.end(closed)));
  }

  #start(): void {
    const worker = new Worker(this.#options, {
      onFree: () => {
        this.#ready.resolve();
        this.#assign();
      },
      onLost: (reason, task) => this.#onLost(worker, reason, task),
    });
    this.#workers.add(worker);
  }

  #assign(): void {
    for (const worker of this.#workers) {
      if (!worker.isFree) continue;
      const task = this.#queue.take();
      if (!task) return;
      worker.carryOut(task);
    }
  }

  #onLost(worker: Worker, reason: string, task: Task | undefined): void {
    this.#workers.delete(worker);
    if (this.#isClosed) return;
    if (task && !task.signal?.aborted) {
      task.losses++;
      if (task.losses < mostLosses) this.#queue.putBack(task, task.owner, task.urgency);
      else task.done.reject(new Error(`The speech worker was lost: ${reason}`));
    }
    this.#options.onWorkerLost?.(reason);
    const restart = setTimeout(
      () => {
        this.#restarts.delete(restart);
        this.#start();
      },
      worker.wasReady ? 0 : pauseAfterLossMs,
    );
    this.#restarts.add(restart);
    this.#assign();
  }
}

type WorkerOptions = WorkerPoolOptions & { program: URL; jobMs: number };

interface WorkerHandlers {
  onFree(): void;
  onLost(reason: string, task: Task | undefined): void;
}

class Worker {
  readonly child: ChildProcess;
  wasReady = false;
  readonly #jobMs: number;
  readonly #handlers: WorkerHandlers;
  readonly #exited = Promise.withResolvers<void>();
  #current: { id: number; task: Task; deadline: NodeJS.Timeout } | undefined;
  #lastId = 0;

  constructor({ program, jobMs, isLazy = false }: WorkerOptions, handlers: WorkerHandlers) {
    this.#jobMs = jobMs;
    this.#handlers = handlers;
    this.child = fork(fileURLToPath(program), isLazy ? [lazyArgument] : [], {
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child.on('message', (message: WorkerMessage) => this.#onMessage(message));
    this.child.on('error', () => this.child.kill('SIGKILL'));
    this.child.once('exit', (code, signal) => {
      const task = this.#settle();
      this.#exited.resolve();
      this.#handlers.onLost(signal ?? `exit code ${code}`, task);
    });
  }

  get isFree(): boolean {
    return this.wasReady && !this.#current && this.child.connected;
  }

  carryOut(task: Task): void {
    const id = ++this.#lastId;
    const deadline = setTimeout(() => this.child.kill('SIGKILL'), this.#jobMs);
    this.#current = { id, task, deadline };
    this.child.send({ id, job: task.job });
  }

  async end(reason: Error): Promise<void> {
    this.#settle()?.done.reject(reason);
    if (this.child.connected) this.child.disconnect();
    // It may be in the middle of an inference, which nobody waits for.
    this.child.kill('SIGKILL');
    await this.#exited.promise;
  }

  #onMessage(message: WorkerMessage): void {
    if (message.kind === 'ready') this.wasReady = true;
    else if (message.id === this.#current?.id) {
      const task = this.#settle();
      if (message.kind === 'done') task?.done.resolve(message.result);
      else task?.done.reject(new Error(message.message));
    }
    this.#handlers.onFree();
  }

  #settle(): Task | undefined {
    const current = this.#current;
    clearTimeout(current?.deadline);
    this.#current = undefined;
    return current?.task;
  }
}

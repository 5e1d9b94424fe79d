import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 40_000;
const pollEveryMs = 5;

export type Started = { pid: number; startMs: number; stop(): Promise<void> };

type Options = {
  /** From the root of the project. */
  script: string;
  args?: string[];
  env: Record<string, string | undefined>;
  /** Answers 200 once the process is ready. */
  readyUrl: string;
  signal: AbortSignal;
};

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A Node process of its own, ready to be measured. */
export async function startProcess({ script, args = [], env, readyUrl, signal }: Options): Promise<Started> {
  const startedAt = performance.now();
  // In a group of its own, a Ctrl-C reaches us only, and we stop it in order.
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-5_000);
  });
  try {
    while (!(await answers(readyUrl))) {
      if (hasEnded(child)) throw new Error(`${script} ended before it was ready: ${complaints}`);
      if (performance.now() - startedAt > startTimeoutMs) throw new Error(`${script} did not become ready`);
      await sleep(pollEveryMs, undefined, { signal });
    }
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { pid: child.pid as number, startMs: performance.now() - startedAt, stop: () => stop(child) };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = new AbortController();
  const timeout = sleep(stopTimeoutMs, 'late', { signal: patience.signal }).catch(() => 'ended');
  if ((await Promise.race([ended, timeout])) === 'late') {
    child.kill('SIGKILL');
    await ended;
  }
  patience.abort();
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

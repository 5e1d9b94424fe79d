import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const sampleMs = 500;
// Above what our own PostgreSQL does between rounds (autovacuum, checkpoints), below any test run.
const busyShare = 0.25;
const longestWaitMs = 60_000;

/**
 * Waits before a round until hardly anything else runs on this machine: the cores are few, and a
 * test run beside us would be measured with us. After a while it goes on all the same.
 */
export async function quietMachine(signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  while (performance.now() < deadline) {
    const before = cpuTimes();
    await sleep(sampleMs, undefined, { signal });
    const after = cpuTimes();
    if ((after.busy - before.busy) / (after.all - before.all) < busyShare) return;
  }
}

function cpuTimes(): { busy: number; all: number } {
  let busy = 0;
  let all = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { busy, all };
}

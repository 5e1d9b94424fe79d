import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../src/free-port.ts';
import { readPostmaster } from '../src/store/embedded/postmaster.ts';
import { compare, type Figure, type Measure, toSample } from './figure.ts';
import { type Started, startProcess } from './harness/child-process.ts';
import { interleave } from './harness/interleave.ts';
import { proportionalMb, residentMb } from './harness/memory.ts';
import { startService, withDataDir } from './harness/service.ts';

/** As a user starts it: with voice, ears and telephone. */
const calling = { PARLEY_MAX_CALLS: '40', PARLEY_SIP_PORT: '0', PARLEY_SIMULATOR_PORT: '0' };
const rounds = 7;
const idleMs = 10_000;

/** Time from spawn until /health answers, and memory when nothing happens, beside an empty Node server. */
export const measureProcess: Measure = async ({ signal }) => {
  const starts = await withDataDir((usedDir) => {
    const ready = async (process: Promise<Started>) => {
      const { startMs, stop } = await process;
      await stop();
      return startMs;
    };
    const service = async (dataDir: string) =>
      ready(startService({ dataDir, port: await freePort(), signal, env: calling }));
    return service(usedDir).then(() =>
      interleave(
        rounds,
        {
          cold: () => withDataDir(service),
          warm: () => service(usedDir),
          empty: () => ready(startEmptyServer(signal)),
        },
        signal,
      ),
    );
  });
  const reference = { name: 'empty Node server', rounds: starts.empty };
  return [
    compare({ name: 'first start, with initdb', unit: 'ms' }, starts.cold, reference),
    compare({ name: 'later start', unit: 'ms' }, starts.warm, reference),
    ...(await measureMemory(signal)),
  ];
};

function measureMemory(signal: AbortSignal): Promise<Figure[]> {
  return withDataDir(async (dataDir) => {
    const service = await startService({ dataDir, port: await freePort(), signal, env: calling });
    try {
      const empty = await startEmptyServer(signal);
      try {
        await sleep(idleMs, undefined, { signal });
        const ours = await residentMb(service.pid);
        const reference = await residentMb(empty.pid);
        const postmaster = await readPostmaster(join(dataDir, 'postgres'));
        const postgres = postmaster && (await proportionalMb(postmaster.pid));
        if (ours === undefined || reference === undefined || postgres === undefined) return []; // no /proc here
        return [
          compare({ name: 'memory when idle (RSS)', unit: 'MB' }, [ours], {
            name: 'empty Node server',
            rounds: [reference],
          }),
          { name: 'memory of its PostgreSQL (PSS of all processes)', unit: 'MB', ours: toSample([postgres]) },
        ];
      } finally {
        await empty.stop();
      }
    } finally {
      await service.stop();
    }
  });
}

async function startEmptyServer(signal: AbortSignal): Promise<Started> {
  const port = await freePort();
  return startProcess({
    script: 'bench/harness/empty-server.ts',
    args: [String(port)],
    env: {},
    readyUrl: `http://127.0.0.1:${port}/`,
    signal,
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/free-port.ts';

/** sipp as the callee: 180, 200, and the answer to BYE. */
export async function withSippCallee<T>(signal: AbortSignal, use: (port: number) => Promise<T>): Promise<T> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-sipp-'));
  const child = spawn('sipp', ['-sn', 'uas', '-i', '127.0.0.1', '-p', String(port), '-nostdin'], {
    cwd: folder,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  exited.catch(() => {}); // sipp is not installed: the wait below tells
  try {
    await untilBound(port, signal);
    return await use(port);
  } finally {
    child.kill('SIGKILL');
    await exited.catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether sipp as the caller gets all calls through at this rate, without falling behind. */
export async function sippKeepsUp(port: number, rate: number, seconds: number): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-sipp-'));
  const own = await freePort();
  const args = ['-sn', 'uac', `127.0.0.1:${port}`, '-i', '127.0.0.1', '-p', String(own), '-nostdin'];
  const load = ['-r', String(rate), '-l', '10000', '-m', String(rate * seconds)];
  const startedAt = performance.now();
  const child = spawn('sipp', [...args, ...load], { cwd: folder, stdio: 'ignore' });
  const timeout = setTimeout(() => child.kill('SIGKILL'), 3_000 * seconds);
  const [code] = await once(child, 'exit');
  clearTimeout(timeout);
  await rm(folder, { recursive: true, force: true });
  // A second for its start and for the last calls to end.
  return code === 0 && performance.now() - startedAt < seconds * 1050 + 1_000;
}

async function untilBound(port: number, signal: AbortSignal): Promise<void> {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000`;
  for (let waited = 0; waited < 500; waited++) {
    if ((await readFile('/proc/net/udp', 'utf8')).includes(address)) return;
    await sleep(10, undefined, { signal });
  }
  throw new Error('sipp does not listen; is it installed (Debian: sip-tester)?');
}

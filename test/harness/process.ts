import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../../src/credentials-file.ts';
import { freePort } from '../../src/free-port.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

/** `parley start` as a process of its own. */
export type Running = {
  child: ChildProcess;
  url: string;
  port: number;
  /** All that it has written so far. */
  output(): string;
  /** Waits until its output matches. */
  says(pattern: RegExp): Promise<void>;
  ready(): Promise<Running>;
  /** Ends it with a signal; gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  exited: Promise<number | null>;
};

export async function temporaryDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-data-'));
  after(async () => {
    const pid = await postmasterPid(dir);
    if (pid) {
      process.kill(pid, 'SIGKILL');
      await until(async () => (await postmasterPid(dir)) === undefined);
    }
    await rm(dir, { recursive: true, force: true });
  });
  return dir;
}

export async function spawnParley(
  dataDir: string,
  options: { env?: Record<string, string>; port?: number; user?: { uid: number; gid: number } } = {},
): Promise<Running> {
  const port = options.port ?? (await freePort());
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      PARLEY_DATA_DIR: dataDir,
      PARLEY_SIMULATOR_PORT: '0',
      PARLEY_SIP_PORT: '0',
      // Most tests are about something else than calls.
      PARLEY_MAX_CALLS: '0',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options.user,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part) => {
      text += part;
      child.emit('said');
    });
  }
  const exited = once(child, 'close').then(() => child.exitCode);
  after(() => void child.kill('SIGKILL'));
  const running: Running = {
    child,
    url: `http://127.0.0.1:${port}`,
    port,
    exited,
    output: () => text,
    async says(pattern) {
      while (!pattern.test(text)) {
        const ended = await Promise.race([once(child, 'said'), exited.then(() => 'exited')]);
        if (ended === 'exited' && !pattern.test(text)) throw new Error(`It ended without saying ${pattern}:\n${text}`);
      }
    },
    async ready() {
      await running.says(/Parley is ready/);
      return running;
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
  return running;
}

export async function startParley(dataDir: string, env: Record<string, string> = {}): Promise<Running> {
  return (await spawnParley(dataDir, { env })).ready();
}

export async function readCredentialsOf(dataDir: string): Promise<Credentials> {
  return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
}

/** The live PostgreSQL of the data directory, if any. */
export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number((await readFile(file, 'utf8')).split('\n')[0]);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(dataDir) ? pid : undefined;
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

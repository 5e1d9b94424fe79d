import { execFile, spawn } from 'node:child_process';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { commandLine, postgresEnvironment, type RunAs } from './identity.ts';

const run = promisify(execFile);

const stopTimeoutMs = 30_000;

export type Postmaster = { pid: number; port: number; text: string };

/** What `postmaster.pid` says: line 1 is the process, line 4 the port. It may be stale. */
export async function readPostmaster(dir: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  return pid > 0 && port > 0 ? { pid, port, text } : undefined;
}

/** After a reboot the process number in a stale file may belong to anyone, ourselves included. */
export async function isPostmasterOf(pid: number, dir: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command =
    process.platform === 'linux'
      ? (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
      : await run('ps', ['-o', 'command=', '-p', String(pid)]).then(
          ({ stdout }) => stdout,
          () => '',
        );
  return command.includes('postgres') && command.includes(dir);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** PostgreSQL would wait for the stranger whose process number a stale file names. */
export async function setAsideStaleFile(dir: string, stale: Postmaster): Promise<void> {
  const file = join(dir, 'postmaster.pid');
  const aside = `${file}.stale-${process.pid}`;
  await rename(file, aside).catch(() => {});
  const moved = await readFile(aside, 'utf8').catch(() => stale.text);
  if (moved !== stale.text)
    await rename(aside, file); // a new postmaster was faster: it keeps its file
  else await rm(aside, { force: true });
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // Statements that fail would be logged with the values that made them fail.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

export type StartedPostmaster = { hasExited(): boolean; lastWords(): Promise<string> };

/** Starts PostgreSQL and does not wait until it is ready. */
export async function startPostmaster(
  executable: string,
  runAs: RunAs,
  dir: string,
  port: number,
): Promise<StartedPostmaster> {
  const logFile = join(dirname(dir), 'postgres.log');
  const log = await open(logFile, 'a', 0o600);
  const begin = (await log.stat()).size;
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args, identity] = commandLine(runAs, executable, ['-D', dir, '-p', String(port), ...flags]);
  // In a session of its own: Ctrl-C at the terminal reaches us only, and we stop it when our work is done.
  const child = spawn(command, args, {
    ...identity,
    cwd: '/',
    env: postgresEnvironment(),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  child.unref();
  await log.close();
  return {
    hasExited: () => failure !== undefined || child.exitCode !== null || child.signalCode !== null,
    async lastWords() {
      if (failure) return failure.message;
      const text = (await readFile(logFile)).subarray(begin).toString();
      return text.trim().split('\n').slice(-5).join('\n');
    },
  };
}

/** A fast shutdown: everyone is disconnected, a checkpoint is written. */
export async function stopPostmaster(dir: string): Promise<void> {
  const postmaster = await readPostmaster(dir);
  if (!postmaster) return;
  process.kill(postmaster.pid, 'SIGINT');
  const deadline = Date.now() + stopTimeoutMs;
  while (Date.now() < deadline) {
    if (!(await isPostmasterOf(postmaster.pid, dir))) return;
    await sleep(25);
  }
  throw new Error(`PostgreSQL (process ${postmaster.pid}) did not stop within ${stopTimeoutMs / 1000} s`);
}

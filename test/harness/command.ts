import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export type Run = { code: number; stdout: string; stderr: string };

/** A folder for the files of one test file. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the real command, `src/cli.ts` or the given launcher; its environment is what the test says and nothing else. */
export function runCommand(
  args: string[],
  options: { scratch: string; env?: Record<string, string>; launcher?: string[] },
): Promise<Run> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: join(options.scratch, 'compiled'),
    ...options.env,
  };
  const nodeArgs = [...(options.launcher ?? ['src/cli.ts']), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, nodeArgs, { env, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

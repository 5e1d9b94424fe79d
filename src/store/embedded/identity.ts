import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Who runs PostgreSQL, since it refuses to be root. */
export type RunAs = { kind: 'self' } | { kind: 'namespace' } | { kind: 'user'; uid: number; gid: number };

/**
 * As root, a user namespace in which we are `nobody` satisfies PostgreSQL without touching the
 * machine's users, and works below folders that only root can enter, such as /root. Where the
 * kernel forbids that (many containers), the system user `postgres` runs it.
 */
export async function chooseIdentity(dataDir: string, dir: string): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { kind: 'self' };
  const existing = await stat(dir).catch(() => undefined);
  if (existing && existing.uid !== 0) return { kind: 'user', uid: existing.uid, gid: existing.gid };
  const namespace: RunAs = { kind: 'namespace' };
  const allowed = await runCommand(namespace, 'true', []).then(
    () => true,
    () => false,
  );
  if (allowed) return namespace;
  if (existing) {
    throw new Error(
      `The database in ${dir} belongs to root, and user namespaces are not allowed here. Please chown it.`,
    );
  }
  const user = await systemUser();
  await runCommand(user, 'test', ['-x', dirname(dataDir)]).catch(() => {
    throw new Error(
      `The user postgres cannot reach ${dataDir}. Please set PARLEY_DATA_DIR to a folder that it can enter.`,
    );
  });
  return user;
}

async function systemUser(): Promise<RunAs> {
  const find = async (): Promise<RunAs> => {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
    return { kind: 'user', uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  };
  return find().catch(async () => {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']);
    return find();
  });
}

export function commandLine(
  runAs: RunAs,
  file: string,
  args: string[],
): [string, string[], { uid?: number; gid?: number }] {
  if (runAs.kind === 'namespace') {
    return ['unshare', ['--user', '--map-user=65534', '--map-group=65534', '--', file, ...args], {}];
  }
  return [file, args, runAs.kind === 'user' ? { uid: runAs.uid, gid: runAs.gid } : {}];
}

export async function runCommand(runAs: RunAs, file: string, args: string[]): Promise<void> {
  const [command, commandArgs, identity] = commandLine(runAs, file, args);
  try {
    await run(command, commandArgs, { ...identity, cwd: '/', env: postgresEnvironment() });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${file} failed: ${stderr?.trim() || message}`);
  }
}

// PostgreSQL's own variables (PGDATA, PGPORT, …) and odd locales of the user's shell must not reach it.
export function postgresEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

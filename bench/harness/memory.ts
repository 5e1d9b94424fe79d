import { readdir, readFile } from 'node:fs/promises';

const megabyte = 1024;

/** Resident memory of a process in MB, or undefined where there is no /proc. */
export async function residentMb(pid: number): Promise<number | undefined> {
  return readField(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB$/m);
}

/** Memory of a process and its children in MB, pages that several of them share counted once. */
export async function proportionalMb(pid: number): Promise<number | undefined> {
  const pids = [pid, ...(await childrenOf(pid))];
  const sizes = await Promise.all(pids.map((each) => readField(`/proc/${each}/smaps_rollup`, /^Pss:\s+(\d+) kB$/m)));
  return sizes.reduce<number | undefined>((sum, size) => (size === undefined ? sum : (sum ?? 0) + size), undefined);
}

async function childrenOf(parent: number): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map((pid) => readNumber(`/proc/${pid}/status`, /^PPid:\s+(\d+)$/m)));
  return pids.filter((_, index) => parents[index] === parent);
}

async function readField(path: string, pattern: RegExp): Promise<number | undefined> {
  const kilobytes = await readNumber(path, pattern);
  return kilobytes === undefined ? undefined : kilobytes / megabyte;
}

async function readNumber(path: string, pattern: RegExp): Promise<number | undefined> {
  const [, number] = pattern.exec(await readFile(path, 'utf8').catch(() => '')) ?? [];
  return number === undefined ? undefined : Number(number);
}

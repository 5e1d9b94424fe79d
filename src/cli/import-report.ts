import { type FileHandle, open, realpath } from 'node:fs/promises';
import { exitCode, Failure } from './failure.ts';
import type { RowResult } from './import-rows.ts';

/** A CSV file with one line for each row of the import. */
export type ImportReport = { add(results: RowResult[]): Promise<void>; close(): Promise<void> };

export async function openReport(path: string | undefined, inputPath: string): Promise<ImportReport> {
  if (path === undefined) return { add: async () => {}, close: async () => {} };
  await refuseSameFile(path, inputPath);
  const file = await create(path);
  await file.appendFile('line,phone,action,code,message\n');
  return {
    async add(results) {
      await file.appendFile(results.map(toCsvLine).join(''));
    },
    close: () => file.close(),
  };
}

async function refuseSameFile(path: string, inputPath: string): Promise<void> {
  const [report, input] = await Promise.all([path, inputPath].map((name) => realpath(name).catch(() => undefined)));
  if (report !== undefined && report === input) {
    throw new Failure(exitCode.usage, 'The report would overwrite the file that is imported.');
  }
}

/** It holds telephone numbers, so only its owner may read it. */
async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w', 0o600);
  } catch (error) {
    throw new Failure(exitCode.usage, `The report cannot be written: ${(error as Error).message}`);
  }
}

function toCsvLine({ line, phone, action, code, message }: RowResult): string {
  return `${[String(line), phone, action, code, message].map(quote).join(',')}\n`;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

import type { Command } from 'commander';

export type Output = {
  readonly json: boolean;
  /** Writes the result to stdout: the value as JSON, or the lines for people. */
  result(value: unknown, lines: string[]): void;
};

export function outputOf(command: Command): Output {
  const json = command.optsWithGlobals()['json'] === true;
  return {
    json,
    result(value, lines) {
      if (json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
      else if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
    },
  };
}

/** A word to the person at the terminal, never part of the result. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Text out of a file, which must not steer the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}

/** Lines of aligned columns below their names. */
export function table(rows: Record<string, string>[]): string[] {
  if (rows.length === 0) return [];
  const names = Object.keys(rows[0] ?? {});
  const all = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  const widths = names.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  return all.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

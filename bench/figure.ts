/** What was measured in each round, and the median that stands for them. */
export type Sample = { median: number; rounds: number[] };

/** One line of the result: ours, and what it is compared with in the same run. */
export type Figure = {
  name: string;
  unit: string;
  ours: Sample;
  reference?: { name: string } & Sample;
  /** Ours by the reference's. */
  ratio?: number;
  /** The least ratio that is good enough. */
  goal?: number;
};

export type Measure = (options: { signal: AbortSignal }) => Promise<Figure[]>;

export function toSample(rounds: number[]): Sample {
  return { median: median(rounds), rounds };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1], sorted[middle]];
  if (high === undefined) throw new Error('Nothing was measured');
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2;
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Ours beside a reference. */
export function compare(
  figure: { name: string; unit: string; goal?: number },
  ours: number[],
  reference: { name: string; rounds: number[] },
): Figure {
  const sample = toSample(ours);
  const other = { name: reference.name, ...toSample(reference.rounds) };
  return { ...figure, ours: sample, reference: other, ratio: sample.median / other.median };
}

const header = ['figure', 'ours', 'reference', '', 'ratio', 'goal', 'met'];

/** A Markdown table, as bench/README.md holds it. */
export function toTable(figures: Figure[]): string {
  const rows = [header, ...figures.map(toCells)];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines.join('\n');
}

function toCells({ name, unit, ours, reference, ratio, goal }: Figure): string[] {
  return [
    name,
    `${round(ours.median)} ${unit}`,
    reference ? `${round(reference.median)} ${unit}` : '',
    reference?.name ?? '',
    ratio === undefined ? '' : ratio.toFixed(2),
    goal === undefined ? '' : `≥ ${goal}`,
    goal === undefined || ratio === undefined ? '' : ratio >= goal ? 'yes' : 'no',
  ];
}

function round(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

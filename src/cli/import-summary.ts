import { type Failure, showFailure, toFailure } from './failure.ts';
import type { ImportEnd, RowResult } from './import-rows.ts';
import { printable, remark } from './output.ts';

const shownFailures = 20;

type Counts = { rows: number; created: number; updated: number; valid: number; failed: number };

/** What an import did, counted as it goes on and told at its end. */
export type ImportSummary = {
  readonly counts: Readonly<Counts>;
  add(results: RowResult[]): void;
  end(end: ImportEnd): void;
};

type Facts = { campaignId: string; dryRun: boolean };

export function importSummary(facts: Facts, json: boolean): ImportSummary {
  const counts: Counts = { rows: 0, created: 0, updated: 0, valid: 0, failed: 0 };
  const teller = json ? jsonTeller(facts) : terminalTeller(facts);
  return {
    counts,
    add(results) {
      for (const result of results) {
        counts.rows++;
        counts[result.action]++;
        if (result.action === 'failed') teller.addFailure(result);
      }
    },
    end(end) {
      const failure = end.kind === 'failed' ? toFailure(end.error) : undefined;
      teller.end(counts, end, failure);
      if (failure) showFailure(failure);
      if (end.kind === 'interrupted') remark('Stopped before the end of the file.');
      if (end.unconfirmed) {
        const { fromLine, toLine } = end.unconfirmed;
        remark(`Lines ${fromLine} to ${toLine} were sent but not confirmed. Importing them again does no harm.`);
      }
    },
  };
}

type Teller = {
  addFailure(result: RowResult): void;
  end(counts: Counts, end: ImportEnd, failure: Failure | undefined): void;
};

function terminalTeller({ dryRun }: Facts): Teller {
  const shown: RowResult[] = [];
  return {
    addFailure(result) {
      if (shown.length < shownFailures) shown.push(result);
    },
    end({ rows, created, updated, valid, failed }) {
      const done = dryRun ? `${valid} valid` : `${created} created, ${updated} updated`;
      const lines = shown.map(({ line, phone, message }) => `  line ${line}: ${phone || '(no phone)'}: ${message}`);
      if (failed > shown.length) lines.push(`  … and ${failed - shown.length} more; --report FILE.csv lists them all`);
      const text = [`${rows} rows: ${done}, ${failed} failed${dryRun ? ' (dry run: nothing was sent)' : ''}`, ...lines];
      process.stdout.write(`${text.map(printable).join('\n')}\n`);
    },
  };
}

/** One JSON object, written as the import goes on: a million failures need no memory. */
function jsonTeller({ campaignId, dryRun }: Facts): Teller {
  const opening = '{"failures":[\n';
  let separator = opening;
  return {
    addFailure({ line, phone, code, message }) {
      process.stdout.write(separator + JSON.stringify({ line, phone, code, message }));
      separator = ',\n';
    },
    end({ valid, ...written }, end, error) {
      const { rows, failed } = written;
      if (failed === 0) process.stdout.write(opening);
      const counts = dryRun ? { rows, valid, failed } : written;
      const rest = { campaignId, dryRun, ...counts, end: end.kind, unconfirmed: end.unconfirmed, error };
      process.stdout.write(`\n],${JSON.stringify(rest).slice(1)}\n`);
    },
  };
}

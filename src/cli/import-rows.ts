import type { ContactRow } from './contact-rows.ts';
import type { Verdict, WriteContacts } from './write-contacts.ts';

// With very long cells a batch ends before it has all its rows.
const maxBatchCharacters = 4_000_000;

export type RowResult = { line: number; phone: string; action: Verdict['action']; code: string; message: string };

/** How an import ended; `unconfirmed` are the lines whose answer is missing. */
export type ImportEnd = { unconfirmed?: { fromLine: number; toLine: number } } & (
  | { kind: 'complete' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; error: unknown }
);

type Options = {
  batchSize: number;
  write: WriteContacts;
  /** Ends the import after the running batch. */
  signal: AbortSignal;
  onResults: (results: RowResult[]) => Promise<void>;
};

/** Batch after batch, in the order of the file; each row gets exactly one result. */
export async function importRows(rows: AsyncGenerator<ContactRow>, options: Options): Promise<ImportEnd> {
  const { signal } = options;
  let running: ContactRow[] = [];
  try {
    for await (const batch of inBatches(rows, options.batchSize)) {
      running = batch;
      const results = await importBatch(batch, options.write);
      running = [];
      await options.onResults(results);
      if (signal.aborted) break;
    }
    return { kind: signal.aborted ? 'interrupted' : 'complete' };
  } catch (error) {
    const sent = running.filter((row) => 'contact' in row);
    const [first, last] = [sent[0], sent.at(-1)];
    return {
      ...(signal.aborted ? { kind: 'interrupted' } : { kind: 'failed', error }),
      ...(first && last && { unconfirmed: { fromLine: first.line, toLine: last.line } }),
    };
  }
}

async function* inBatches(rows: AsyncGenerator<ContactRow>, size: number): AsyncGenerator<ContactRow[]> {
  let batch: ContactRow[] = [];
  let characters = 0;
  for await (const row of rows) {
    batch.push(row);
    characters += JSON.stringify(row).length;
    if (batch.length < size && characters < maxBatchCharacters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function importBatch(batch: ContactRow[], write: WriteContacts): Promise<RowResult[]> {
  const contacts = batch.flatMap((row) => ('contact' in row ? [row.contact] : []));
  const verdicts = (contacts.length > 0 ? await write(contacts) : []).values();
  return batch.map((row) => {
    const { line, phone } = row;
    if ('fault' in row) return { line, phone, action: 'failed', ...row.fault };
    const verdict = verdicts.next().value as Verdict;
    const { code, message } = verdict.action === 'failed' ? verdict : { code: '', message: '' };
    return { line, phone, action: verdict.action, code, message };
  });
}

import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { exitCode, Failure } from './failure.ts';

/** One row of the file; `line` is where it begins. */
export type CsvRecord = { line: number; cells: string[] };

const delimiters = [',', ';', '\t'];
// No sensible row is larger; a quote that is never closed would swallow the whole file.
const maxRecordBytes = 1024 * 1024;

/** The rows of a CSV file, header included, rows without any value left out. Lines must end in \n. */
export async function* readCsvRecords(text: AsyncGenerator<string>): AsyncGenerator<CsvRecord> {
  const head = await readHead(text);
  let lastLine = 0;
  const parser = parse({
    delimiter: detectDelimiter(head),
    record_delimiter: '\n',
    ltrim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: maxRecordBytes,
    on_record: (cells, { lines }) => {
      lastLine = lines;
      const line = lines - cells.reduce((breaks, cell) => breaks + cell.split('\n').length - 1, 0);
      return { line, cells: cells.map((cell) => cell.trim()) } as never;
    },
  });
  pipeline(Readable.from(continueFrom(head, text)), parser, () => {}); // its error arrives through the iteration
  try {
    yield* parser as AsyncIterable<CsvRecord>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason = error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quoted field does not end' : 'the row is far too long';
    throw new Failure(
      exitCode.usage,
      `The file cannot be read from line ${lastLine + 1} on: ${reason}. A quotation mark may be left over.`,
    );
  }
}

async function readHead(text: AsyncGenerator<string>): Promise<string> {
  let head = '';
  while (!/\S.*\n/.test(head) && head.length < maxRecordBytes) {
    const { done, value } = await text.next();
    if (done) break;
    head += value;
  }
  return head;
}

async function* continueFrom(head: string, text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* text;
}

/** The delimiter that the header line has most of, outside quotes. */
export function detectDelimiter(head: string): string {
  const header = head.trimStart().split('\n', 1)[0] ?? '';
  const bare = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => bare.split(delimiter).length;
  return delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

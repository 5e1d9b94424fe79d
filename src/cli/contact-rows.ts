import type { CountryCode } from 'libphonenumber-js/min';
import type { ContactInput } from '../domain/contact.ts';
import { type Columns, matchColumns, toContact } from './contact-columns.ts';
import { toContactPhone } from './contact-phone.ts';
import type { CsvRecord } from './csv-records.ts';
import { exitCode, Failure } from './failure.ts';

export type Fault = { code: string; message: string };

/** A row of the file: a contact to send, or what is wrong with it. `phone` is shown in results. */
export type ContactRow = { line: number; phone: string } & ({ contact: ContactInput } | { fault: Fault });

/** Reads the header; the rows that follow are read when they are asked for. */
export async function readContactRows(
  records: AsyncGenerator<CsvRecord>,
  country: CountryCode,
): Promise<{ columns: Columns; rows: AsyncGenerator<ContactRow> }> {
  const { done, value: header } = await records.next();
  if (done) throw new Failure(exitCode.usage, 'The file is empty.');
  const columns = matchColumns(header.cells);
  if (columns.fields.phone === undefined) {
    const found = header.cells.map((name) => JSON.stringify(name)).join(', ');
    throw new Failure(exitCode.usage, `The file has no column for the phone number. Its columns are: ${found}.`);
  }
  async function* rows() {
    for await (const record of records) yield toRow(columns, record, country);
  }
  return { columns, rows: rows() };
}

function toRow(columns: Columns, { line, cells }: CsvRecord, country: CountryCode): ContactRow {
  const contact = toContact(columns, cells);
  const refuse = (code: string, message: string) => ({ line, phone: contact.phone, fault: { code, message } });
  if (cells.slice(columns.count).some(Boolean)) {
    return refuse('invalid_row', `has ${cells.length} fields where the header has ${columns.count}`);
  }
  if (cells.some((cell) => cell.includes('\uFFFD'))) {
    return refuse('invalid_encoding', 'is not valid UTF-8; save the file as "CSV UTF-8"');
  }
  if (contact.phone === '') return refuse('missing_field', 'phone is empty');
  const read = toContactPhone(contact.phone, country);
  if ('fault' in read) return refuse('invalid_phone', `phone ${read.fault}`);
  return { line, phone: read.phone, contact: { ...contact, phone: read.phone } };
}

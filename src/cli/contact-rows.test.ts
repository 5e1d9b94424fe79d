import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { readContactRows } from './contact-rows.ts';
import { readCsvRecords } from './csv-records.ts';
import { decodeText } from './text-source.ts';

async function read(file: Buffer) {
  const { rows } = await readContactRows(readCsvRecords(decodeText(Readable.from([file]))), 'US');
  return Readable.from(rows).toArray();
}

describe('readContactRows', () => {
  it('refuses a row that is not UTF-8 instead of storing a garbled name', async () => {
    const [garbled, fine] = await read(Buffer.from('phone,name\n2025550100,Zoë\n2025550101,Zoe\n', 'latin1'));
    assert.equal(garbled.fault.code, 'invalid_encoding');
    assert.equal(fine.contact.contactMetadata.name, 'Zoe');
  });

  it('takes rows that leave trailing cells out and refuses rows that have more than the header', async () => {
    const [short, exact, long] = await read(
      Buffer.from('name,phone,note\nAda,2025550100\nBob,2025550101,x,,\nCy,2025550102,x,y\n'),
    );
    assert.deepEqual([short.phone, exact.phone], ['12025550100', '12025550101']);
    assert.equal(long.fault.message, 'has 4 fields where the header has 3');
  });

  it('refuses an empty file', async () => {
    await assert.rejects(read(Buffer.from('\n \n')), /The file is empty/);
  });
});

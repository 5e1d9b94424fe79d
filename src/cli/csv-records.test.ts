import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { detectDelimiter, readCsvRecords } from './csv-records.ts';
import { decodeText } from './text-source.ts';

/** Reads a file that arrives in pieces of the given size. */
async function read(file: string | Buffer, pieceSize = 1_000_000) {
  const bytes = Buffer.from(file as string);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
  }
  return Readable.from(readCsvRecords(decodeText(pieces()))).toArray();
}

describe('readCsvRecords', () => {
  it('numbers rows by the line they begin at, over line breaks in quotes and empty rows', async () => {
    const file = 'a,b\r\n"x\r\n\r\ny",1\r\n\r\n , \r\n2,3\r\n';
    assert.deepEqual(await read(file), [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x\n\ny', '1'] },
      { line: 7, cells: ['2', '3'] },
    ]);
  });

  it('reads the same rows however the file is cut into pieces', async () => {
    const file = '\uFEFFname;note\r\n"Zoë; ""Z""";é\rBob;\n"a\r\nb";c';
    const whole = await read(file);
    assert.deepEqual(whole[1], { line: 2, cells: ['Zoë; "Z"', 'é'] });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (size) =>
        assert.deepEqual(await read(file, size), whole),
      ),
    );
  });

  it('reads UTF-16 with a byte order mark', async () => {
    const little = Buffer.from('\uFEFFphone\tname\n1\tZoë\n', 'utf16le');
    const rows = [
      { line: 1, cells: ['phone', 'name'] },
      { line: 2, cells: ['1', 'Zoë'] },
    ];
    assert.deepEqual(await read(little), rows);
    assert.deepEqual(await read(Buffer.from(little).swap16()), rows);
  });

  it('keeps stray quotes and refuses a quoted field that never ends, naming its line', async () => {
    assert.deepEqual((await read('a,b\nthe "big" one,"x"y\n'))[1]?.cells, ['the "big" one', '"x"y']);
    await assert.rejects(read('a,b\n1,2\n3,"4\n5,6\n'), /from line 3 on: a quoted field does not end/);
    await assert.rejects(read(`a,b\n1,"${'x\n'.repeat(600_000)}`), /from line 2 on: the row is far too long/);
  });
});

describe('detectDelimiter', () => {
  it('takes what the header has most of outside quotes, a comma when there is nothing', () => {
    assert.equal(detectDelimiter('\n\na;b,c;d\n1,2,3,4,5'), ';');
    assert.equal(detectDelimiter('"a,b,c"\t"d,e"\n'), '\t');
    assert.equal(detectDelimiter('phone'), ',');
  });
});

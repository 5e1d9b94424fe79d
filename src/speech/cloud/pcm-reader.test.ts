import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { joined } from '../../rtp/pcm.ts';
import { wavHeader } from '../../rtp/wav.ts';
import { PcmReader } from './pcm-reader.ts';
import { bytesOf, sine } from './testing/vendor-server.ts';

function read(bytes: Buffer, sizes: number[], rates: [number, number] = [8_000, 8_000]): Int16Array {
  const reader = new PcmReader(...rates);
  const out: Int16Array[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    out.push(reader.push(new Uint8Array(bytes.subarray(at, at + size))));
    at += size;
  }
  return joined(...out, reader.end());
}

const sizes = fc.array(fc.integer({ min: 1, max: 51 }), { maxLength: 60 });
const sound = sine(8_000, 0.1);

describe('the sound of a server', () => {
  it('is the same whatever the sizes of the chunks, with a WAV header and without', () => {
    fc.assert(
      fc.property(sizes, fc.boolean(), (sizes, hasHeader) => {
        const bytes = hasHeader
          ? Buffer.concat([wavHeader(8_000, 1, sound.length * 2), bytesOf(sound)])
          : bytesOf(sound);
        assert.deepEqual(read(bytes, sizes), sound);
      }),
    );
  });

  it('has the sample rate of its header', () => {
    const wide = Buffer.concat([wavHeader(16_000, 1, 3_200), bytesOf(sine(16_000, 0.1))]);
    assert.equal(read(wide, [], [24_000, 8_000]).length, 800);
  });

  it('is the first channel of several', () => {
    const both = Int16Array.from({ length: sound.length * 2 }, (_, at) => (at % 2 === 0 ? (sound[at / 2] ?? 0) : 7));
    assert.deepEqual(read(Buffer.concat([wavHeader(8_000, 2, both.length * 2), bytesOf(both)]), [45, 3]), sound);
  });

  it('ends where its header says, and at the end of the stream where the header does not know', () => {
    const about = Buffer.from('LIST\x04\x00\x00\x00abcd');
    const known = Buffer.concat([wavHeader(8_000, 1, sound.length * 2), bytesOf(sound), about]);
    assert.deepEqual(read(known, [100, 1, 1]), sound);
    for (const unknown of [0xffff_ffff, 0]) {
      const header = wavHeader(8_000, 1, 0);
      header.writeUInt32LE(unknown, 40);
      assert.deepEqual(read(Buffer.concat([header, bytesOf(sound)]), [7]), sound);
    }
  });

  it('loses half a sample at its end, not the rest', () => {
    assert.deepEqual(read(Buffer.concat([bytesOf(sound), Buffer.of(1)]), [3]), sound);
  });

  it('is refused when it is something else', () => {
    const mp3 = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(100)]);
    const eightBits = wavHeader(8_000, 1, 10);
    eightBits.writeUInt16LE(8, 34);
    const endless = Buffer.concat([
      Buffer.from('RIFF'),
      Buffer.alloc(8, 1),
      Buffer.from('junk\xff\xff\xff\x7f', 'latin1'),
    ]);
    for (const bytes of [
      mp3,
      Buffer.concat([eightBits, Buffer.alloc(10)]),
      Buffer.concat([endless, Buffer.alloc(5_000)]),
    ]) {
      assert.throws(() => read(bytes, []), { name: 'EngineError', code: 'unreadable' });
    }
    assert.throws(() => read(wavHeader(8_000, 1, 0).subarray(0, 20), []), { code: 'unreadable' });
  });
});

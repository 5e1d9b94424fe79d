import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Codec } from './codec.ts';
import { pcma, pcmu } from './g711.ts';

const allCodes = Uint8Array.from({ length: 256 }, (_, code) => code);
const allSamples = Int16Array.from({ length: 65536 }, (_, at) => at - 32768);

function decode(codec: Codec, payload: Uint8Array): Int16Array {
  const pcm = new Int16Array(payload.length);
  assert.equal(codec.newDecoder()(payload, pcm), payload.length);
  return pcm;
}

function encode(codec: Codec, pcm: Int16Array): Uint8Array {
  const payload = new Uint8Array(pcm.length);
  assert.equal(codec.newEncoder()(pcm, payload), pcm.length);
  return payload;
}

describe('G.711', () => {
  it('decodes the µ-law values of ITU-T G.711 table 2', () => {
    // The decoder output of the table is of 14 bits; ours has two more.
    const expected: [code: number, value: number][] = [
      [0x80, 8031],
      [0x8f, 4191],
      [0x9f, 2079],
      [0xaf, 1023],
      [0xbf, 495],
      [0xcf, 231],
      [0xdf, 99],
      [0xef, 33],
      [0xfe, 2],
      [0xff, 0],
      [0x7f, 0],
      [0x00, -8031],
    ];
    const pcm = decode(
      pcmu,
      Uint8Array.from(expected, ([code]) => code),
    );
    assert.deepEqual([...pcm], [...expected.map(([, value]) => value * 4)]);
  });

  it('decodes the A-law values of ITU-T G.711 table 1', () => {
    // The decoder output of the table is of 13 bits; ours has three more. The line carries 0x55 exclusive-or.
    const expected: [character: number, value: number][] = [
      [0xff, 4032],
      [0xf0, 2112],
      [0xe0, 1056],
      [0xd0, 528],
      [0xc0, 264],
      [0xb0, 132],
      [0xa0, 66],
      [0x80, 1],
      [0x00, -1],
      [0x7f, -4032],
    ];
    const pcm = decode(
      pcma,
      Uint8Array.from(expected, ([character]) => character ^ 0x55),
    );
    assert.deepEqual([...pcm], [...expected.map(([, value]) => value * 8)]);
  });

  it('knows the idle codes: silence is 0xff in µ-law and 0xd5 in A-law', () => {
    assert.deepEqual([...encode(pcmu, Int16Array.of(0))], [0xff]);
    assert.deepEqual([...encode(pcma, Int16Array.of(0, -1))], [0xd5, 0x55]);
  });

  for (const codec of [pcmu, pcma]) {
    it(`encodes each decoded ${codec.name} code to itself`, () => {
      const back = encode(codec, decode(codec, allCodes));
      // µ-law has two zeros, and the positive one stands for both.
      const expected = Uint8Array.from(allCodes, (code) => (codec === pcmu && code === 0x7f ? 0xff : code));
      assert.deepEqual(back, expected);
    });

    it(`keeps the order of ${codec.name} samples and errs by half a step at most`, () => {
      const values = [...new Set(decode(codec, allCodes))].sort((a, b) => a - b);
      const decoded = decode(codec, encode(codec, allSamples));
      const [lowest = 0, highest = 0] = [values[0], values.at(-1)];
      let before = -Infinity;
      for (const [at, sample] of allSamples.entries()) {
        const value = decoded[at] as number;
        assert.ok(value >= before, `${sample} became ${value} after ${before}`);
        before = value;
        if (sample < lowest || sample > highest) continue;
        const place = values.indexOf(value);
        const step = Math.max(value - (values[place - 1] ?? value), (values[place + 1] ?? value) - value);
        assert.ok(Math.abs(value - sample) <= step / 2, `${sample} became ${value}`);
      }
    });
  }

  it('stops at the end of the shorter buffer', () => {
    assert.equal(pcmu.newEncoder()(new Int16Array(160), new Uint8Array(100)), 100);
    assert.equal(pcma.newDecoder()(new Uint8Array(160), new Int16Array(100)), 100);
  });
});

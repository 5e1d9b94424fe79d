import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWav, wavHeader } from './wav.ts';

function chunk(name: string, data: Buffer, size = data.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name);
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

function riff(...chunks: Buffer[]): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]));
}

function format(kind: number, bits: number, { channels = 1, sampleRate = 8000 } = {}): Buffer {
  const data = Buffer.alloc(16);
  data.writeUInt16LE(kind, 0);
  data.writeUInt16LE(channels, 2);
  data.writeUInt32LE(sampleRate, 4);
  data.writeUInt32LE((sampleRate * channels * bits) / 8, 8);
  data.writeUInt16LE((channels * bits) / 8, 12);
  data.writeUInt16LE(bits, 14);
  return chunk('fmt ', data);
}

const samplesOf = (bytes: Buffer) => readWav(bytes).channels.map((channel) => [...channel]);

describe('a WAV file', () => {
  const pcm = Buffer.from(Int16Array.of(1, -2, 32767, -32768).buffer);

  it('is read as the header says that we write', () => {
    const bytes = Buffer.concat([wavHeader(16000, 2, 8), pcm]);
    assert.equal(bytes.length, 52);
    const { sampleRate, channels } = readWav(bytes);
    assert.equal(sampleRate, 16000);
    assert.deepEqual(channels, [Int16Array.of(1, 32767), Int16Array.of(-2, -32768)]);
  });

  it('has the header of a canonical file of 16-bit PCM', () => {
    assert.deepEqual(wavHeader(8000, 1, 8), riff(format(1, 16), chunk('data', pcm)).subarray(0, 44));
    assert.equal(wavHeader(8000, 2, 2 ** 33).readUInt32LE(40), 0xffff_ffff);
  });

  it('may have samples of 8, 24 and 32 bits, and floating ones', () => {
    assert.deepEqual(samplesOf(riff(format(1, 8), chunk('data', Buffer.of(0, 128, 255)))), [[-32768, 0, 32512]]);
    const wide = Buffer.of(0xff, 0x34, 0x12, 0x01, 0x00, 0x80);
    assert.deepEqual(samplesOf(riff(format(1, 24), chunk('data', wide))), [[0x1234, -32768]]);
    const wider = Buffer.of(0xff, 0xff, 0x34, 0x12, 0, 0, 0xff, 0xff);
    assert.deepEqual(samplesOf(riff(format(1, 32), chunk('data', wider))), [[0x1234, -1]]);
    const floating = Buffer.from(Float32Array.of(0.5, -1, 1, 7, -7).buffer);
    assert.deepEqual(samplesOf(riff(format(3, 32), chunk('data', floating))), [[16384, -32768, 32767, 32767, -32768]]);
  });

  it('may hold G.711', () => {
    assert.deepEqual(samplesOf(riff(format(7, 8), chunk('data', Buffer.of(0xff, 0x80, 0x00)))), [[0, 32124, -32124]]);
    assert.deepEqual(samplesOf(riff(format(6, 8), chunk('data', Buffer.of(0xd5, 0x2a, 0xaa)))), [[8, -32256, 32256]]);
  });

  it('may have the extensible format', () => {
    const plain = format(0xfffe, 16).subarray(8);
    const guid = Buffer.from('0100000000001000800000aa00389b71', 'hex');
    const extension = Buffer.concat([Buffer.of(22, 0, 16, 0, 4, 0, 0, 0), guid]);
    const bytes = riff(chunk('fmt ', Buffer.concat([plain, extension])), chunk('data', pcm));
    assert.deepEqual(samplesOf(bytes), [[1, -2, 32767, -32768]]);
  });

  it('may have other chunks, also of odd sizes', () => {
    const list = chunk('LIST', Buffer.from('INFOodd'));
    const bytes = riff(list, format(1, 16), list, chunk('data', pcm), list);
    assert.deepEqual(samplesOf(bytes), [[1, -2, 32767, -32768]]);
  });

  it('may be streamed, with a size of 0 or of all ones, or be cut', () => {
    for (const size of [0, 0xffff_ffff, 9999]) {
      const bytes = riff(format(1, 16), chunk('data', pcm, size));
      assert.deepEqual(samplesOf(bytes), [[1, -2, 32767, -32768]], `${size}`);
    }
    assert.deepEqual(samplesOf(riff(format(1, 16), chunk('data', pcm)).subarray(0, -1)), [[1, -2, 32767]]);
    assert.deepEqual(samplesOf(riff(format(1, 16), chunk('data', Buffer.alloc(0)))), [[]]);
  });

  it('is refused with the reason', () => {
    const cases: [Buffer, RegExp][] = [
      [Buffer.alloc(0), /no WAV file/],
      [Buffer.from('ID3\u0004 this is an MP3 file'), /no WAV file/],
      [riff(), /no format/],
      [riff(format(1, 16)), /no data/],
      [riff(chunk('data', pcm)), /data before its format/],
      [riff(chunk('fmt ', Buffer.alloc(10)), chunk('data', pcm)), /cut short/],
      [riff(format(0x55, 16), chunk('data', pcm)), /85 with 16 bits/],
      [riff(format(1, 12), chunk('data', pcm)), /1 with 12 bits/],
      [riff(format(1, 16, { channels: 0 }), chunk('data', pcm)), /no channels/],
      [riff(format(1, 16, { sampleRate: 0 }), chunk('data', pcm)), /sample rate/],
    ];
    for (const [bytes, reason] of cases) assert.throws(() => readWav(bytes), reason);
  });
});

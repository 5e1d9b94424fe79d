import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { g722 } from './g722.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A second of buzz and noise in five loudnesses, of integers only, so that it is the same everywhere. */
function roughSound(): Int16Array {
  let state = 1;
  return Int16Array.from({ length: 16_000 }, (_, at) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const quieter = [0, 6, 1, 3, 0][Math.floor(at / 3200)] as number;
    return (((state >>> 15) - 32_768) >> (quieter + 1)) + (at % 73 < 36 ? 1 : -1) * (8000 >> quieter);
  });
}

function encode(pcm: Int16Array): Uint8Array {
  const payload = new Uint8Array(pcm.length / 2);
  assert.equal(g722.newEncoder()(pcm, payload), payload.length);
  return payload;
}

function decode(payload: Uint8Array): Int16Array {
  const pcm = new Int16Array(payload.length * 2);
  assert.equal(g722.newDecoder()(payload, pcm), pcm.length);
  return pcm;
}

describe('G.722', () => {
  // The hashes are of what ffmpeg 5.1 makes of the same sound (-c:a g722, and back).
  it('encodes as ffmpeg does, bit for bit', () => {
    const payload = encode(roughSound());
    assert.equal(Buffer.from(payload.subarray(0, 16)).toString('hex'), '9020842085203b202b3117bd25242424');
    assert.equal(sha256(payload), '19da30e32575a10682a1563f119012db466fbf179f6b2f90c38856a22918ab4b');
  });

  it('decodes as ffmpeg does, bit for bit', () => {
    const pcm = decode(encode(roughSound()));
    const bytes = Buffer.alloc(pcm.length * 2);
    for (const [at, sample] of pcm.entries()) bytes.writeInt16LE(sample, at * 2);
    assert.equal(sha256(bytes), 'e3fcb9785e96dcdbfc1f887578ece6343136a1e79a12587334b9d522821c2b76');
  });

  it('gives tones of the whole band back, 22 samples later', () => {
    for (const [hz, leastDb] of [
      [300, 25],
      [1000, 25],
      [3000, 15],
      [5000, 10],
      [6500, 10],
    ] as const) {
      const pcm = Int16Array.from({ length: 8000 }, (_, at) => 8000 * Math.sin((2 * Math.PI * hz * at) / 16_000));
      const got = decode(encode(pcm));
      let [power, noise] = [0, 0];
      for (let at = 2000; at < 7000; at++) {
        power += (pcm[at] as number) ** 2;
        noise += ((got[at + 22] as number) - (pcm[at] as number)) ** 2;
      }
      const db = 10 * Math.log10(power / noise);
      assert.ok(db > leastDb, `${hz} Hz: ${db.toFixed(1)} dB`);
    }
  });

  it('remembers from packet to packet, each stream for itself', () => {
    const pcm = roughSound();
    const whole = encode(pcm);
    const [encoder, decoder] = [g722.newEncoder(), g722.newDecoder()];
    const payload = new Uint8Array(160);
    const heard = new Int16Array(320);
    const expected = decode(whole);
    for (let at = 0; at < pcm.length; at += 320) {
      encoder(pcm.subarray(at, at + 320), payload);
      assert.deepEqual(payload, whole.slice(at / 2, at / 2 + 160));
      decoder(payload, heard);
      assert.deepEqual(heard, expected.slice(at, at + 320));
    }
  });

  it('stays calm on any payload', () => {
    for (let octet = 0; octet < 256; octet++) decode(new Uint8Array(2000).fill(octet));
    assert.equal(g722.newDecoder()(new Uint8Array(160), new Int16Array(100)), 100);
    assert.equal(g722.newEncoder()(new Int16Array(320), new Uint8Array(50)), 50);
  });
});

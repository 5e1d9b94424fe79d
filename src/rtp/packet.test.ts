import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isRtcp, parseRtp, writeRtpHeader } from './packet.ts';

const header = { payloadType: 101, isMarked: true, sequence: 65_535, timestamp: 0xffff_fff0, ssrc: 0xdead_beef };

function written(payload: string, first = 0x80): Buffer {
  const packet = Buffer.concat([Buffer.alloc(12), Buffer.from(payload)]);
  writeRtpHeader(packet, header);
  packet[0] = first;
  return packet;
}

describe('an RTP packet', () => {
  it('is read as it was written', () => {
    assert.deepEqual(parseRtp(written('sound')), { ...header, payload: Buffer.from('sound') });
    const plain = written('x');
    writeRtpHeader(plain, { payloadType: 0, isMarked: false, sequence: 1, timestamp: 2, ssrc: 3 });
    assert.deepEqual(plain.subarray(0, 12), Buffer.from('800000010000000200000003', 'hex'));
  });

  it('may be empty', () => {
    assert.equal(parseRtp(written(''))?.payload.length, 0);
  });

  it('is read past contributing sources and an extension', () => {
    const extended = written(`aaaabbbb\x12\x34\x00\x01ccccsound`, 0x92);
    assert.equal(parseRtp(extended)?.payload.toString(), 'sound');
    const long = written(`\x12\x34\x00\x09ccccsound`, 0x90);
    assert.equal(parseRtp(long), undefined);
    assert.equal(parseRtp(written('aaaabbb', 0x82)), undefined);
    assert.equal(parseRtp(written('\x12\x34\x00', 0x90)), undefined);
  });

  it('is read without its padding, and not at all when the padding is wrong', () => {
    assert.equal(parseRtp(written('sound\0\0\x03', 0xa0))?.payload.toString(), 'sound');
    assert.equal(parseRtp(written('\0\0\x03', 0xa0))?.payload.length, 0);
    assert.equal(parseRtp(written('sound\0', 0xa0)), undefined);
    assert.equal(parseRtp(written('sound\x07', 0xa0)), undefined);
  });

  it('has version 2 and a whole header', () => {
    for (const first of [0x00, 0x40, 0xc0]) assert.equal(parseRtp(written('sound', first)), undefined);
    for (let length = 0; length < 12; length++) assert.equal(parseRtp(written('').subarray(0, length)), undefined);
  });

  it('is told from RTCP by its second byte', () => {
    for (const type of [192, 200, 201, 223]) assert.equal(isRtcp(Buffer.from([0x80, type])), true);
    for (const type of [0, 8, 101, 0x80, 0x80 | 13, 191, 224, 255]) {
      assert.equal(isRtcp(Buffer.from([0x80, type])), false);
    }
    assert.equal(isRtcp(Buffer.alloc(0)), false);
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.integer({ min: 0, max: 255 }), (bytes, first) => {
        const datagram = Buffer.from(bytes);
        if (datagram.length > 0) datagram[0] = first;
        const parsed = parseRtp(datagram);
        if (parsed) assert.ok(parsed.payload.length <= datagram.length - 12);
      }),
    );
  });
});

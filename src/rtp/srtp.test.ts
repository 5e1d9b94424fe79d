import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { newSrtpKey, parseCryptoAttribute, SrtpReceiver, SrtpSender, writeCryptoAttribute } from './srtp.ts';
import { deriveSessionKeys, type SrtpSuite, srtpSuites } from './srtp-cipher.ts';

const suites = Object.keys(srtpSuites) as SrtpSuite[];
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

function rtp(sequence: number, { ssrc = 0x1234_5678, bytes = 160 } = {}): Buffer {
  const packet = Buffer.alloc(12 + bytes, sequence & 0xff);
  packet.writeUInt16BE(0x8000, 0);
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE(ssrc, 8);
  return packet;
}

function rtcp(ssrc = 0x1234_5678): Buffer {
  return hex(`81c90007 ${ssrc.toString(16)} ${'00112233'.repeat(6)}`);
}

function pair(suite: SrtpSuite = 'AES_CM_128_HMAC_SHA1_80') {
  const keys = { suite, key: newSrtpKey(suite) };
  return { sender: new SrtpSender(keys), receiver: new SrtpReceiver(keys) };
}

describe('SRTP', () => {
  // The vectors of libsrtp's srtp_driver.c: srtp_validate and srtp_validate_gcm.
  const plain = hex('800f1234 decafbad cafebabe abababab abababab abababab abababab');
  const plainRtcp = hex('81c8000b cafebabe abababab abababab abababab abababab');

  it('makes the packets that libsrtp makes with AES_CM_128_HMAC_SHA1_80', () => {
    const key = hex('e1f97a0d3e018be0d64fa32c06de4139 0ec675ad498afeebb6960b3aabe6');
    const sender = new SrtpSender({ suite: 'AES_CM_128_HMAC_SHA1_80', key });
    assert.deepEqual(
      sender.protectRtp(plain),
      hex('800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb'),
    );
    assert.deepEqual(
      sender.protectRtcp(plainRtcp),
      hex('81c8000bcafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798'),
    );
  });

  it('makes the packets that libsrtp makes with AEAD_AES_128_GCM', () => {
    const key = hex('000102030405060708090a0b0c0d0e0f a0a1a2a3a4a5a6a7a8a9aaab');
    const sender = new SrtpSender({ suite: 'AEAD_AES_128_GCM', key });
    assert.deepEqual(
      sender.protectRtp(plain),
      hex('800f1234decafbadcafebabe c5002ede04cfdd2eb91159e0880aa06e d2976826f796b201df3131a127e8a392'),
    );
    assert.deepEqual(
      sender.protectRtcp(plainRtcp),
      hex('81c8000bcafebabe c98b8b5df0392a55852b6c21ac8e7025 c52c6fbea2b3b446ea31123ba88ce61e 80000001'),
    );
  });

  for (const suite of suites) {
    describe(`with ${suite}`, () => {
      it('gives back what was sent, and shows none of the payload on the way', () => {
        const { sender, receiver } = pair(suite);
        for (let sequence = 1; sequence <= 40; sequence++) {
          const packet = rtp(sequence, { bytes: sequence % 7 === 0 ? 600 : 160 });
          const sealed = sender.protectRtp(packet);
          assert.equal(sealed.length, packet.length + srtpSuites[suite].rtpTagBytes);
          assert.equal(sealed.includes(packet.subarray(12, 28)), false);
          assert.deepEqual(receiver.unprotectRtp(sealed), packet);
        }
        const report = rtcp();
        const sealed = sender.protectRtcp(report);
        assert.equal(sealed.length, report.length + 4 + srtpSuites[suite].rtcpTagBytes);
        assert.deepEqual(receiver.unprotectRtcp(sealed), report);
      });

      it('refuses a packet of which any bit was changed, and is not disturbed by it', () => {
        const { sender, receiver } = pair(suite);
        const sealed = sender.protectRtp(rtp(1, { bytes: 20 }));
        const sealedRtcp = sender.protectRtcp(rtcp());
        const flip = (packet: Buffer, bit: number) => {
          const changed = Buffer.from(packet);
          changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
          return changed;
        };
        for (let bit = 0; bit < sealed.length * 8; bit++) {
          assert.equal(receiver.unprotectRtp(flip(sealed, bit)), undefined, `bit ${bit}`);
        }
        for (let bit = 0; bit < sealedRtcp.length * 8; bit++) {
          assert.equal(receiver.unprotectRtcp(flip(sealedRtcp, bit)), undefined, `RTCP bit ${bit}`);
        }
        assert.ok(receiver.unprotectRtp(sealed));
        assert.ok(receiver.unprotectRtcp(sealedRtcp));
      });

      it('refuses a packet of another key and one that was cut', () => {
        const { sender, receiver } = pair(suite);
        const sealed = sender.protectRtp(rtp(1));
        const sealedRtcp = sender.protectRtcp(rtcp());
        assert.equal(pair(suite).receiver.unprotectRtp(sealed), undefined);
        for (let bytes = 0; bytes < sealed.length; bytes++) {
          assert.equal(receiver.unprotectRtp(sealed.subarray(0, bytes)), undefined);
        }
        for (let bytes = 0; bytes < sealedRtcp.length; bytes++) {
          assert.equal(receiver.unprotectRtcp(sealedRtcp.subarray(0, bytes)), undefined);
        }
      });
    });
  }

  it('leaves contributing sources and extensions in the clear', () => {
    const { sender, receiver } = pair();
    const packet = Buffer.concat([hex('91000001 00000000 00000001 aaaaaaaa bede0001 10aa0000'), Buffer.alloc(20, 5)]);
    const sealed = sender.protectRtp(packet);
    assert.deepEqual(sealed.subarray(0, 24), packet.subarray(0, 24));
    assert.notDeepEqual(sealed.subarray(24, 44), packet.subarray(24));
    assert.deepEqual(receiver.unprotectRtp(sealed), packet);
    const lying = Buffer.from(packet);
    lying.writeUInt16BE(200, 18);
    assert.throws(() => sender.protectRtp(lying), /RTP/);
    assert.equal(receiver.unprotectRtp(lying), undefined);
  });

  it('accepts a packet once, late ones within the window, and none before it', () => {
    const { sender, receiver } = pair();
    const sealed = Array.from({ length: 300 }, (_, at) => sender.protectRtp(rtp(at)));
    const offer = (at: number) => receiver.unprotectRtp(sealed[at] as Buffer) !== undefined;
    assert.deepEqual([offer(0), offer(0), offer(200), offer(200)], [true, false, true, false]);
    assert.deepEqual([offer(199), offer(137), offer(137), offer(73), offer(72)], [true, true, false, true, false]);
    assert.deepEqual([offer(299), offer(200), offer(199), offer(201), offer(201)], [true, false, false, true, false]);
  });

  it('accepts an RTCP packet once', () => {
    const { sender, receiver } = pair();
    const [first, second] = [sender.protectRtcp(rtcp()), sender.protectRtcp(rtcp())];
    assert.ok(receiver.unprotectRtcp(second));
    assert.ok(receiver.unprotectRtcp(first));
    assert.equal(receiver.unprotectRtcp(first), undefined);
  });

  it('goes on over the wrap of the sequence number, many times', () => {
    const { sender, receiver } = pair();
    for (let count = 65_000; count < 65_000 + 3 * 65_536; count += 50) {
      const packet = rtp(count);
      assert.deepEqual(receiver.unprotectRtp(sender.protectRtp(packet)), packet, `packet ${count}`);
    }
  });

  it('goes on when packets around the wrap are lost or come in another order', () => {
    const { sender, receiver } = pair();
    const sealed = new Map<number, Buffer>();
    for (let count = 65_400; count < 65_700; count++) sealed.set(count, sender.protectRtp(rtp(count)));
    const offer = (count: number) => receiver.unprotectRtp(sealed.get(count) as Buffer);
    for (const count of [65_400, 65_534, 65_537, 65_535, 65_536, 65_600, 65_533, 65_699]) {
      assert.deepEqual(offer(count), rtp(count), `packet ${count}`);
    }
    assert.equal(offer(65_535), undefined);
  });

  it('authenticates the rollover counter', () => {
    const key = newSrtpKey('AES_CM_128_HMAC_SHA1_80');
    const sender = new SrtpSender({ suite: 'AES_CM_128_HMAC_SHA1_80', key });
    for (const sequence of [0, 30_000, 60_000]) sender.protectRtp(rtp(sequence));
    const sealed = sender.protectRtp(rtp(65_536 + 5));
    const { authenticationKey } = deriveSessionKeys(key.subarray(0, 16), key.subarray(16), 'rtp');
    const mac = createHmac('sha1', authenticationKey).update(sealed.subarray(0, -10)).update(hex('00000001')).digest();
    assert.deepEqual(sealed.subarray(-10), mac.subarray(0, 10));
  });

  it('keeps the sources of a key apart and does not keep them without end', () => {
    const { sender, receiver } = pair();
    for (let ssrc = 1; ssrc <= 200; ssrc++) {
      for (const sequence of [60_000, 65_535, 65_536]) {
        const packet = rtp(sequence, { ssrc });
        const sealed = sender.protectRtp(packet);
        assert.deepEqual(receiver.unprotectRtp(sealed), packet);
        assert.equal(receiver.unprotectRtp(sealed), undefined);
      }
    }
  });

  it('refuses RTCP that is not encrypted', () => {
    const key = newSrtpKey('AES_CM_128_HMAC_SHA1_80');
    const { authenticationKey } = deriveSessionKeys(key.subarray(0, 16), key.subarray(16), 'rtcp');
    const open = Buffer.concat([rtcp(), hex('00000001')]);
    const mac = createHmac('sha1', authenticationKey).update(open).digest().subarray(0, 10);
    const receiver = new SrtpReceiver({ suite: 'AES_CM_128_HMAC_SHA1_80', key });
    assert.equal(receiver.unprotectRtcp(Buffer.concat([open, mac])), undefined);
  });

  it('refuses a key of the wrong size', () => {
    const keys = { suite: 'AES_CM_128_HMAC_SHA1_80', key: Buffer.alloc(28) } as const;
    assert.throws(() => new SrtpSender(keys), /30 bytes/);
    assert.throws(() => new SrtpReceiver(keys), /30 bytes/);
  });
});

describe('the crypto attribute', () => {
  const key = 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz';
  const expected = { tag: 1, suite: 'AES_CM_128_HMAC_SHA1_80', key: Buffer.from(key, 'base64') };

  it('reads the line of RFC 4568 §9.1 without its MKI, with and without a lifetime', () => {
    const line = `1 AES_CM_128_HMAC_SHA1_80 inline:${key}`;
    assert.deepEqual(parseCryptoAttribute(line), expected);
    assert.deepEqual(parseCryptoAttribute(`${line}|2^20`), expected);
    assert.deepEqual(parseCryptoAttribute(`${line}|1048576 WSH=128 KDR=0 -later`), expected);
  });

  it('reads back what it writes, for each suite', () => {
    for (const suite of suites) {
      const attribute = { tag: 7, suite, key: newSrtpKey(suite) };
      assert.deepEqual(parseCryptoAttribute(writeCryptoAttribute(attribute)), attribute);
    }
  });

  it('is not usable when it asks for what we lack or is broken', () => {
    const suite = 'AES_CM_128_HMAC_SHA1_80';
    for (const line of [
      '',
      `x ${suite} inline:${key}`,
      `1 F8_128_HMAC_SHA1_80 inline:${key}`,
      `1 toString inline:${key}`,
      `1 ${suite}`,
      `1 ${suite} ${key}`,
      `1 ${suite} inline:${key}|2^20|1:4`,
      `1 ${suite} inline:${key}|1:4`,
      `1 ${suite} inline:${key}|1:4;inline:${key}|2:4`,
      `1 ${suite} inline:${key}|2^20 UNENCRYPTED_SRTP`,
      `1 ${suite} inline:${key} UNAUTHENTICATED_SRTP`,
      `1 ${suite} inline:${key} UNENCRYPTED_SRTCP`,
      `1 ${suite} inline:${key} KDR=1`,
      `1 ${suite} inline:${key} NEW=1`,
      `1 ${suite} inline:${key.slice(4)}`,
      `1 ${suite} inline:${key}AAAA`,
      `1 AES_256_CM_HMAC_SHA1_80 inline:${key}`,
    ]) {
      assert.equal(parseCryptoAttribute(line), undefined, line);
    }
  });
});

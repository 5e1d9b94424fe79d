import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { babble, correlation } from '../../test/harness/audio.ts';
import { codecNamed } from './codecs.ts';
import { dtmfTones } from './dtmf-tones.ts';
import { IncomingAudio } from './incoming-audio.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { writeRtpHeader } from './packet.ts';
import { writeTelephoneEvent } from './telephone-event.ts';

const agreed: NegotiatedMedia = {
  remote: { host: '127.0.0.1', rtpPort: 4_000, rtcpPort: 4_001 },
  codec: 'PCMU',
  payloadTypes: { send: 0, receive: 0 },
  telephoneEvents: { send: 101, receive: 101 },
  comfortNoise: { send: 13, receive: 13 },
  sends: true,
  receives: true,
  srtp: undefined,
};

/** A peer that says something in packets of 20 ms, and what is heard of it. */
class Peer {
  readonly digits: string[] = [];
  readonly audio: IncomingAudio;
  sequence = 65_530;
  timestamp: number;
  ssrc = 1;
  #nowMs = 0;

  constructor(media = agreed, timestamp = 0) {
    this.audio = new IncomingAudio(media, (digit) => this.digits.push(digit));
    this.timestamp = timestamp;
  }

  send(payloadType: number, payload: Uint8Array, timestamp = this.timestamp): boolean {
    const packet = Buffer.alloc(12 + payload.length);
    const { sequence, ssrc } = this;
    writeRtpHeader(packet, { payloadType, isMarked: false, sequence, timestamp, ssrc });
    packet.set(payload, 12);
    this.sequence = (this.sequence + 1) & 0xffff;
    return this.audio.receive(packet, this.#nowMs, true);
  }

  /** Says it in a codec, and what is heard meanwhile. */
  say(sound: Int16Array, codec = 'PCMU', payloadType = codecNamed(codec).payloadType): Int16Array {
    const { newEncoder, sampleRate } = codecNamed(codec);
    const encode = newEncoder();
    const frame = sampleRate / 50;
    const heard = new Int16Array(sound.length);
    const payload = new Uint8Array(160);
    for (let at = 0; at + frame <= sound.length; at += frame) {
      encode(sound.subarray(at, at + frame), payload);
      assert.equal(this.send(payloadType, payload), true);
      this.pass();
      this.audio.take(heard.subarray(at, at + frame));
    }
    return heard;
  }

  pass(): void {
    this.timestamp = (this.timestamp + 160) >>> 0;
    this.#nowMs += 20;
  }
}

/** Heard 40 ms later. */
function likeness(said: Int16Array, heard: Int16Array, sampleRate = 8_000): number {
  const delay = sampleRate / 25;
  return correlation(said.subarray(0, said.length - delay), heard.subarray(delay));
}

describe('sound that comes in', () => {
  it('is heard across the wraps of its sequence number and timestamp, and nothing is lost', () => {
    const peer = new Peer(agreed, 2 ** 32 - 4_000);
    const said = babble(2);
    assert.ok(likeness(said, peer.say(said)) > 0.999);
    const { jitterMs, ...totals } = peer.audio.totals;
    assert.deepEqual(totals, { receivedPackets: 100, lostPackets: 0, latePackets: 0, concealedMs: 0 });
    assert.equal(jitterMs, 0);
    assert.equal(peer.audio.reportBlock()?.highest, 65_530 + 99);
  });

  it('is heard in every codec, under whatever number was agreed', () => {
    for (const codec of ['PCMU', 'PCMA', 'G722']) {
      const { sampleRate } = codecNamed(codec);
      const peer = new Peer({ ...agreed, codec, payloadTypes: { send: 0, receive: 97 } });
      const said = babble(1, sampleRate);
      const heard = peer.say(said, codec, 97);
      const shift = codec === 'G722' ? 22 : 0; // of its filters
      assert.ok(likeness(said.subarray(0, said.length - shift), heard.subarray(shift), sampleRate) > 0.98, codec);
    }
  });

  it('is heard in the other codec that we offered, too', () => {
    const peer = new Peer();
    const said = babble(1);
    assert.ok(likeness(said, peer.say(said, 'PCMA')) > 0.99);
  });

  it('is ignored when its number was not agreed', () => {
    const peer = new Peer();
    for (const type of [3, 9, 96, 127]) assert.equal(peer.send(type, new Uint8Array(160)), false);
    assert.equal(peer.audio.totals.receivedPackets, 0);
    assert.equal(peer.audio.reportBlock(), undefined);
  });

  it('goes on to be counted with another codec', () => {
    const peer = new Peer();
    peer.say(babble(1));
    peer.sequence += 2;
    peer.audio.expect({ ...agreed, codec: 'G722', payloadTypes: { send: 9, receive: 9 } });
    const said = babble(1, 16_000);
    assert.ok(likeness(said.subarray(0, -22), peer.say(said, 'G722').subarray(22), 16_000) > 0.98);
    const { receivedPackets, lostPackets } = peer.audio.totals;
    assert.deepEqual({ receivedPackets, lostPackets }, { receivedPackets: 100, lostPackets: 2 });
    assert.equal(peer.audio.reportBlock()?.highest, 65_530 + 101);
  });

  it('goes on to be heard and counted from another source', () => {
    const peer = new Peer();
    peer.say(babble(1).subarray(0, 800));
    peer.sequence += 3;
    peer.say(babble(1).subarray(0, 3_200));
    Object.assign(peer, { ssrc: 2, sequence: 7, timestamp: 99 });
    const said = babble(1, 8_000, 2);
    assert.ok(likeness(said, peer.say(said)) > 0.998);
    const { receivedPackets, lostPackets } = peer.audio.totals;
    assert.deepEqual({ receivedPackets, lostPackets }, { receivedPackets: 75, lostPackets: 3 });
    assert.equal(peer.audio.reportBlock()?.ssrc, 2);
  });

  it('is noise of the named level after a packet that announces it', () => {
    const peer = new Peer();
    peer.say(babble(1));
    peer.send(13, Uint8Array.of(40)); // 40 dB below 32768: 328
    const heard = new Int16Array(160);
    for (let i = 0; i < 5; i++) peer.audio.take(heard);
    const rms = Math.sqrt(heard.reduce((sum, sample) => sum + sample * sample, 0) / heard.length);
    assert.ok(Math.abs(rms - 328) < 70, String(rms));
  });

  it('never throws, whatever comes', () => {
    const type = fc.constantFrom(0, 8, 13, 101, 0x80 | 101);
    const peer = new Peer();
    const out = new Int16Array(160);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 2, maxLength: 400 }), type, (bytes, second) => {
        const datagram = Buffer.from(bytes);
        peer.audio.receive(datagram, 0, true);
        datagram[0] = 0x80;
        datagram[1] = second;
        peer.audio.receive(datagram, 0, true);
        peer.audio.take(out);
      }),
      { numRuns: 2_000 },
    );
    peer.send(0, new Uint8Array(2_000));
  });
});

describe('a key', () => {
  it('is heard once however many packets tell of it, and makes neither jitter nor loss', () => {
    const peer = new Peer();
    peer.say(babble(1));
    const began = peer.timestamp;
    for (let i = 1; i <= 7; i++) {
      const payload = new Uint8Array(4);
      writeTelephoneEvent(payload, 0, { event: 11, isEnd: i >= 5, volume: 10, duration: Math.min(i, 5) * 160 });
      peer.send(101, payload, began);
      peer.pass();
    }
    peer.say(babble(1));
    assert.deepEqual(peer.digits, ['#']);
    assert.equal(peer.audio.totals.jitterMs, 0);
    assert.equal(peer.audio.totals.lostPackets, 0);
  });

  it('is heard as a tone only where events were not agreed', () => {
    for (const [telephoneEvents, expected] of [
      [undefined, '15*'],
      [agreed.telephoneEvents, ''],
    ] as const) {
      const peer = new Peer({ ...agreed, telephoneEvents });
      peer.say(dtmfTones('15*', 8_000));
      peer.say(new Int16Array(800));
      assert.equal(peer.digits.join(''), expected);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainMedia } from '../../test/harness/media.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { parseRtp, type RtpPacket, writeRtpHeader } from './packet.ts';
import { parseRtcp, writeRtcp } from './rtcp.ts';
import { RtpSession } from './session.ts';
import type { DatagramSocket } from './sockets.ts';
import { newSrtpKey, type SrtpKeys, SrtpReceiver } from './srtp.ts';

const host = '127.0.0.1';

const agreed = (rtpPort: number, change: Partial<NegotiatedMedia> = {}) =>
  plainMedia({ host, rtpPort, rtcpPort: rtpPort }, change);

type ByHand = {
  session: RtpSession;
  rtp: Buffer[];
  rtcp: Buffer[];
  connects: string[];
  played: number[];
  run: (frames: number) => void;
};

/** A session that is driven by hand, and what it did. */
function byHand(): ByHand {
  const [rtp, rtcp, connects, played]: [Buffer[], Buffer[], string[], number[]] = [[], [], [], []];
  const collect = (sent: Buffer[]): DatagramSocket => ({
    connect: (...peer) => connects.push(peer.join(':')),
    send: (datagram) => sent.push(Buffer.from(datagram)),
    close() {},
  });
  const session = new RtpSession(collect(rtp), collect(rtcp), 20_000, {
    onPlayed: (_, playedMs) => played.push(playedMs),
    onHeard() {},
    onDigit() {},
    onStalled() {},
    onRecordingFailed() {},
  });
  let frame = 0;
  const startMs = performance.now();
  const run = (frames: number) => {
    for (let i = 0; i < frames; i++) session.onFrame(++frame, startMs + frame * 20);
  };
  return { session, rtp, rtcp, connects, played, run };
}

describe('a session', () => {
  const apart = { remote: { host, rtpPort: 4_000, rtcpPort: 4_001 } };

  it('never counts anew under a key that stays, though that of the peer changes', () => {
    const suite = 'AES_CM_128_HMAC_SHA1_80';
    const keys = (): SrtpKeys => ({ suite, key: newSrtpKey(suite) });
    const { session, rtp, rtcp, run } = byHand();
    const ours = keys();
    session.connect(agreed(4_000, { ...apart, srtp: { ours, theirs: keys() } }));
    const receiver = new SrtpReceiver(ours);
    const check = () => {
      for (const packet of rtp.splice(0)) assert.ok(receiver.unprotectRtp(packet));
      for (const packet of rtcp.splice(0)) assert.ok(receiver.unprotectRtcp(packet));
    };
    assert.equal(rtp.length, 0);
    for (let i = 0; i < 66; i++) {
      run(1_000);
      check();
    }
    session.connect(agreed(4_000, { ...apart, srtp: { ours, theirs: keys() } }));
    run(1_000);
    check();
  });

  it('begins in the lower half of the sequence numbers, so that a lost beginning does not spoil the encryption', () => {
    for (let i = 0; i < 100; i++) {
      const { session, rtp, run } = byHand();
      session.connect(agreed(4_000));
      run(1);
      assert.ok((parseRtp(rtp[0] as Buffer)?.sequence ?? 0xffff) <= 0x8000);
    }
  });

  it('reports every 2.5 to 7.5 s, as a sender only while it sends, with the time of its stream', () => {
    const { session, rtp, rtcp, run } = byHand();
    session.connect(agreed(4_000, apart));
    run(50 * 100);
    assert.ok(rtcp.length >= 13 && rtcp.length <= 41, String(rtcp.length));
    for (const datagram of rtcp) assert.ok(parseRtcp(datagram)?.sender);
    const [last] = rtcp.slice(-1) as [Buffer];
    const timestamp = parseRtcp(last)?.sender?.timestamp ?? -1;
    assert.ok(rtp.some((datagram) => parseRtp(datagram)?.timestamp === timestamp));
    session.connect(agreed(4_000, { ...apart, sends: false }));
    run(50 * 8); // one that tells of what was sent before
    rtcp.length = 0;
    run(50 * 20);
    assert.ok(rtcp.length >= 2);
    for (const datagram of rtcp) assert.equal(parseRtcp(datagram)?.sender, undefined);
  });

  it('reports for days what its peer reported once', () => {
    const { session, rtcp } = byHand();
    session.connect(agreed(4_000, apart));
    const sender = { ntpSeconds: 1, ntpFraction: 0, timestamp: 0, packets: 1, octets: 1 };
    session.onRtcp(writeRtcp({ ssrc: 77, cname: 'x', sender, block: undefined }));
    const packet = Buffer.alloc(172);
    writeRtpHeader(packet, { payloadType: 0, isMarked: false, sequence: 1, timestamp: 1, ssrc: 77 });
    session.onRtp(packet);
    const now = performance.now();
    session.onFrame(1, now + 10_000);
    const [block] = parseRtcp(rtcp[0] as Buffer)?.blocks ?? [];
    assert.equal(block?.ssrc, 77);
    assert.equal(block?.lastSenderReport, 0x1_0000);
    assert.ok(Math.abs((block?.delay ?? 0) / 65_536 - 10) < 0.5);
    session.onFrame(2, now + 72 * 3_600_000);
    assert.equal(parseRtcp(rtcp[1] as Buffer)?.blocks[0]?.delay, 0xffff_ffff);
  });

  it('ends its stream and connects nowhere once it is closed', async () => {
    const { session, rtp, rtcp, connects, run } = byHand();
    session.connect(agreed(4_000, apart));
    run(5);
    const closing = session.close();
    assert.equal(session.close(), closing);
    await closing;
    assert.equal(parseRtcp(rtcp.at(-1) as Buffer)?.isBye, true);
    const count = rtp.length;
    session.connect(agreed(5_000));
    run(5);
    assert.equal(rtp.length, count);
    assert.deepEqual(connects, ['127.0.0.1:4000', '127.0.0.1:4001']);
  });

  it('stays connected to its peer while that is on hold, and does not connect again to the same', () => {
    const { session, connects } = byHand();
    session.connect(agreed(4_000, apart));
    const nowhere = { host: '0.0.0.0', rtpPort: 4_000, rtcpPort: 4_001 };
    session.connect(agreed(4_000, { remote: nowhere, sends: false, receives: false }));
    session.connect(agreed(4_000, apart));
    assert.deepEqual(connects, ['127.0.0.1:4000', '127.0.0.1:4001']);
    session.connect(agreed(5_000));
    assert.deepEqual(connects.slice(2), ['127.0.0.1:5000']);
  });

  it('says nothing while keys are pressed, and all of it afterwards', () => {
    const { session, rtp, played, run } = byHand();
    session.connect(agreed(4_000));
    session.sendDigits('7');
    session.play(1, new Int16Array(1_600).fill(8_031)); // one that PCMU has
    run(8);
    assert.deepEqual(new Set(rtp.map((datagram) => parseRtp(datagram)?.payloadType)), new Set([101]));
    assert.equal(rtp.length, 7); // five of the key, two more of its end
    assert.deepEqual(played, []);
    run(10);
    assert.deepEqual(played, [200]);
    const sound = rtp.slice(7).map((datagram) => parseRtp(datagram) as RtpPacket);
    assert.equal(sound.length, 10);
    assert.equal(new Set(sound.flatMap(({ payload }) => [...payload])).size, 1);
    assert.deepEqual(
      sound.map(({ isMarked }) => isMarked),
      [true, ...Array<boolean>(9).fill(false)],
    );
    const began = parseRtp(rtp[0] as Buffer)?.timestamp ?? 0;
    assert.equal(((sound[0]?.timestamp ?? 0) - began) >>> 0, 8 * 160);
  });
});

import { randomBytes, randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Codec, Encoder } from './codec.ts';
import { codecNamed } from './codecs.ts';
import { lineNoise } from './comfort-noise.ts';
import { dtmfTones } from './dtmf-tones.ts';
import { IncomingAudio } from './incoming-audio.ts';
import type { MediaReport } from './media-report.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { headerBytes, isRtcp, writeRtpHeader } from './packet.ts';
import { Playback } from './playback.ts';
import { StereoRecorder } from './recorder.ts';
import { middleOf, ntpOf, parseRtcp, writeRtcp } from './rtcp.ts';
import type { DatagramSocket } from './sockets.ts';
import { SrtpReceiver, SrtpSender } from './srtp.ts';
import { TelephoneEventSender, writeTelephoneEvent } from './telephone-event.ts';

export type SessionHandlers = {
  onPlayed: (playback: number, playedMs: number, isComplete: boolean) => void;
  /** 20 ms of what the peer said; to be copied if it is kept. */
  onHeard: (pcm: Int16Array) => void;
  onDigit: (digit: string) => void;
  /** Nothing has come from the peer for a long time. */
  onStalled: () => void;
  onRecordingFailed: (error: Error) => void;
};

const frameMs = 20;
const stalledAfterMs = 20_000;
/** RFC 3550 §6.2: five seconds, more or less, so that reports do not come in step. */
const reportEveryMs = 5_000;
const largestPacket = 1_500;
/** A prime: the same second of noise is heard from ever other places. */
const noiseStride = 7_919;
/** Not a key of the caller's: the tones of keys that go out as sound. */
const tonesPlayback = -1;

// One frame is made and sent before the next one begins: all calls of a thread share these.
const packet = Buffer.alloc(largestPacket);
const payload = packet.subarray(headerBytes);
const narrow: [Int16Array, Int16Array] = [new Int16Array(160), new Int16Array(160)];
const wide: [Int16Array, Int16Array] = [new Int16Array(320), new Int16Array(320)];

/** The voice of one call: what is sent and heard every 20 ms, until it is closed. */
export class RtpSession {
  readonly #rtp: DatagramSocket;
  readonly #rtcp: DatagramSocket;
  readonly #handlers: SessionHandlers;
  readonly #ssrc = randomBytes(4).readUInt32BE();
  readonly #cname = randomBytes(9).toString('base64url');
  #sequence = randomInt(0x10000);
  #timestampBase = randomInt(2 ** 31);
  #media: NegotiatedMedia | undefined;
  #peer: NegotiatedMedia['remote'] | undefined;
  #codec: Codec | undefined;
  #encode: Encoder | undefined;
  #incoming: IncomingAudio | undefined;
  #playback: Playback | undefined;
  #events: TelephoneEventSender | undefined;
  #eventTimestamp = 0;
  #timestamp = 0;
  #isFirst = true;
  #hears = false;
  #recorder: StereoRecorder | undefined;
  #recording: Promise<void> | undefined;
  #srtpSender: SrtpSender | undefined;
  #srtpReceiver: SrtpReceiver | undefined;
  #sentPackets = 0;
  #sentOctets = 0;
  #rejected = 0;
  #heardAt = 0;
  #isStalled = false;
  #nextReportAt = 0;
  #roundTripMs: number | null = null;
  #peerLost: number | null = null;
  #peerJitterMs: number | null = null;
  #peerReport: { middle: number; at: number } | undefined;
  #isClosed = false;

  constructor(rtp: DatagramSocket, rtcp: DatagramSocket, handlers: SessionHandlers) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.#handlers = handlers;
  }

  /** Begins, or goes on otherwise after a renegotiation. */
  connect(media: NegotiatedMedia): void {
    const before = this.#media;
    this.#media = media;
    const { host, rtpPort, rtcpPort } = media.remote;
    const isHeld = !media.sends && !media.receives; // its address may be 0.0.0.0 then (RFC 2543 §B.5)
    if (!isHeld && JSON.stringify(this.#peer) !== JSON.stringify(media.remote)) {
      this.#peer = media.remote;
      this.#rtp.connect(host, rtpPort);
      if (rtcpPort !== rtpPort) this.#rtcp.connect(host, rtcpPort);
    }
    if (before?.codec !== media.codec) this.#useCodec(codecNamed(media.codec));
    if (media.srtp && JSON.stringify(before?.srtp) !== JSON.stringify(media.srtp)) {
      this.#srtpSender = new SrtpSender(media.srtp.ours);
      this.#srtpReceiver = new SrtpReceiver(media.srtp.theirs);
    }
    this.#incoming?.expect(media);
    this.#heardAt = performance.now();
    this.#isStalled = false;
    this.#nextReportAt ||= performance.now() + reportEveryMs * (0.5 + Math.random());
  }

  #useCodec(codec: Codec): void {
    this.#codec = codec;
    this.#encode = codec.newEncoder();
    this.#incoming = new IncomingAudio(codec, (digit) => this.#handlers.onDigit(digit), this.#incoming?.totals);
    this.#playback?.stop();
    const msOf = (samples: number) => Math.round((samples * 1000) / codec.sampleRate);
    this.#playback = new Playback(codec.sampleRate, (id, samples, isComplete) => {
      if (id !== tonesPlayback) this.#handlers.onPlayed(id, msOf(samples), isComplete);
    });
    this.#events = new TelephoneEventSender({ clockRate: codec.clockRate });
  }

  play(id: number, pcm: Int16Array): void {
    if (!this.#playback) throw new Error('Nothing can be played before the media is negotiated');
    this.#playback.push(id, pcm);
  }

  stopPlaying(): void {
    this.#playback?.stop();
  }

  sendDigits(digits: string): void {
    if (!this.#media || !this.#codec) throw new Error('No key can be pressed before the media is negotiated');
    if (this.#media.telephoneEvents) this.#events?.push(digits);
    else this.#playback?.push(tonesPlayback, dtmfTones(digits, this.#codec.sampleRate));
  }

  set hears(hears: boolean) {
    this.#hears = hears;
  }

  record(path: string): void {
    const { sampleRate } = this.#codec ?? { sampleRate: 8_000 };
    this.#recording = StereoRecorder.open(path, sampleRate).then(
      (recorder) => {
        if (this.#isClosed) return recorder.close();
        this.#recorder = recorder;
      },
      (error: Error) => this.#handlers.onRecordingFailed(error),
    );
  }

  /** Twenty milliseconds: what they said comes out of the buffer, what we say goes out. */
  readonly onFrame = (frame: number, nowMs: number): void => {
    const codec = this.#codec;
    const media = this.#media;
    if (!codec || !media || this.#isClosed) return;
    const [said, heard] = codec.sampleRate === 8_000 ? narrow : wide;
    this.#incoming?.take(heard);
    this.#say(said, frame);
    if (media.sends) this.#sendFrame(said, frame, codec, media);
    this.#recorder?.write(said, heard);
    if (this.#hears) this.#handlers.onHeard(heard);
    if (nowMs >= this.#nextReportAt) this.#report(nowMs);
    if (!this.#isStalled && media.receives && nowMs - this.#heardAt > stalledAfterMs) {
      this.#isStalled = true;
      this.#handlers.onStalled();
    }
  };

  #say(said: Int16Array, frame: number): void {
    const filled = this.#playback?.next(said) ?? 0;
    if (filled === said.length) return;
    const from = Math.abs(frame * noiseStride) % (lineNoise.length - said.length);
    said.set(lineNoise.subarray(from, from + said.length - filled), filled);
  }

  #sendFrame(said: Int16Array, frame: number, codec: Codec, media: NegotiatedMedia): void {
    const samples = (codec.clockRate * frameMs) / 1000;
    this.#timestamp = (this.#timestampBase + frame * samples) >>> 0;
    if (media.telephoneEvents && this.#events?.isSending) {
      const event = this.#events.next();
      if (!event) return; // the pause between two keys
      if (event.isFirst) this.#eventTimestamp = this.#timestamp;
      writeTelephoneEvent(packet, headerBytes, { ...event, volume: 10 });
      this.#sendPacket(media.telephoneEvents.send, this.#eventTimestamp, event.isFirst, 4);
      this.#isFirst = true; // speech begins anew after it
      return;
    }
    const length = this.#encode?.(said, payload) ?? 0;
    this.#sendPacket(media.payloadTypes.send, this.#timestamp, this.#isFirst, length);
    this.#isFirst = false;
  }

  #sendPacket(payloadType: number, timestamp: number, isMarked: boolean, payloadBytes: number): void {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    writeRtpHeader(packet, { payloadType, isMarked, sequence: this.#sequence, timestamp, ssrc: this.#ssrc });
    const plain = packet.subarray(0, headerBytes + payloadBytes);
    this.#rtp.send(this.#srtpSender ? this.#srtpSender.protectRtp(plain) : plain);
    this.#sentPackets++;
    this.#sentOctets += payloadBytes;
  }

  /** A datagram that came to the port of RTP. */
  readonly onRtp = (datagram: Buffer): void => {
    const media = this.#media;
    if (!media || this.#isClosed) return;
    if (media.remote.rtcpPort === media.remote.rtpPort && isRtcp(datagram)) return this.onRtcp(datagram);
    const plain = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtp(datagram) : datagram;
    const nowMs = performance.now();
    if (!plain) this.#rejected++;
    else if (this.#incoming?.receive(plain, nowMs, media.receives)) this.#noteSign(nowMs);
  };

  readonly onRtcp = (datagram: Buffer): void => {
    if (this.#isClosed) return;
    const plain = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtcp(datagram) : datagram;
    const report = plain && parseRtcp(plain);
    if (!report) {
      this.#rejected++;
      return;
    }
    this.#noteSign(performance.now());
    if (report.sender) this.#peerReport = { middle: middleOf(report.sender), at: performance.now() };
    for (const block of report.blocks) {
      if (block.ssrc !== this.#ssrc) continue;
      this.#peerLost = Math.max(0, block.lost);
      this.#peerJitterMs = (block.jitter * 1000) / (this.#codec?.clockRate ?? 8_000);
      if (block.lastSenderReport === 0) continue;
      const elapsed = (middleOf(ntpOf(Date.now())) - block.lastSenderReport - block.delay) >>> 0;
      // A peer with a broken clock makes it a large number.
      if (elapsed < 0x10_0000) this.#roundTripMs = (elapsed * 1000) / 65_536;
    }
  };

  #noteSign(nowMs: number): void {
    this.#heardAt = nowMs;
    this.#isStalled = false;
  }

  #report(now: number, isBye = false): void {
    this.#nextReportAt = now + reportEveryMs * (0.5 + Math.random());
    const media = this.#media;
    if (!media) return;
    const sender =
      this.#sentPackets > 0
        ? {
            ...ntpOf(Date.now()),
            timestamp: this.#timestamp,
            packets: this.#sentPackets,
            octets: this.#sentOctets,
          }
        : undefined;
    const delay = this.#peerReport ? Math.round(((now - this.#peerReport.at) * 65_536) / 1000) : 0;
    const received = this.#incoming?.reportBlock();
    const block = received && { ...received, lastSenderReport: this.#peerReport?.middle ?? 0, delay };
    const plain = writeRtcp({ ssrc: this.#ssrc, cname: this.#cname, sender, block, isBye });
    const isShared = media.remote.rtcpPort === media.remote.rtpPort;
    (isShared ? this.#rtp : this.#rtcp).send(this.#srtpSender ? this.#srtpSender.protectRtcp(plain) : plain);
  }

  get report(): MediaReport {
    const totals = this.#incoming?.totals;
    return {
      sentPackets: this.#sentPackets,
      receivedPackets: totals?.receivedPackets ?? 0,
      lostPackets: Math.max(0, totals?.lostPackets ?? 0),
      latePackets: totals?.latePackets ?? 0,
      concealedMs: totals?.concealedMs ?? 0,
      jitterMs: totals?.jitterMs ?? 0,
      roundTripMs: this.#roundTripMs,
      peerLostPackets: this.#peerLost,
      peerJitterMs: this.#peerJitterMs,
      rejectedPackets: this.#rejected,
    };
  }

  /** Says goodbye, frees the ports and waits until the recording is on the disk. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#playback?.stop();
    if (this.#sentPackets > 0) this.#report(performance.now(), true);
    this.#isClosed = true;
    this.#rtp.close();
    this.#rtcp.close();
    await this.#recording;
    await this.#recorder?.close();
    if (this.#recorder?.error) this.#handlers.onRecordingFailed(this.#recorder.error);
  }
}

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
import { middleOf, ntpOf, parseRtcp, roundTripMsOf, writeRtcp } from './rtcp.ts';
import type { DatagramSocket } from './sockets.ts';
import { type SrtpKeys, SrtpReceiver, SrtpSender } from './srtp.ts';
import { TelephoneEventSender, writeTelephoneEvent } from './telephone-event.ts';

export type SessionHandlers = {
  onPlayed: (playback: number, playedMs: number, isComplete: boolean) => void;
  /** 20 ms of what the peer said; to be copied if it is kept. */
  onHeard: (pcm: Int16Array) => void;
  onDigit: (digit: string) => void;
  /** Nothing has come from the peer for as long as `stalledAfterMs`. */
  onStalled: () => void;
  onRecordingFailed: (error: Error) => void;
};

const frameMs = 20;
/** RFC 3550 §6.2: five seconds, more or less, so that reports do not come in step. */
const reportEveryMs = 5_000;
const largestPacket = 1_500;
/** A prime: the same second of noise is heard from ever other places. */
const noiseStride = 7_919;
/** Frames: as much as a recorder keeps for a slow disk. */
const mostUnwritten = 500;
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
  readonly #stalledAfterMs: number;
  readonly #ssrc = randomBytes(4).readUInt32BE();
  readonly #cname = randomBytes(9).toString('base64url');
  /** From the lower half, so that it does not wrap while the first packets may get lost (RFC 3711 §3.3.1). */
  #sequence = randomInt(0x8000);
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
  #recordsAt = 0;
  /** What was said and heard while the file of a recording was being opened. */
  #unwritten: [Int16Array, Int16Array][] | undefined;
  #recording: Promise<void> | undefined;
  /** Where to record as soon as there is a codec. */
  #recordTo: string | undefined;
  #srtpSender: SrtpSender | undefined;
  #srtpReceiver: SrtpReceiver | undefined;
  #sentPackets = 0;
  #sentOctets = 0;
  #sentBefore = 0;
  #rejected = 0;
  #heardAt = 0;
  #isStalled = false;
  #nextReportAt = 0;
  #roundTripMs: number | null = null;
  #peerLost: number | null = null;
  #peerJitterMs: number | null = null;
  #peerReport: { middle: number; at: number } | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(rtp: DatagramSocket, rtcp: DatagramSocket, stalledAfterMs: number, handlers: SessionHandlers) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.#stalledAfterMs = stalledAfterMs;
    this.#handlers = handlers;
  }

  /** Begins, or goes on otherwise after a renegotiation. */
  connect(media: NegotiatedMedia): void {
    if (this.#isClosed) return;
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
    this.#useKeys(before?.srtp, media.srtp);
    if (this.#incoming) this.#incoming.expect(media);
    else this.#incoming = new IncomingAudio(media, (digit) => this.#handlers.onDigit(digit));
    this.#heardAt = performance.now();
    this.#isStalled = false;
    this.#nextReportAt ||= performance.now() + reportEveryMs * (0.5 + Math.random());
  }

  /** A key that stays goes on counting: to count anew would encrypt twice with the same keystream. */
  #useKeys(before: NegotiatedMedia['srtp'], now: NegotiatedMedia['srtp']): void {
    if (!isSameKey(before?.ours, now?.ours)) this.#srtpSender = now && new SrtpSender(now.ours);
    if (!isSameKey(before?.theirs, now?.theirs)) this.#srtpReceiver = now && new SrtpReceiver(now.theirs);
  }

  #useCodec(codec: Codec): void {
    const before = this.#codec;
    this.#codec = codec;
    this.#encode = codec.newEncoder();
    if (before?.clockRate !== codec.clockRate) {
      this.#events = new TelephoneEventSender({ clockRate: codec.clockRate });
    }
    if (before?.sampleRate !== codec.sampleRate) this.#beginPlayback(codec);
    if (this.#recordTo !== undefined) this.record(this.#recordTo);
    this.#recordTo = undefined;
  }

  /** What is being said has the rate of the codec before: it ends here. */
  #beginPlayback(codec: Codec): void {
    this.#playback?.stop();
    const msOf = (samples: number) => Math.round((samples * 1000) / codec.sampleRate);
    this.#playback = new Playback(codec.sampleRate, (id, samples, isComplete) => {
      if (id !== tonesPlayback) this.#handlers.onPlayed(id, msOf(samples), isComplete);
    });
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
    if (!this.#codec) {
      this.#recordTo = path;
      return;
    }
    this.#recording = this.#openRecorder(path, this.#codec.sampleRate, this.#recording);
    this.#recordsAt = this.#codec.sampleRate;
    this.#unwritten = [];
  }

  async #openRecorder(path: string, sampleRate: number, before: Promise<void> | undefined): Promise<void> {
    await before;
    await this.#closeRecorder();
    try {
      this.#recorder = await StereoRecorder.open(path, sampleRate);
      for (const [said, heard] of this.#unwritten ?? []) this.#recorder.write(said, heard);
      this.#unwritten = undefined;
    } catch (error) {
      this.#unwritten = undefined;
      this.#handlers.onRecordingFailed(error as Error);
    }
  }

  async #closeRecorder(): Promise<void> {
    const recorder = this.#recorder;
    this.#recorder = undefined;
    await recorder?.close();
    if (recorder?.error) this.#handlers.onRecordingFailed(recorder.error);
  }

  /** Twenty milliseconds: what they said comes out of the buffer, what we say goes out. */
  onFrame(frame: number, nowMs: number): void {
    const codec = this.#codec;
    const media = this.#media;
    if (!codec || !media || this.#isClosed) return;
    const [said, heard] = codec.sampleRate === 8_000 ? narrow : wide;
    this.#incoming?.take(heard);
    this.#timestamp = (this.#timestampBase + (frame * codec.clockRate * frameMs) / 1000) >>> 0;
    const presses = media.telephoneEvents !== undefined && media.sends && this.#events?.isSending === true;
    this.#say(said, frame, presses || !media.sends);
    if (presses) this.#sendEvent(media);
    else if (media.sends) this.#sendSound(said, media);
    else this.#isFirst = true;
    if (this.#hears) this.#handlers.onHeard(heard);
    if (this.#recorder || this.#unwritten) this.#record(said, heard, codec.sampleRate);
    if (nowMs >= this.#nextReportAt) this.#report(nowMs);
    if (!this.#isStalled && media.receives && nowMs - this.#heardAt > this.#stalledAfterMs) {
      this.#isStalled = true;
      this.#handlers.onStalled();
    }
  }

  /** What is being said waits while keys are pressed or the peer has us on hold. */
  #say(said: Int16Array, frame: number, waits: boolean): void {
    const filled = waits ? 0 : (this.#playback?.next(said) ?? 0);
    if (filled === said.length) return;
    const from = Math.abs(frame * noiseStride) % (lineNoise.length - said.length);
    said.set(lineNoise.subarray(from, from + said.length - filled), filled);
  }

  /** A recording keeps the rate that it began with. */
  #record(said: Int16Array, heard: Int16Array, sampleRate: number): void {
    let left = said;
    let right = heard;
    if (sampleRate !== this.#recordsAt) {
      [left, right] = this.#recordsAt === 8_000 ? narrow : wide;
      convert(said, left);
      convert(heard, right);
    }
    if (!this.#unwritten) this.#recorder?.write(left, right);
    else if (this.#unwritten.length < mostUnwritten) this.#unwritten.push([left.slice(), right.slice()]);
  }

  #sendEvent(media: NegotiatedMedia): void {
    const event = this.#events?.next();
    if (!event || !media.telephoneEvents) return; // the pause between two keys
    if (event.isFirst) this.#eventTimestamp = this.#timestamp;
    writeTelephoneEvent(packet, headerBytes, { ...event, volume: 10 });
    this.#sendPacket(media.telephoneEvents.send, this.#eventTimestamp, event.isFirst, 4);
    this.#isFirst = true; // speech begins anew after it
  }

  #sendSound(said: Int16Array, media: NegotiatedMedia): void {
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
  onRtp(datagram: Buffer): void {
    const media = this.#media;
    if (!media || this.#isClosed) return;
    if (media.remote.rtcpPort === media.remote.rtpPort && isRtcp(datagram)) return this.onRtcp(datagram);
    const plain = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtp(datagram) : datagram;
    const nowMs = performance.now();
    if (!plain) this.#rejected++;
    else if (this.#incoming?.receive(plain, nowMs, media.receives)) this.#noteSign(nowMs);
  }

  onRtcp(datagram: Buffer): void {
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
      this.#roundTripMs = roundTripMsOf(block, wallClockMs()) ?? this.#roundTripMs;
    }
  }

  #noteSign(nowMs: number): void {
    this.#heardAt = nowMs;
    this.#isStalled = false;
  }

  #report(now: number, isBye = false): void {
    this.#nextReportAt = now + reportEveryMs * (0.5 + Math.random());
    const media = this.#media;
    if (!media) return;
    // RFC 3550 §6.4: who has sent nothing since the last report is no sender.
    const sender =
      this.#sentPackets > this.#sentBefore
        ? {
            ...ntpOf(wallClockMs()),
            timestamp: this.#timestamp,
            packets: this.#sentPackets,
            octets: this.#sentOctets,
          }
        : undefined;
    this.#sentBefore = this.#sentPackets;
    const received = this.#incoming?.reportBlock();
    const block = received && { ...received, ...this.#lastSenderReport(now) };
    const plain = writeRtcp({ ssrc: this.#ssrc, cname: this.#cname, sender, block, isBye });
    const isShared = media.remote.rtcpPort === media.remote.rtpPort;
    (isShared ? this.#rtp : this.#rtcp).send(this.#srtpSender ? this.#srtpSender.protectRtcp(plain) : plain);
  }

  #lastSenderReport(now: number): { lastSenderReport: number; delay: number } {
    if (!this.#peerReport) return { lastSenderReport: 0, delay: 0 };
    const delay = Math.round(((now - this.#peerReport.at) * 65_536) / 1000);
    return { lastSenderReport: this.#peerReport.middle, delay: Math.max(0, Math.min(0xffff_ffff, delay)) };
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
  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#playback?.stop();
    if (this.#sentPackets > 0) this.#report(performance.now(), true);
    this.#isClosed = true;
    this.#rtp.close();
    this.#rtcp.close();
    await this.#recording;
    await this.#closeRecorder();
  }
}

function isSameKey(one: SrtpKeys | undefined, other: SrtpKeys | undefined): boolean {
  return one?.suite === other?.suite && (one?.key.equals(other?.key ?? Buffer.alloc(0)) ?? true);
}

/** The time of day that no correction of the clock moves: its differences are right. */
function wallClockMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Half or double the rate, good enough for the rest of a recording. */
function convert(pcm: Int16Array, target: Int16Array): void {
  const isHalf = target.length < pcm.length;
  for (let i = 0; i < target.length; i++) {
    target[i] = isHalf ? ((pcm[2 * i] as number) + (pcm[2 * i + 1] as number)) >> 1 : (pcm[i >> 1] as number);
  }
}

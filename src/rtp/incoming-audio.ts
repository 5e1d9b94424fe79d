import type { Codec, Decoder } from './codec.ts';
import { codecNamed, codecs } from './codecs.ts';
import { amplitudeOfComfortNoise } from './comfort-noise.ts';
import { DtmfDetector } from './dtmf-detector.ts';
import { JitterBuffer } from './jitter-buffer.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { parseRtp } from './packet.ts';
import { Reception } from './reception.ts';
import { TelephoneEventReceiver } from './telephone-event.ts';

export type IncomingTotals = {
  receivedPackets: number;
  lostPackets: number;
  latePackets: number;
  concealedMs: number;
  jitterMs: number;
};

const longestPacketMs = 120;
const decodedAtMost = new Int16Array((16_000 * longestPacketMs) / 1000);

/** What comes from the peer: packets in, an even stream of sound and the keys that were pressed out. */
export class IncomingAudio {
  readonly #events = new TelephoneEventReceiver();
  readonly #onDigit: (digit: string) => void;
  #media: NegotiatedMedia;
  #codec: Codec;
  #decode: Decoder;
  /** By payload type. */
  #decoders: (Decoder | undefined)[] = [];
  #buffer: JitterBuffer;
  #tones: DtmfDetector | undefined;
  #reception: Reception | undefined;
  /** Of sources that the peer has given up, and of codecs before this one. */
  #past = { received: 0, lost: 0, latePackets: 0, concealedMs: 0 };
  #position = 0;
  #timestamp = 0;

  constructor(media: NegotiatedMedia, onDigit: (digit: string) => void) {
    this.#onDigit = onDigit;
    this.#media = media;
    this.#codec = codecNamed(media.codec);
    this.#decode = this.#codec.newDecoder();
    this.#buffer = new JitterBuffer(this.#codec.sampleRate);
    this.expect(media);
  }

  /** Goes on as newly agreed; what was counted is not forgotten. */
  expect(media: NegotiatedMedia): void {
    this.#media = media;
    const codec = codecNamed(media.codec);
    if (codec !== this.#codec) this.#useCodec(codec);
    this.#tones = media.telephoneEvents ? undefined : new DtmfDetector(codec.sampleRate);
    // RFC 3264 §5.1: who offers several hears all of them, since an answer with more than one leaves the choice open.
    this.#decoders = [];
    for (const each of codecs) {
      if (each.sampleRate === codec.sampleRate) this.#decoders[each.payloadType] = each.newDecoder();
    }
    this.#decoders[media.payloadTypes.receive] = this.#decode;
  }

  #useCodec(codec: Codec): void {
    const { concealedMs, latePackets } = this.#buffer.counts;
    this.#past.concealedMs += concealedMs;
    this.#past.latePackets += latePackets;
    this.#codec = codec;
    this.#decode = codec.newDecoder();
    this.#buffer = new JitterBuffer(codec.sampleRate);
  }

  /** Takes a packet in; false if it is none that was agreed on. */
  receive(datagram: Buffer, nowMs: number, isWanted: boolean): boolean {
    const media = this.#media;
    const packet = parseRtp(datagram);
    if (!packet) return false;
    const { payloadType, timestamp } = packet;
    const isEvent = payloadType === media.telephoneEvents?.receive;
    const isQuiet = payloadType === media.comfortNoise?.receive;
    const decode = this.#decoders[payloadType];
    if (!isEvent && !isQuiet && !decode) return false;
    if (this.#reception?.ssrc !== packet.ssrc) this.#begin(packet.ssrc, packet.sequence, timestamp);
    this.#reception?.receive(packet.sequence, timestamp, nowMs, !isEvent);
    if (!isWanted) return true;
    if (isEvent) {
      const digit = this.#events.receive(packet.payload, timestamp);
      if (digit !== undefined) this.#onDigit(digit);
    } else if (isQuiet) {
      this.#buffer.putQuiet(this.#positionOf(timestamp), amplitudeOfComfortNoise(packet.payload));
    } else if (decode) {
      const samples = decode(packet.payload, decodedAtMost);
      this.#buffer.put(this.#positionOf(timestamp), decodedAtMost, samples);
    }
    return true;
  }

  take(pcm: Int16Array): void {
    this.#buffer.take(pcm);
    for (const digit of this.#tones?.push(pcm) ?? '') this.#onDigit(digit);
  }

  reportBlock(): (ReturnType<Reception['report']> & { ssrc: number }) | undefined {
    return this.#reception && { ssrc: this.#reception.ssrc, ...this.#reception.report() };
  }

  get totals(): IncomingTotals {
    const { concealedMs, latePackets } = this.#buffer.counts;
    return {
      receivedPackets: this.#past.received + (this.#reception?.received ?? 0),
      lostPackets: this.#past.lost + (this.#reception?.lost ?? 0),
      latePackets: this.#past.latePackets + latePackets,
      concealedMs: this.#past.concealedMs + concealedMs,
      jitterMs: this.#reception?.jitterMs ?? 0,
    };
  }

  #begin(ssrc: number, sequence: number, timestamp: number): void {
    if (this.#reception) {
      this.#past.received += this.#reception.received;
      this.#past.lost += this.#reception.lost;
    }
    this.#reception = new Reception(ssrc, sequence, this.#codec.clockRate);
    this.#buffer.restart();
    this.#timestamp = timestamp;
    this.#position = 0;
  }

  /** Timestamps wrap at 2^32; the nearest one to the last is meant. */
  #positionOf(timestamp: number): number {
    this.#position += (timestamp - this.#timestamp) | 0;
    this.#timestamp = timestamp;
    return (this.#position * this.#codec.sampleRate) / this.#codec.clockRate;
  }
}

import type { Codec, Decoder } from './codec.ts';
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

const none: IncomingTotals = { receivedPackets: 0, lostPackets: 0, latePackets: 0, concealedMs: 0, jitterMs: 0 };
const longestPacketMs = 120;
const decodedAtMost = new Int16Array((16_000 * longestPacketMs) / 1000);

/** What comes from the peer: packets in, an even stream of sound and the keys that were pressed out. */
export class IncomingAudio {
  readonly #codec: Codec;
  readonly #decode: Decoder;
  readonly #buffer: JitterBuffer;
  readonly #events = new TelephoneEventReceiver();
  readonly #onDigit: (digit: string) => void;
  readonly #before: IncomingTotals;
  #tones: DtmfDetector | undefined;
  #media: NegotiatedMedia | undefined;
  #reception: Reception | undefined;
  /** Of sources that the peer has given up. */
  #past = { received: 0, lost: 0 };
  #position = 0;
  #timestamp = 0;

  constructor(codec: Codec, onDigit: (digit: string) => void, before: IncomingTotals = none) {
    this.#codec = codec;
    this.#decode = codec.newDecoder();
    this.#buffer = new JitterBuffer(codec.sampleRate);
    this.#onDigit = onDigit;
    this.#before = before;
  }

  expect(media: NegotiatedMedia): void {
    this.#media = media;
    this.#tones = media.telephoneEvents ? undefined : new DtmfDetector(this.#codec.sampleRate);
  }

  /** Takes a packet in; false if it is none that was agreed on. */
  receive(datagram: Buffer, nowMs: number, isWanted: boolean): boolean {
    const media = this.#media;
    const packet = parseRtp(datagram);
    if (!packet || !media) return false;
    const { payloadType, timestamp } = packet;
    const isEvent = payloadType === media.telephoneEvents?.receive;
    const isQuiet = payloadType === media.comfortNoise?.receive;
    if (!isEvent && !isQuiet && payloadType !== media.payloadTypes.receive) return false;
    if (this.#reception?.ssrc !== packet.ssrc) this.#begin(packet.ssrc, packet.sequence, timestamp);
    this.#reception?.receive(packet.sequence, timestamp, nowMs);
    if (!isWanted) return true;
    if (isEvent) {
      const digit = this.#events.receive(packet.payload, timestamp);
      if (digit !== undefined) this.#onDigit(digit);
    } else if (isQuiet) {
      this.#buffer.putQuiet(this.#positionOf(timestamp), amplitudeOfComfortNoise(packet.payload));
    } else {
      const samples = this.#decode(packet.payload, decodedAtMost);
      this.#buffer.put(this.#positionOf(timestamp), decodedAtMost, Math.min(samples, decodedAtMost.length));
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
      receivedPackets: this.#before.receivedPackets + this.#past.received + (this.#reception?.received ?? 0),
      lostPackets: this.#before.lostPackets + this.#past.lost + (this.#reception?.lost ?? 0),
      latePackets: this.#before.latePackets + latePackets,
      concealedMs: this.#before.concealedMs + concealedMs,
      jitterMs: this.#reception?.jitterMs ?? this.#before.jitterMs,
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

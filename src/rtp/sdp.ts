import { randomInt } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { type MediaDescription, parse, type SessionDescription } from 'sdp-transform';
import type { Codec } from './codec.ts';
import { codecs } from './codecs.ts';
import type { NegotiatedMedia, PayloadTypes } from './negotiated-media.ts';
import { type CryptoAttribute, newSrtpKey, parseCryptoAttribute, writeCryptoAttribute } from './srtp.ts';

/** Our side of a call: where we listen, and what for. */
export type LocalMedia = {
  host: string;
  port: number;
  /** The most wanted first; all that there are when left out. */
  codecs?: readonly Codec[];
  /** Encrypted or not at all. */
  srtp: boolean;
};

type Audio = SessionDescription['media'][number];
type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

const telephoneEventType = 101;
const comfortNoiseType = 13;

/** What we describe ourselves with, once and again: an offer, answers and repetitions of them (RFC 3264). */
export class SdpSide {
  readonly #local: Required<LocalMedia>;
  readonly #sessionId = randomInt(2 ** 40);
  readonly #cryptos: CryptoAttribute[];
  #version = 0;
  #text = '';

  constructor(local: LocalMedia) {
    this.#local = { codecs, ...local };
    const suites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] as const;
    this.#cryptos = local.srtp ? suites.map((suite, i) => ({ tag: i + 1, suite, key: newSrtpKey(suite) })) : [];
  }

  /** The last that we sent; it is repeated when the other side asks without an offer of its own. */
  get text(): string {
    return this.#text;
  }

  offer(): string {
    const types = this.#local.codecs.map(({ payloadType }) => payloadType);
    return this.#write([
      `m=audio ${this.#local.port} ${this.#profile} ${[...types, comfortNoiseType, telephoneEventType].join(' ')}`,
      ...this.#cryptos.map((crypto) => `a=crypto:${writeCryptoAttribute(crypto)}`),
      ...this.#local.codecs.map((codec) => rtpmap(codec.payloadType, codec)),
      `a=rtpmap:${comfortNoiseType} CN/8000`,
      ...telephoneEventLines(telephoneEventType),
      'a=ptime:20',
      'a=rtcp-mux',
      'a=sendrecv',
    ]);
  }

  /** What the answer to our offer settles; a text says why it cannot be used. */
  accept(answer: string): NegotiatedMedia | string {
    const read = readAudio(answer);
    if (typeof read === 'string') return read;
    const { audio, host, direction } = read;
    if (isEncrypted(audio) !== this.#local.srtp)
      return this.#local.srtp ? 'The answer is not encrypted' : 'The answer asks for encryption';
    const chosen = this.#chooseCodec(audio);
    if (!chosen) return 'There is no codec in common';
    const theirs = cryptosOf(audio)[0];
    const ours = this.#cryptos.find(({ tag, suite }) => tag === theirs?.tag && suite === theirs.suite);
    if (this.#local.srtp && (!theirs || !ours)) return 'The answer names no key for the encryption';
    return {
      remote: remoteOf(audio, host, audio.rtcpMux !== undefined),
      codec: chosen.codec.name,
      payloadTypes: { send: chosen.theirs, receive: chosen.codec.payloadType },
      telephoneEvents: pairOf(telephoneEventOf(audio, chosen.codec.clockRate), telephoneEventType),
      comfortNoise: pairOf(comfortNoiseOf(audio), comfortNoiseType),
      ...flowOf(direction),
      srtp: theirs && ours && { ours, theirs },
    };
  }

  /** Our answer to an offer of the other side, and what it settles; a text says why there is none. */
  answer(offer: string): { sdp: string; media: NegotiatedMedia } | string {
    const read = readAudio(offer);
    if (typeof read === 'string') return read;
    const { audio, host, direction, session } = read;
    const chosen = this.#chooseCodec(audio);
    if (!chosen) return 'There is no codec in common';
    const crypto = this.#answerCrypto(audio);
    if (isEncrypted(audio) && !crypto) return 'The offer names no key that can be used';
    if (this.#local.srtp && !crypto) return 'The offer is not encrypted';
    const isShared = audio.rtcpMux !== undefined;
    const events = telephoneEventOf(audio, chosen.codec.clockRate);
    const noise = comfortNoiseOf(audio);
    const types = [chosen.theirs, ...(noise === undefined ? [] : [noise]), ...(events === undefined ? [] : [events])];
    const lines = [
      `m=audio ${this.#local.port} ${audio.protocol} ${types.join(' ')}`,
      ...(crypto ? [`a=crypto:${writeCryptoAttribute(crypto.ours)}`] : []),
      rtpmap(chosen.theirs, chosen.codec),
      ...(noise === undefined ? [] : [`a=rtpmap:${noise} CN/8000`]),
      ...(events === undefined ? [] : telephoneEventLines(events)),
      'a=ptime:20',
      ...(isShared ? ['a=rtcp-mux'] : []),
      `a=${mirrored(direction)}`,
    ];
    // RFC 3264 §6: every stream of the offer stands in the answer; the ones that we do not take have port 0.
    const sections = session.media.map((each) =>
      each === audio ? lines : [`m=${each.type} 0 ${each.protocol} ${each.payloads ?? '0'}`],
    );
    return {
      sdp: this.#write(sections.flat()),
      media: {
        remote: remoteOf(audio, host, isShared),
        codec: chosen.codec.name,
        payloadTypes: { send: chosen.theirs, receive: chosen.theirs },
        telephoneEvents: pairOf(events, events),
        comfortNoise: pairOf(noise, noise),
        ...flowOf(direction),
        srtp: crypto,
      },
    };
  }

  get #profile(): string {
    return this.#local.srtp ? 'RTP/SAVP' : 'RTP/AVP';
  }

  /** The first of theirs that we speak: an answer keeps to the order of the offer (RFC 3264 §6.1). */
  #chooseCodec(audio: Audio): { codec: Codec; theirs: number } | undefined {
    for (const type of payloadTypesOf(audio)) {
      const codec = this.#local.codecs.find(({ name, clockRate, payloadType }) =>
        isFormat(audio, type, name, clockRate, payloadType),
      );
      if (codec) return { codec, theirs: type };
    }
    return undefined;
  }

  #answerCrypto(audio: Audio): { ours: CryptoAttribute; theirs: CryptoAttribute } | undefined {
    const [theirs] = isEncrypted(audio) ? cryptosOf(audio) : [];
    return theirs && { theirs, ours: { tag: theirs.tag, suite: theirs.suite, key: this.#answerKey(theirs) } };
  }

  readonly #answerKeys = new Map<string, Buffer>();

  /** The same key for the same suite, offered or answered: a renegotiation does not change what is being sent. */
  #answerKey({ suite }: CryptoAttribute): Buffer {
    const offered = this.#cryptos.find((crypto) => crypto.suite === suite)?.key;
    const key = offered ?? this.#answerKeys.get(suite) ?? newSrtpKey(suite);
    this.#answerKeys.set(suite, key);
    return key;
  }

  #write(sections: string[]): string {
    const { host } = this.#local;
    const address = `IN ${isIPv6(host) ? 'IP6' : 'IP4'} ${host}`;
    const body = [`s=-`, `c=${address}`, 't=0 0', ...sections, ''].join('\r\n');
    if (this.#text.endsWith(`\r\n${body}`)) return this.#text;
    this.#text = [`v=0`, `o=- ${this.#sessionId} ${++this.#version} ${address}`, body].join('\r\n');
    return this.#text;
  }
}

type ReadAudio = { session: SessionDescription; audio: Audio; host: string; direction: Direction };

/** The first stream of sound in a description. */
function readAudio(sdp: string): ReadAudio | string {
  const session = parseLeniently(sdp);
  const audio = session?.media.find(({ type, port }) => type === 'audio' && port > 0);
  if (!session || !audio) return 'The other side describes no audio';
  if (session.media.some(({ type }) => type === undefined)) return 'The other side describes what cannot be read';
  if (!/^RTP\/S?AVPF?$/.test(audio.protocol)) return `The other side wants audio over ${audio.protocol}`;
  const host = audio.connection?.ip ?? session.connection?.ip ?? '';
  if (!isIP(host)) return 'The other side names no address for its audio';
  if (!isPort(audio.port)) return 'The other side names no port for its audio';
  const isUnspecified = host === '0.0.0.0' || host === '::';
  const direction = isUnspecified ? 'inactive' : (audio.direction ?? session.direction ?? 'sendrecv');
  return { session, audio, host, direction: direction as Direction };
}

function parseLeniently(sdp: string): SessionDescription | undefined {
  try {
    return parse(sdp);
  } catch {
    return undefined;
  }
}

function isPort(port: unknown): port is number {
  return Number.isInteger(port) && (port as number) > 0 && (port as number) < 65_536;
}

function remoteOf(audio: Audio, host: string, isShared: boolean): NegotiatedMedia['remote'] {
  const named = audio.rtcp?.port;
  const rtcpPort = isShared ? audio.port : isPort(named) ? named : Math.min(65_535, audio.port + 1);
  return { host, rtpPort: audio.port, rtcpPort };
}

function payloadTypesOf(audio: Audio): number[] {
  const types = String(audio.payloads ?? '')
    .split(' ')
    .filter((text) => /^\d{1,3}$/.test(text))
    .map(Number);
  return [...new Set(types)].filter((type) => type < 128);
}

/** Static types need no rtpmap (RFC 3551 §6). */
function isFormat(audio: Audio, type: number, name: string, rate: number, staticType?: number): boolean {
  const map = audio.rtp.find(({ payload }) => payload === type);
  if (!map) return type === staticType && type < 96;
  // The parser makes numbers of what looks like one, names and channels alike.
  const isMono = map.encoding === undefined || Number(map.encoding) === 1;
  return String(map.codec).toUpperCase() === name.toUpperCase() && map.rate === rate && isMono;
}

function comfortNoiseOf(audio: Audio): number | undefined {
  return payloadTypesOf(audio).find((type) => isFormat(audio, type, 'CN', 8_000, comfortNoiseType));
}

function telephoneEventOf(audio: Audio, rate: number): number | undefined {
  return payloadTypesOf(audio).find((type) => isFormat(audio, type, 'telephone-event', rate));
}

function pairOf(send: number | undefined, receive: number | undefined): PayloadTypes | undefined {
  return send === undefined || receive === undefined ? undefined : { send, receive };
}

function rtpmap(type: number, { name, clockRate }: Codec): string {
  return `a=rtpmap:${type} ${name}/${clockRate}`;
}

function telephoneEventLines(type: number): string[] {
  return [`a=rtpmap:${type} telephone-event/8000`, `a=fmtp:${type} 0-15`];
}

function isEncrypted({ protocol }: MediaDescription & { protocol: string }): boolean {
  return protocol.startsWith('RTP/SAVP');
}

function cryptosOf(audio: Audio): CryptoAttribute[] {
  return (audio.crypto ?? []).flatMap(
    ({ id, suite, config, sessionConfig }) =>
      parseCryptoAttribute([id, suite, config, sessionConfig].filter((part) => part !== undefined).join(' ')) ?? [],
  );
}

/** What the other side may do decides what we do. */
function flowOf(theirs: Direction): { sends: boolean; receives: boolean } {
  return {
    sends: theirs === 'sendrecv' || theirs === 'recvonly',
    receives: theirs === 'sendrecv' || theirs === 'sendonly',
  };
}

function mirrored(theirs: Direction): Direction {
  if (theirs === 'sendonly') return 'recvonly';
  if (theirs === 'recvonly') return 'sendonly';
  return theirs;
}

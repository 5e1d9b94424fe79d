import { randomBytes } from 'node:crypto';
import { newSrtpCipher, type SrtpCipher, type SrtpSuite, srtpSuites } from './srtp-cipher.ts';

/** The key is the master key and, after it, the master salt. */
export type SrtpKeys = { suite: SrtpSuite; key: Buffer };
export type CryptoAttribute = SrtpKeys & { tag: number };

export function newSrtpKey(suite: SrtpSuite): Buffer {
  return randomBytes(keyBytesOf(suite));
}

function keyBytesOf(suite: SrtpSuite): number {
  return srtpSuites[suite].keyBytes + srtpSuites[suite].saltBytes;
}

// The lifetime is not kept: the shortest in use, 2^20 packets, lasts almost six hours.
const keyParameter = /^inline:([A-Za-z0-9+/]+={0,2})(?:\|(?:2\^)?\d+)?$/i;
// RFC 4568 §6.3: a hint, the default spelled out, and extensions that may be ignored.
const harmlessParameter = /^(?:WSH=\d+|KDR=0|-.*)$/i;

/** The value of a=crypto (RFC 4568 §9.1); undefined when the line is wrong or asks for what we lack, such as an MKI. */
export function parseCryptoAttribute(line: string): CryptoAttribute | undefined {
  const [tag = '', name = '', keys = '', ...parameters] = line.trim().split(/[ \t]+/);
  const suite = name.toUpperCase();
  const [, encoded = ''] = keyParameter.exec(keys) ?? [];
  if (!/^\d{1,9}$/.test(tag) || !isSuite(suite)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  if (key.length !== keyBytesOf(suite) || !parameters.every((text) => harmlessParameter.test(text))) return undefined;
  return { tag: Number(tag), suite, key };
}

function isSuite(name: string): name is SrtpSuite {
  return Object.hasOwn(srtpSuites, name);
}

export function writeCryptoAttribute({ tag, suite, key }: CryptoAttribute): string {
  return `${tag} ${suite} inline:${key.toString('base64')}`;
}

const rtcpHeaderBytes = 8;

/** The bytes before the payload (RFC 3550 §5.1 and §5.3.1); undefined for what is no RTP. */
function rtpHeaderBytes(packet: Buffer): number | undefined {
  if (packet.length < 12) return undefined;
  const first = packet[0] as number;
  if (first >> 6 !== 2) return undefined;
  let bytes = 12 + 4 * (first & 0x0f);
  if (first & 0x10) {
    if (packet.length < bytes + 4) return undefined;
    bytes += 4 + 4 * packet.readUInt16BE(bytes + 2);
  }
  return bytes <= packet.length ? bytes : undefined;
}

/** The most likely index of a sequence number (RFC 3711 §3.3.1, appendix A); below 0 when it is before the first. */
function estimateIndex(sequence: number, highest: number): number {
  if (highest < 0) return sequence;
  const last = highest % 0x10000;
  const sameRound = highest - last + sequence;
  if (last < 0x8000) return sequence - last > 0x8000 ? sameRound - 0x10000 : sameRound;
  return last - 0x8000 > sequence ? sameRound + 0x10000 : sameRound;
}

/** Encrypts what we send. */
export class SrtpSender {
  readonly #rtp: SrtpCipher;
  readonly #rtcp: SrtpCipher;
  readonly #highest = new Map<number, number>();
  #rtcpIndex = 0;

  constructor({ suite, key }: SrtpKeys) {
    checkKey(suite, key);
    this.#rtp = newSrtpCipher(suite, key, 'rtp');
    this.#rtcp = newSrtpCipher(suite, key, 'rtcp');
  }

  protectRtp(packet: Buffer): Buffer {
    const headerBytes = rtpHeaderBytes(packet);
    if (headerBytes === undefined) throw new Error('Only an RTP packet can be protected');
    const ssrc = packet.readUInt32BE(8);
    const highest = this.#highest.get(ssrc) ?? -1;
    const index = estimateIndex(packet.readUInt16BE(2), highest);
    if (index > highest) this.#highest.set(ssrc, index);
    return this.#rtp.seal(packet, headerBytes, ssrc, index);
  }

  protectRtcp(packet: Buffer): Buffer {
    if (packet.length < rtcpHeaderBytes) throw new Error('Only an RTCP packet can be protected');
    this.#rtcpIndex++;
    return this.#rtcp.seal(packet, rtcpHeaderBytes, packet.readUInt32BE(4), this.#rtcpIndex);
  }
}

function checkKey(suite: SrtpSuite, key: Buffer): void {
  if (key.length !== keyBytesOf(suite)) throw new Error(`A key of ${suite} has ${keyBytesOf(suite)} bytes`);
}

/** Decrypts what we receive; nothing that is not authentic, or was received before, changes or yields anything. */
export class SrtpReceiver {
  readonly #rtp: SrtpCipher;
  readonly #rtcp: SrtpCipher;
  readonly #rtpSources = new Sources();
  readonly #rtcpSources = new Sources();

  constructor({ suite, key }: SrtpKeys) {
    checkKey(suite, key);
    this.#rtp = newSrtpCipher(suite, key, 'rtp');
    this.#rtcp = newSrtpCipher(suite, key, 'rtcp');
    this.#rtcpTrailer = srtpSuites[suite].isAead ? 4 : 4 + srtpSuites[suite].rtcpTagBytes;
  }

  /** Bytes from the word with the index to the end of the packet. */
  readonly #rtcpTrailer: number;

  unprotectRtp(packet: Buffer): Buffer | undefined {
    const headerBytes = rtpHeaderBytes(packet);
    if (headerBytes === undefined) return undefined;
    const ssrc = packet.readUInt32BE(8);
    const window = this.#rtpSources.find(ssrc);
    const index = estimateIndex(packet.readUInt16BE(2), window?.highest ?? -1);
    if (index < 0 || window?.has(index)) return undefined;
    const opened = this.#rtp.open(packet, headerBytes, ssrc, index);
    if (opened) (window ?? this.#rtpSources.add(ssrc)).add(index);
    return opened;
  }

  unprotectRtcp(packet: Buffer): Buffer | undefined {
    if (packet.length < rtcpHeaderBytes + this.#rtcpTrailer) return undefined;
    const ssrc = packet.readUInt32BE(4);
    const word = packet.readUInt32BE(packet.length - this.#rtcpTrailer);
    // Without the flag the packet is not encrypted, which we never agree to.
    if (word < 0x8000_0000) return undefined;
    const index = word - 0x8000_0000;
    const window = this.#rtcpSources.find(ssrc);
    if (window?.has(index)) return undefined;
    const opened = this.#rtcp.open(packet, rtcpHeaderBytes, ssrc, index);
    if (opened) (window ?? this.#rtcpSources.add(ssrc)).add(index);
    return opened;
  }
}

const mostSources = 64;

/** What was received of each SSRC; the oldest is forgotten when there are too many. */
class Sources {
  readonly #windows = new Map<number, ReplayWindow>();

  find(ssrc: number): ReplayWindow | undefined {
    return this.#windows.get(ssrc);
  }

  add(ssrc: number): ReplayWindow {
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined && this.#windows.size >= mostSources) this.#windows.delete(oldest);
    const window = new ReplayWindow();
    this.#windows.set(ssrc, window);
    return window;
  }
}

const windowSize = 128;

/** RFC 3711 §3.3.2: which of the last indices were received; older ones count as received. */
class ReplayWindow {
  highest = -1;
  readonly #received = new Uint8Array(windowSize);

  has(index: number): boolean {
    if (index > this.highest) return false;
    return this.highest - index >= windowSize || this.#received[index % windowSize] === 1;
  }

  add(index: number): void {
    if (index - this.highest >= windowSize) this.#received.fill(0);
    else for (let skipped = this.highest + 1; skipped < index; skipped++) this.#received[skipped % windowSize] = 0;
    this.#received[index % windowSize] = 1;
    this.highest = Math.max(this.highest, index);
  }
}

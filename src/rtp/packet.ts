/** The fixed header of RTP (RFC 3550 §5.1); we send neither CSRCs nor extensions. */
export const headerBytes = 12;

export type RtpHeader = {
  payloadType: number;
  isMarked: boolean;
  sequence: number;
  timestamp: number;
  ssrc: number;
};

export type RtpPacket = RtpHeader & { payload: Buffer };

export function writeRtpHeader(packet: Buffer, header: RtpHeader): void {
  const { sequence, timestamp, ssrc } = header;
  packet[0] = 0x80;
  packet[1] = header.payloadType | (header.isMarked ? 0x80 : 0);
  packet[2] = sequence >>> 8;
  packet[3] = sequence;
  packet[4] = timestamp >>> 24;
  packet[5] = timestamp >>> 16;
  packet[6] = timestamp >>> 8;
  packet[7] = timestamp;
  packet[8] = ssrc >>> 24;
  packet[9] = ssrc >>> 16;
  packet[10] = ssrc >>> 8;
  packet[11] = ssrc;
}

/** What a datagram says as RTP; undefined if it is none (RFC 3550 A.1). The payload is a view of the datagram. */
export function parseRtp(datagram: Buffer): RtpPacket | undefined {
  const first = datagram[0] ?? 0;
  const second = datagram[1] ?? 0;
  if (datagram.length < headerBytes || first >> 6 !== 2) return undefined;
  let start = headerBytes + 4 * (first & 0x0f);
  if (first & 0x10) {
    if (datagram.length < start + 4) return undefined;
    start += 4 + 4 * datagram.readUInt16BE(start + 2);
  }
  let end = datagram.length;
  if (first & 0x20) {
    const padding = datagram[end - 1] ?? 0;
    if (padding === 0) return undefined;
    end -= padding;
  }
  if (start > end) return undefined;
  return {
    payloadType: second & 0x7f,
    isMarked: second >= 0x80,
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc: datagram.readUInt32BE(8),
    payload: datagram.subarray(start, end),
  };
}

/** RFC 5761 §4: RTP and RTCP on one port are told apart by the second byte. */
export function isRtcp(datagram: Buffer): boolean {
  const type = datagram[1] ?? 0;
  return type >= 192 && type <= 223;
}

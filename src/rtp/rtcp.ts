/** One source as its receiver sees it (RFC 3550 §6.4.1). */
export type ReportBlock = {
  ssrc: number;
  /** Of 256. */
  fractionLost: number;
  lost: number;
  highest: number;
  jitter: number;
  lastSenderReport: number;
  /** In 1/65536 of a second. */
  delay: number;
};

export type SenderInfo = {
  ntpSeconds: number;
  ntpFraction: number;
  timestamp: number;
  packets: number;
  octets: number;
};

export type Rtcp = { sender: SenderInfo | undefined; blocks: ReportBlock[]; isBye: boolean };

const senderReport = 200;
const receiverReport = 201;
const sourceDescription = 202;
const goodbye = 203;

/** Seconds from 1900, as NTP counts, to 1970. */
const ntpEpoch = 2_208_988_800;

export function ntpOf(unixMs: number): { ntpSeconds: number; ntpFraction: number } {
  const ntpSeconds = Math.floor(unixMs / 1000) + ntpEpoch;
  return { ntpSeconds: ntpSeconds >>> 0, ntpFraction: Math.floor(((unixMs % 1000) / 1000) * 2 ** 32) >>> 0 };
}

/** The middle 32 bits of an NTP time: seconds and 1/65536 of them. */
export function middleOf({ ntpSeconds, ntpFraction }: { ntpSeconds: number; ntpFraction: number }): number {
  return ((ntpSeconds << 16) | (ntpFraction >>> 16)) >>> 0;
}

/** How long our report and the answer to it were on the way (§6.4.1); undefined if the clock of the peer is broken. */
export function roundTripMsOf(block: ReportBlock, unixMs: number): number | undefined {
  const elapsed = (middleOf(ntpOf(unixMs)) - block.lastSenderReport - block.delay) | 0;
  // Both clocks round: between near neighbours it can be a little below 0.
  const isPlausible = elapsed > -0x1000 && elapsed < 0x10_0000;
  return isPlausible ? (Math.max(0, elapsed) * 1000) / 65_536 : undefined;
}

/** A compound packet: the report, who we are and, at the end, goodbye (§6.1). */
export function writeRtcp(options: {
  ssrc: number;
  cname: string;
  sender: SenderInfo | undefined;
  block: ReportBlock | undefined;
  isBye?: boolean;
}): Buffer {
  const { ssrc, sender, block } = options;
  const report = Buffer.alloc(8 + (sender ? 20 : 0) + (block ? 24 : 0));
  writeHeader(report, block ? 1 : 0, sender ? senderReport : receiverReport);
  report.writeUInt32BE(ssrc, 4);
  if (sender) writeSender(report, sender);
  if (block) writeBlock(report, report.length - 24, block);
  const parts = [report, describeSource(ssrc, options.cname)];
  if (options.isBye) {
    const bye = Buffer.alloc(8);
    writeHeader(bye, 1, goodbye);
    bye.writeUInt32BE(ssrc, 4);
    parts.push(bye);
  }
  return Buffer.concat(parts);
}

function writeHeader(packet: Buffer, count: number, type: number): void {
  packet[0] = 0x80 | count;
  packet[1] = type;
  packet.writeUInt16BE(packet.length / 4 - 1, 2);
}

function writeSender(report: Buffer, sender: SenderInfo): void {
  report.writeUInt32BE(sender.ntpSeconds, 8);
  report.writeUInt32BE(sender.ntpFraction, 12);
  report.writeUInt32BE(sender.timestamp, 16);
  report.writeUInt32BE(sender.packets >>> 0, 20);
  report.writeUInt32BE(sender.octets >>> 0, 24);
}

function writeBlock(report: Buffer, at: number, block: ReportBlock): void {
  report.writeUInt32BE(block.ssrc, at);
  report[at + 4] = block.fractionLost;
  report.writeIntBE(block.lost, at + 5, 3);
  report.writeUInt32BE(block.highest, at + 8);
  report.writeUInt32BE(block.jitter, at + 12);
  report.writeUInt32BE(block.lastSenderReport, at + 16);
  report.writeUInt32BE(block.delay, at + 20);
}

function describeSource(ssrc: number, cname: string): Buffer {
  const name = Buffer.from(cname);
  // The list of items ends with a zero, and with more of them up to a full word (§6.5).
  const packet = Buffer.alloc(Math.ceil((4 + 4 + 2 + name.length + 1) / 4) * 4);
  writeHeader(packet, 1, sourceDescription);
  packet.writeUInt32BE(ssrc, 4);
  packet[8] = 1;
  packet[9] = name.length;
  name.copy(packet, 10);
  return packet;
}

/** What a compound packet says; undefined if it is none. */
export function parseRtcp(datagram: Buffer): Rtcp | undefined {
  const result: Rtcp = { sender: undefined, blocks: [], isBye: false };
  let at = 0;
  while (at < datagram.length) {
    if (datagram.length - at < 4 || (datagram[at] ?? 0) >> 6 !== 2) return undefined;
    const end = at + 4 * (datagram.readUInt16BE(at + 2) + 1);
    if (end > datagram.length) return undefined;
    readPart(datagram.subarray(at, end), result);
    at = end;
  }
  return at === 0 ? undefined : result;
}

function readPart(part: Buffer, result: Rtcp): void {
  const type = part[1];
  if (type === goodbye) result.isBye = true;
  const isSender = type === senderReport && part.length >= 28;
  if (isSender) {
    result.sender = {
      ntpSeconds: part.readUInt32BE(8),
      ntpFraction: part.readUInt32BE(12),
      timestamp: part.readUInt32BE(16),
      packets: part.readUInt32BE(20),
      octets: part.readUInt32BE(24),
    };
  }
  if (!isSender && type !== receiverReport) return;
  const count = (part[0] ?? 0) & 0x1f;
  for (let i = 0, at = isSender ? 28 : 8; i < count && at + 24 <= part.length; i++, at += 24) {
    result.blocks.push({
      ssrc: part.readUInt32BE(at),
      fractionLost: part[at + 4] ?? 0,
      lost: part.readIntBE(at + 5, 3),
      highest: part.readUInt32BE(at + 8),
      jitter: part.readUInt32BE(at + 12),
      lastSenderReport: part.readUInt32BE(at + 16),
      delay: part.readUInt32BE(at + 20),
    });
  }
}

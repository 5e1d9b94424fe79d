import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { babble, resemblance } from '../../test/harness/audio.ts';
import { plainMedia } from '../../test/harness/media.ts';
import { codecNamed } from './codecs.ts';
import { Media, type MediaOptions } from './media.ts';
import type { MediaLine } from './media-line.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { isRtcp, parseRtp, type RtpPacket, writeRtpHeader } from './packet.ts';
import { joined } from './pcm.ts';
import { middleOf, ntpOf, parseRtcp, type Rtcp, writeRtcp } from './rtcp.ts';
import { newSrtpKey, type SrtpKeys, SrtpSender } from './srtp.ts';
import { readWav } from './wav.ts';

const host = '127.0.0.1';
let nextPort = 31_000;

function newMedia(options: Partial<MediaOptions> = {}): Media {
  const from = nextPort;
  nextPort += 100;
  const media = new Media({ host, ports: { from, to: from + 99 }, ...options });
  after(() => media.close());
  return media;
}

/** A phone that speaks plain RTP. */
class Phone {
  readonly received: RtpPacket[] = [];
  readonly reports: Rtcp[] = [];
  readonly #socket: Socket;
  sequence = 100;
  timestamp = 5_000;

  static async open(address = host): Promise<Phone> {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    after(() => socket.close());
    return new Phone(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (datagram) => {
      const report = isRtcp(datagram) ? parseRtcp(datagram) : undefined;
      const packet = parseRtp(datagram);
      if (report) this.reports.push(report);
      else if (packet) this.received.push(packet);
    });
  }

  get port(): number {
    return (this.#socket.address() as AddressInfo).port;
  }

  sendBytes(port: number, datagram: Buffer): void {
    this.#socket.send(datagram, port, host);
  }

  /** A packet of a loud sound, as the next one of the stream. */
  packet(ssrc = 77): Buffer {
    const datagram = Buffer.alloc(172);
    writeRtpHeader(datagram, {
      payloadType: 0,
      isMarked: false,
      sequence: this.sequence++ & 0xffff,
      timestamp: this.timestamp,
      ssrc,
    });
    this.timestamp += 160;
    codecNamed('PCMU').newEncoder()(loud, datagram.subarray(12));
    return datagram;
  }

  /** Speaks for some packets of 20 ms. */
  async speak(port: number, packets: number): Promise<void> {
    for (let i = 0; i < packets; i++) {
      this.sendBytes(port, this.packet());
      await sleep(20);
    }
  }

  /** Until something has come, or so many packets of sound. */
  async hears(packets = 1): Promise<void> {
    const wanted = this.received.length + packets;
    while (this.received.length < wanted) await once(this.#socket, 'message', { signal: AbortSignal.timeout(5_000) });
  }

  async hearsReport(): Promise<Rtcp> {
    while (this.reports.length === 0) await once(this.#socket, 'message', { signal: AbortSignal.timeout(5_000) });
    return this.reports.at(-1) as Rtcp;
  }
}

const loud = Int16Array.from({ length: 160 }, (_, i) => 12_000 * Math.sin((2 * Math.PI * i) / 16));

const agreed = (rtpPort: number, change: Partial<NegotiatedMedia> = {}) =>
  plainMedia({ host, rtpPort, rtcpPort: rtpPort }, change);

async function pair(change: Partial<NegotiatedMedia> = {}, media = shared): Promise<[MediaLine, MediaLine]> {
  const lines: [MediaLine, MediaLine] = [await media.open(), await media.open()];
  connect(lines, change);
  return lines;
}

function connect([one, other]: [MediaLine, MediaLine], change: Partial<NegotiatedMedia>): void {
  one.connect(agreed(other.port, change));
  other.connect(agreed(one.port, change));
}

/** What a line hears, and how loud the loudest of it was. */
function listen(line: MediaLine): { pcm: () => Int16Array; loudest: () => number } {
  const heard: Int16Array[] = [];
  line.handlers = { onHeard: (pcm) => heard.push(pcm) };
  const pcm = () => joined(...heard);
  return { pcm, loudest: () => pcm().reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) };
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 5_000; !(await isDone()); await sleep(10)) {
    assert.ok(performance.now() < end, 'It did not happen within 5 s');
  }
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'parley-session-'));
  after(() => rm(made, { recursive: true, force: true }));
  return made;
}

// One thread for all of them, as in the service.
const shared = newMedia();

describe('a call', { concurrency: true }, () => {
  it('sends its first packet at once, with the marker', async () => {
    const media = shared;
    const phone = await Phone.open();
    const tookMs: number[] = [];
    for (let call = 0; call < 5; call++) {
      const line = await media.open();
      const began = performance.now();
      line.connect(agreed(phone.port));
      await phone.hears();
      tookMs.push(performance.now() - began);
      await line.close();
    }
    assert.ok(Math.min(...tookMs) < 12, tookMs.join(' '));
    assert.equal(phone.received[0]?.isMarked, true);
    assert.equal(phone.received[0]?.payload.length, 160);
  });

  for (const [change, way] of [
    [{}, 'as events'],
    [{ telephoneEvents: undefined }, 'as tones'],
    [{ telephoneEvents: undefined, codec: 'G722', payloadTypes: { send: 9, receive: 9 } }, 'as tones in G.722'],
  ] as const) {
    it(`carries keys both ways ${way}, each once, and the sound goes on`, async () => {
      const [caller, callee] = await pair(change);
      const [atCaller, atCallee]: [string[], string[]] = [[], []];
      const heard: Int16Array[] = [];
      caller.handlers = { onDigit: (digit) => atCaller.push(digit) };
      callee.handlers = { onDigit: (digit) => atCallee.push(digit), onHeard: (pcm) => heard.push(pcm) };
      const rate = 'codec' in change ? 16_000 : 8_000;
      const said = babble(2, rate);
      if (change.telephoneEvents === undefined && way !== 'as events') {
        caller.sendDigits('123#');
        callee.sendDigits('*0');
        await caller.play(said.slice());
      } else {
        const playing = caller.play(said.slice());
        await sleep(300);
        caller.sendDigits('123#');
        callee.sendDigits('*0');
        await playing;
      }
      await caller.play(new Int16Array(rate / 5));
      assert.equal(atCallee.join(''), '123#');
      assert.equal(atCaller.join(''), '*0');
      const all = joined(...heard);
      // All of the second second came after the keys.
      assert.ok(resemblance(said.subarray(rate), all, rate) > 0.97);
    });
  }

  it('says nothing on hold and goes on as the same stream', async () => {
    const media = shared;
    const phone = await Phone.open();
    const line = await media.open();
    line.connect(agreed(phone.port));
    await phone.hears(10);
    const holds = [
      { sends: false },
      { sends: false, receives: false },
      { sends: false, receives: false, remote: { host: '0.0.0.0', rtpPort: phone.port, rtcpPort: phone.port } },
    ];
    for (const hold of holds) {
      line.connect(agreed(phone.port, hold));
      await line.report();
      await sleep(5);
      const count = phone.received.length;
      await sleep(150);
      assert.equal(phone.received.length, count);
      line.connect(agreed(phone.port));
      await phone.hears(3);
      const [last, first] = [phone.received[count - 1], phone.received[count]] as [RtpPacket, RtpPacket];
      assert.equal(first.ssrc, last.ssrc);
      assert.equal(first.sequence, (last.sequence + 1) & 0xffff);
      assert.equal(first.isMarked, true);
      const skipped = ((first.timestamp - last.timestamp) >>> 0) / 160;
      assert.ok(Number.isInteger(skipped) && skipped >= 7 && skipped < 40, String(skipped));
    }
    await phone.speak(line.port, 5);
    await until(async () => (await line.report()).receivedPackets === 5);
  });

  it('goes on with another codec, within the sentence if the rate stays', async () => {
    const lines = await pair();
    const [caller, callee] = lines;
    const heard: Int16Array[] = [];
    callee.handlers = { onHeard: (pcm) => heard.push(pcm) };
    const said = babble(2);
    const playing = caller.play(said.slice());
    await sleep(900);
    connect(lines, { codec: 'PCMA', payloadTypes: { send: 8, receive: 8 } });
    assert.deepEqual(await playing, { playedMs: 2_000, isComplete: true });
    const interrupted = caller.play(babble(2));
    await sleep(300);
    // A little is lost at the change, where the new buffer fills.
    const narrow = joined(...heard);
    assert.ok(resemblance(said.subarray(10_000), narrow.subarray(9_000)) > 0.98);
    connect(lines, { codec: 'G722', payloadTypes: { send: 9, receive: 9 } });
    const { playedMs, isComplete } = await interrupted;
    assert.equal(isComplete, false);
    assert.ok(playedMs > 100 && playedMs < 1_500, String(playedMs));
    const wide = babble(1, 16_000, 3);
    heard.length = 0;
    assert.equal((await caller.play(wide.slice())).playedMs, 1_000);
    await caller.play(new Int16Array(3_200));
    assert.ok(resemblance(wide, joined(...heard.filter(({ length }) => length === 320)), 16_000) > 0.97);
    // One that is under way when the rate changes is not understood any more.
    const report = await callee.close();
    assert.ok(report.lostPackets <= 1, String(report.lostPackets));
  });

  for (const sockets of ['direct', 'dgram'] as const) {
    if (sockets === 'direct' && process.platform !== 'linux') continue;
    it(`hears nobody but its peer, over ${sockets} sockets`, async () => {
      const media = newMedia({ sockets });
      const [phone, stranger] = [await Phone.open(), await Phone.open()];
      const strangers = process.platform === 'linux' ? [stranger, await Phone.open('127.0.0.2')] : [stranger];
      const line = await media.open();
      const heard = listen(line);
      const spray = (): void => {
        for (const each of strangers) {
          Object.assign(each, { sequence: phone.sequence, timestamp: phone.timestamp });
          for (let i = 0; i < 5; i++) {
            const bye = { ssrc: 77, cname: 'x', sender: undefined, block: undefined, isBye: true };
            for (const port of [line.port, line.port + 1]) {
              each.sendBytes(port, each.packet());
              each.sendBytes(port, writeRtcp(bye));
            }
          }
        }
      };
      spray();
      await sleep(30);
      line.connect(agreed(phone.port, { remote: { host, rtpPort: phone.port, rtcpPort: stranger.port + 1 } }));
      for (let i = 0; i < 5; i++) {
        spray();
        await sleep(20);
      }
      assert.equal((await line.report()).receivedPackets, 0);
      assert.equal(heard.loudest(), 0);
      await phone.speak(line.port, 10);
      spray();
      await sleep(60);
      const { receivedPackets, lostPackets, rejectedPackets } = await line.report();
      assert.deepEqual([receivedPackets, lostPackets, rejectedPackets], [10, 0, 0]);
      assert.ok(heard.loudest() > 10_000);
      assert.equal(stranger.received.length, 0);
    });
  }

  it('hears a peer that moved only after it was agreed', async () => {
    const media = shared;
    const [phone, moved] = [await Phone.open(), await Phone.open()];
    const line = await media.open();
    line.connect(agreed(phone.port));
    await phone.hears();
    await phone.speak(line.port, 3);
    await moved.speak(line.port, 3);
    await until(async () => (await line.report()).receivedPackets === 3);
    line.connect(agreed(moved.port));
    await moved.hears(2);
    const before = phone.received.length;
    moved.sequence = phone.sequence;
    await moved.speak(line.port, 3);
    await phone.speak(line.port, 3);
    await until(async () => (await line.report()).receivedPackets === 6);
    assert.ok(phone.received.length <= before + 1);
  });

  it('hears nothing that is not encrypted by its peer', async () => {
    const media = shared;
    const phone = await Phone.open();
    const keys = (): SrtpKeys => ({ suite: 'AES_CM_128_HMAC_SHA1_80', key: newSrtpKey('AES_CM_128_HMAC_SHA1_80') });
    const srtp = { ours: keys(), theirs: keys() };
    const line = await media.open();
    const heard = listen(line);
    line.connect(agreed(phone.port, { srtp }));
    await phone.hears();
    const sealed = new SrtpSender(srtp.theirs);
    const wrong = new SrtpSender(srtp.ours);
    for (let i = 0; i < 5; i++) {
      phone.sendBytes(line.port, phone.packet());
      phone.sendBytes(line.port, wrong.protectRtp(phone.packet()));
      const tampered = sealed.protectRtp(phone.packet());
      tampered[20] = (tampered[20] ?? 0) ^ 1;
      phone.sendBytes(line.port, tampered);
      await sleep(20);
    }
    await until(async () => (await line.report()).rejectedPackets === 15);
    assert.equal((await line.report()).receivedPackets, 0);
    assert.equal(heard.loudest(), 0);
    for (let i = 0; i < 8; i++) {
      const packet = sealed.protectRtp(phone.packet());
      phone.sendBytes(line.port, packet);
      phone.sendBytes(line.port, packet); // a replay
      await sleep(20);
    }
    await until(async () => (await line.report()).rejectedPackets === 23);
    assert.equal((await line.report()).receivedPackets, 8);
    assert.ok(heard.loudest() > 10_000);
    await line.close();
  });

  it('says goodbye on the port of RTP where it is shared, and else on its own', async () => {
    for (const isShared of [true, false]) {
      const media = shared;
      const [phone, control] = [await Phone.open(), await Phone.open()];
      const line = await media.open();
      const rtcpPort = isShared ? phone.port : control.port;
      line.connect(agreed(phone.port, { remote: { host, rtpPort: phone.port, rtcpPort } }));
      await phone.hears(3);
      await line.close();
      const report = await (isShared ? phone : control).hearsReport();
      assert.equal(report.isBye, true);
      assert.equal(report.sender?.packets, phone.received.length);
      assert.equal(report.sender?.octets, phone.received.length * 160);
    }
  });

  it('knows from the reports of its peer how far that is and what it lost', async () => {
    for (const isShared of [true, false]) {
      const media = shared;
      const [phone, control] = [await Phone.open(), await Phone.open()];
      const line = await media.open();
      const rtcpPort = isShared ? phone.port : control.port;
      line.connect(agreed(phone.port, { remote: { host, rtpPort: phone.port, rtcpPort } }));
      await phone.hears();
      const [{ ssrc }] = phone.received as [RtpPacket];
      const lastSenderReport = middleOf(ntpOf(performance.timeOrigin + performance.now() - 1_050));
      const block = { ssrc, fractionLost: 0, lost: 4, highest: 9, jitter: 80, lastSenderReport, delay: 65_536 };
      const other = { ...block, ssrc: (ssrc ^ 1) >>> 0, lost: 9 };
      const say = (each: typeof block) => {
        const report = writeRtcp({ ssrc: 77, cname: 'x', sender: undefined, block: each });
        (isShared ? phone : control).sendBytes(isShared ? line.port : line.port + 1, report);
      };
      say(block);
      say(other);
      await until(async () => (await line.report()).peerLostPackets !== null);
      const { roundTripMs, peerLostPackets, peerJitterMs } = await line.report();
      assert.ok(roundTripMs !== null && roundTripMs >= 49 && roundTripMs < 250, String(roundTripMs));
      assert.deepEqual([peerLostPackets, peerJitterMs], [4, 10]);
    }
  });

  it('goes on when it cannot be recorded, and says so', async () => {
    const [caller, callee] = await pair();
    const failures: string[] = [];
    caller.handlers = { onRecordingFailed: (reason) => failures.push(reason) };
    caller.record(join(await folder(), 'missing', 'call.wav'));
    const said = babble(1);
    const heard = listen(callee);
    await caller.play(said.slice());
    await caller.play(new Int16Array(1_600));
    assert.equal(failures.length, 1);
    assert.match(failures[0] ?? '', /ENOENT/);
    assert.ok(resemblance(said, heard.pcm()) > 0.99);
    await caller.close();
  });

  it('is recorded at the rate of its codec though that was not known yet, and keeps the rate', async () => {
    const media = shared;
    const lines: [MediaLine, MediaLine] = [await media.open(), await media.open()];
    const file = join(await folder(), 'call.wav');
    lines[0].record(file);
    connect(lines, { codec: 'G722', payloadTypes: { send: 9, receive: 9 } });
    const wide = babble(1, 16_000);
    await lines[0].play(wide.slice());
    connect(lines, {});
    await lines[0].play(babble(1, 8_000, 2));
    await lines[0].close();
    const { channels, sampleRate } = readWav(await readFile(file));
    assert.equal(sampleRate, 16_000);
    const [left] = channels as [Int16Array];
    assert.ok(left.length >= 2 * 16_000 && left.length <= 2.5 * 16_000, String(left.length));
    assert.ok(resemblance(wide, left, 16_000) > 0.99);
  });

  it('is told once when nothing comes any more, and again after something came', async () => {
    const media = newMedia({ stalledAfterMs: 200 });
    const phone = await Phone.open();
    const line = await media.open();
    let stalled = 0;
    line.handlers = { onStalled: () => stalled++ };
    line.connect(agreed(phone.port));
    await phone.hears();
    await phone.speak(line.port, 15);
    assert.equal(stalled, 0);
    await sleep(500);
    assert.equal(stalled, 1);
    await phone.speak(line.port, 2);
    await until(() => stalled === 2);
    line.connect(agreed(phone.port, { receives: false }));
    await sleep(400);
    assert.equal(stalled, 2);
  });
});

import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { babble, resemblance } from '../../test/harness/audio.ts';
import { plainMedia } from '../../test/harness/media.ts';
import { Media, type MediaOptions } from './media.ts';
import type { MediaLine, Played } from './media-line.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { joined } from './pcm.ts';
import { type LocalMedia, SdpSide } from './sdp.ts';
import { readWav } from './wav.ts';

const host = '127.0.0.1';

function newMedia(options: Partial<MediaOptions> = {}): Media {
  const media = new Media({ host, ports: { from: 30_000, to: 30_999 }, ...options });
  after(() => media.close());
  return media;
}

/** Two lines that have agreed on each other. */
async function talking(media: Media, options: Partial<LocalMedia> = {}): Promise<[MediaLine, MediaLine]> {
  const [caller, callee] = await Promise.all([media.open(), media.open()]);
  const ours = new SdpSide({ host, port: caller.port, srtp: false, ...options });
  const theirs = new SdpSide({ host, port: callee.port, srtp: false });
  const answer = theirs.answer(ours.offer());
  assert.ok(typeof answer !== 'string', String(answer));
  const settled = ours.accept(answer.sdp);
  assert.ok(typeof settled !== 'string', String(settled));
  callee.connect(answer.media);
  caller.connect(settled);
  return [caller, callee];
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'parley-media-'));
  after(() => rm(made, { recursive: true, force: true }));
  return made;
}

describe('two lines', { concurrency: true }, () => {
  for (const sockets of ['direct', 'dgram'] as const) {
    const skip = sockets === 'direct' && process.platform !== 'linux' && 'only on Linux';
    for (const srtp of [false, true]) {
      const way = `${srtp ? 'encrypted' : 'in the clear'} over ${sockets} sockets`;
      it(`hear each other as they spoke, ${way}, and record it`, { skip }, async () => {
        const media = newMedia({ sockets });
        const [caller, callee] = await talking(media, { srtp });
        const file = join(await folder(), 'call.wav');
        caller.record(file);
        const [said, answered] = [babble(2, 8_000, 1), babble(2, 8_000, 2)];
        const heard: Int16Array[] = [];
        callee.handlers = { onHeard: (pcm) => heard.push(pcm) };
        const played = await Promise.all([caller.play(said.slice()), callee.play(answered.slice())]);
        assert.deepEqual(played, Array<Played>(2).fill({ playedMs: 2_000, isComplete: true }));
        await caller.play(new Int16Array(8_000 / 2)); // until the last of theirs is through
        const report = await caller.close();
        assert.equal(report.lostPackets, 0);
        assert.ok(report.receivedPackets >= 100, String(report.receivedPackets));
        assert.ok(resemblance(said, joined(...heard)) > 0.99);
        const { channels, sampleRate } = readWav(await readFile(file));
        assert.equal(sampleRate, 8_000);
        const [left, right] = channels;
        assert.ok(left && right);
        assert.ok(resemblance(said, left) > 0.999);
        assert.ok(resemblance(answered, right) > 0.99);
      });
    }
  }
});

function agreedWith(peer: string, rtpPort: number): NegotiatedMedia {
  return plainMedia({ host: peer, rtpPort, rtcpPort: rtpPort + 1 }, { telephoneEvents: undefined });
}

/** Another program that holds a port. */
async function hold(port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(port, host);
  await once(socket, 'listening');
  return socket;
}

for (const sockets of ['direct', 'dgram'] as const) {
  const isLinux = process.platform === 'linux';
  describe(`the ports of ${sockets} sockets`, { skip: sockets === 'direct' && !isLinux && 'only on Linux' }, () => {
    it('are refused when all are in use, and come back, the longest unused first', async () => {
      const media = newMedia({ sockets, ports: { from: 29_000, to: 29_005 } });
      const lines = await Promise.all([media.open(), media.open(), media.open()]);
      assert.deepEqual(
        lines.map(({ port }) => port),
        [29_000, 29_002, 29_004],
      );
      await assert.rejects(media.open(), { message: 'All ports for media are in use' });
      assert.equal((await media.state()).freePorts, 0);
      assert.equal(media.size, 3);
      const [first, second] = lines;
      await second.close();
      await first.close();
      assert.equal((await media.open()).port, 29_002);
      assert.equal((await media.open()).port, 29_000);
    });

    it('are passed over when another program holds one of a pair', async () => {
      const held = await Promise.all([hold(29_010), hold(29_013)]);
      const media = newMedia({ sockets, ports: { from: 29_010, to: 29_015 } });
      assert.equal((await media.open()).port, 29_014);
      await assert.rejects(media.open(), { message: 'All ports for media are in use' });
      for (const socket of held) socket.close();
      assert.ok([29_010, 29_012].includes((await media.open()).port));
    });

    it('are told why they cannot be opened at all', async () => {
      const media = newMedia({ sockets, host: '192.0.2.77', ports: { from: 29_020, to: 29_029 } });
      await assert.rejects(media.open(), /bind/);
      assert.equal((await media.state()).freePorts, 5);
      assert.equal(media.size, 0);
    });

    const hasIPv6 = networkInterfaces()['lo']?.some(({ address }) => address === '::1');
    it('are those of IPv6 as well, however the address is written', { skip: !hasIPv6 && 'no IPv6' }, async () => {
      const media = newMedia({ sockets, host: '::1', ports: { from: 29_030, to: 29_039 } });
      const lines = [await media.open(), await media.open()] as const;
      lines[0].connect(agreedWith('0:0:0::0:1', lines[1].port));
      lines[1].connect(agreedWith('::0001', lines[0].port));
      await lines[0].play(new Int16Array(1_600));
      for (const line of lines) assert.ok((await line.close()).receivedPackets >= 5);
    });

    it('are free and their descriptors closed after 2,000 calls', { skip: !isLinux && 'only on Linux' }, async () => {
      const descriptors = async () => (await readdir('/proc/self/fd')).length;
      const media = newMedia({ sockets, ports: { from: 29_100, to: 29_199 } });
      const call = async (): Promise<void> => {
        const line = await media.open();
        line.connect(agreedWith(host, 9));
        await line.close();
      };
      await call();
      const before = await descriptors();
      for (let round = 0; round < 50; round++) await Promise.all(Array.from({ length: 40 }, call));
      assert.equal((await media.state()).freePorts, 50);
      assert.ok(Math.abs((await descriptors()) - before) <= 1);
    });

    it('are free again after the media was closed, though some were only being opened', async () => {
      const descriptors = async () => (isLinux ? (await readdir('/proc/self/fd')).length : 0);
      const ports = { from: 29_200, to: 29_219 };
      await new Media({ host, sockets, ports }).close();
      const before = await descriptors();
      const media = new Media({ host, sockets, ports });
      const open = await media.open();
      const opening = Array.from({ length: 5 }, () => media.open());
      const closing = media.close();
      assert.equal(media.close(), closing);
      await closing;
      for (const each of await Promise.allSettled(opening)) {
        if (each.status === 'rejected') assert.equal(each.reason.message, 'The line was closed');
      }
      assert.deepEqual(await open.play(new Int16Array(160)), { playedMs: 0, isComplete: false });
      assert.equal((await open.report()).sentPackets, 0);
      await assert.rejects(media.open());
      await assert.rejects(media.state());
      for (let port = ports.from; port <= ports.to; port++) (await hold(port)).close();
      await sleep(10);
      assert.equal(await descriptors(), before);
    });
  });
}

describe('the thread of the media', () => {
  it('tells every line when it fails', async () => {
    const media = new Media({ host, ports: null as never });
    const lines = [media.open(), media.open()];
    const state = media.state();
    for (const promise of [...lines, state, media.open()]) await assert.rejects(promise, TypeError);
    await assert.rejects(media.open(), TypeError);
    await assert.rejects(media.state(), TypeError);
    await media.close();
  });

  it('ends only the call in which something is wrong', async () => {
    const media = newMedia({ ports: { from: 29_300, to: 29_319 } });
    const [caller, callee] = await talking(media);
    const broken = await media.open();
    const failures: string[] = [];
    broken.handlers = { onFailure: ({ message }) => failures.push(message) };
    assert.deepEqual(await broken.play(new Int16Array(160)), { playedMs: 0, isComplete: false });
    assert.deepEqual(failures, ['Nothing can be played before the media is negotiated']);
    await broken.close();
    assert.equal(media.size, 2);
    const said = babble(1);
    const heard: Int16Array[] = [];
    callee.handlers = { onHeard: (pcm) => heard.push(pcm) };
    await caller.play(said.slice());
    await caller.play(new Int16Array(1_600));
    assert.ok(resemblance(said, joined(...heard)) > 0.99);
  });

  it('obeys nothing for a call that is being closed', async () => {
    const media = newMedia({ ports: { from: 29_320, to: 29_339 } });
    const [caller] = await talking(media);
    caller.record(join(await folder(), 'call.wav'));
    const playing = caller.play(babble(1));
    await caller.report();
    const closed = caller.close();
    caller.sendDigits('1');
    caller.stopPlaying();
    assert.equal((await playing).isComplete, false);
    assert.ok((await closed).sentPackets > 0);
    assert.equal((await media.state()).freePorts, 9);
  });
});

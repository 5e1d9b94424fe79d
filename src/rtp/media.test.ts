import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { babble, resemblance } from '../../test/harness/audio.ts';
import { Media, type MediaOptions } from './media.ts';
import type { MediaLine, Played } from './media-line.ts';
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

for (const sockets of ['direct', 'dgram'] as const) {
  const options = { skip: sockets === 'direct' && process.platform !== 'linux' && 'only on Linux' };
  describe(`two lines over ${sockets} sockets`, options, () => {
    for (const srtp of [false, true]) {
      it(`hear each other as they spoke, ${srtp ? 'encrypted' : 'in the clear'}, and record it`, async () => {
        const media = newMedia({ sockets });
        const [caller, callee] = await talking(media, { srtp });
        const file = join(await folder(), 'call.wav');
        caller.record(file);
        const [said, answered] = [babble(3, 8_000, 1), babble(3, 8_000, 2)];
        const heard: Int16Array[] = [];
        callee.handlers = { onHeard: (pcm) => heard.push(pcm) };
        const played = await Promise.all([caller.play(said.slice()), callee.play(answered.slice())]);
        assert.deepEqual(played, Array<Played>(2).fill({ playedMs: 3_000, isComplete: true }));
        await caller.play(new Int16Array(8_000 / 2)); // until the last of theirs is through
        const report = await caller.close();
        assert.equal(report.lostPackets, 0);
        assert.ok(report.receivedPackets >= 150, String(report.receivedPackets));
        assert.ok(resemblance(said, joined(heard)) > 0.99);
        const { channels, sampleRate } = readWav(await readFile(file));
        assert.equal(sampleRate, 8_000);
        const [left, right] = channels;
        assert.ok(left && right);
        assert.ok(resemblance(said, left) > 0.999);
        assert.ok(resemblance(answered, right) > 0.99);
      });
    }
  });
}

function joined(parts: Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

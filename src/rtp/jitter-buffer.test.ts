import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { babble, randomFrom } from '../../test/harness/audio.ts';
import { JitterBuffer } from './jitter-buffer.ts';

const perMs = 8;
const frame = 20 * perMs;

type Packet = { arrivesMs: number; position: number; pcm: Int16Array };

/** A sound as packets, each arriving when its last sample was spoken. */
function packetsOf(sound: Int16Array, packetMs = 20): Packet[] {
  const length = packetMs * perMs;
  return Array.from({ length: Math.floor(sound.length / length) }, (_, i) => ({
    arrivesMs: (i + 1) * packetMs,
    position: i * length,
    pcm: sound.subarray(i * length, (i + 1) * length),
  }));
}

/** What is heard of some packets when 20 ms are taken every 20 ms; `phaseMs` later than a packet could have come. */
function hear(packets: Packet[], durationMs: number, buffer = new JitterBuffer(8_000), phaseMs = 5): Int16Array {
  const queue = packets.toSorted((a, b) => a.arrivesMs - b.arrivesMs);
  const heard = new Int16Array(durationMs * perMs);
  let next = 0;
  for (let atMs = 0; atMs < durationMs; atMs += 20) {
    for (let packet = queue[next]; packet && packet.arrivesMs <= atMs + phaseMs; packet = queue[++next]) {
      buffer.put(packet.position, packet.pcm, packet.pcm.length);
    }
    buffer.take(heard.subarray(atMs * perMs, atMs * perMs + frame));
  }
  return heard;
}

/** Of packets of 20 ms: they come after 20 ms, wait for 40, and the first 5 ms are blended in. */
const delayMs = 60;

function assertSameFrom(heard: Int16Array, said: Int16Array, fromMs: number, toMs: number, behindMs = delayMs): void {
  const expected = said.subarray(fromMs * perMs, toMs * perMs);
  const actual = heard.subarray((fromMs + behindMs) * perMs, (toMs + behindMs) * perMs);
  assert.equal(actual.length, expected.length);
  const wrong = expected.findIndex((sample, i) => sample !== actual[i]);
  assert.equal(wrong, -1, `differs ${fromMs + wrong / perMs} ms into what was said`);
}

const rms = (pcm: Int16Array) => Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);
const largestJump = (pcm: Int16Array) =>
  pcm.reduce((most, sample, i) => (i === 0 ? 0 : Math.max(most, Math.abs(sample - (pcm[i - 1] ?? 0)))), 0);

/** As a vowel: one pitch and some harmonics. */
function vowel(seconds: number): Int16Array {
  return Int16Array.from({ length: seconds * 8_000 }, (_, i) => {
    const phase = (2 * Math.PI * 140 * i) / 8_000;
    return 6_000 * Math.sin(phase) + 2_000 * Math.sin(2 * phase) + 1_000 * Math.sin(5 * phase);
  });
}

describe('a steady stream', () => {
  for (const packetMs of [10, 20, 30, 40, 60]) {
    it(`is heard bit for bit, in packets of ${packetMs} ms`, () => {
      const said = babble(2);
      const buffer = new JitterBuffer(8_000);
      const heard = hear(packetsOf(said, packetMs), 2_000, buffer);
      // The packet arrives at a multiple of its length, and what is heard begins with the next take.
      const behind = Math.ceil((packetMs - 5) / 20) * 20 + 40;
      assertSameFrom(heard, said, 5, 1_800, behind);
      assert.equal(rms(heard.subarray(0, behind * perMs)), 0);
      assert.deepEqual(buffer.counts, { concealedMs: 0, latePackets: 0 });
    });
  }

  it('is heard the same when it begins late', () => {
    const said = babble(1);
    const late = packetsOf(said).map((packet) => ({ ...packet, arrivesMs: packet.arrivesMs + 5_000 }));
    assertSameFrom(hear(late, 6_000), said, 5, 900, 5_000 + delayMs);
  });

  it('is heard the same from a large or negative position on', () => {
    for (const start of [2 ** 31 - 1_000, 2 ** 33, -1_000, 3]) {
      const said = babble(1);
      const moved = packetsOf(said).map((packet) => ({ ...packet, position: packet.position + start }));
      assertSameFrom(hear(moved, 1_000), said, 6, 900);
    }
  });

  it('is heard the same at 16 kHz', () => {
    const said = babble(1, 16_000);
    const buffer = new JitterBuffer(16_000);
    const heard = new Int16Array(said.length);
    for (let at = 0; at + 320 <= said.length; at += 320) {
      buffer.put(at, said.subarray(at, at + 320), 320);
      buffer.take(heard.subarray(at, at + 320));
    }
    assert.deepEqual(heard.subarray(640 + 80, 15_000), said.subarray(80, 15_000 - 640));
  });
});

describe('packets in disorder', () => {
  it('are heard in order', () => {
    const said = babble(1);
    // Every second one comes 25 ms later, after its successor.
    const reordered = packetsOf(said).map((packet, i) => ({ ...packet, arrivesMs: packet.arrivesMs + (i % 2) * 25 }));
    const buffer = new JitterBuffer(8_000);
    assertSameFrom(hear(reordered, 1_000, buffer), said, 5, 900);
    assert.deepEqual(buffer.counts, { concealedMs: 0, latePackets: 0 });
  });

  it('are heard once when they come twice', () => {
    const said = babble(1);
    const doubled = packetsOf(said).flatMap((packet) => [packet, { ...packet, arrivesMs: packet.arrivesMs + 15 }]);
    assertSameFrom(hear(doubled, 1_000), said, 5, 900);
  });

  it('are counted as late and left out when others were heard in their place', () => {
    const said = babble(1);
    const packets = packetsOf(said);
    (packets[20] as Packet).arrivesMs += 100;
    const buffer = new JitterBuffer(8_000);
    const heard = hear(packets, 1_000, buffer);
    assertSameFrom(heard, said, 5, 400);
    assertSameFrom(heard, said, 425, 900);
    assert.deepEqual(buffer.counts, { concealedMs: 20, latePackets: 1 });
  });

  it('are heard from the middle when only their beginning is late', () => {
    const said = babble(1);
    const packets = packetsOf(said, 60);
    // The fifth one, of 240 to 300 ms, comes after the sixth, when 40 ms of it should have been heard.
    (packets[4] as Packet).arrivesMs += 80;
    (packets[5] as Packet).arrivesMs -= 30;
    const buffer = new JitterBuffer(8_000);
    const heard = hear(packets, 1_000, buffer);
    assertSameFrom(heard, said, 285, 800, 100);
    assert.equal(buffer.counts.latePackets, 0);
  });
});

describe('a gap', () => {
  for (const [lost, name] of [
    [1, 'one lost packet'],
    [3, 'three lost packets'],
    [10, 'ten lost packets'],
  ] as const) {
    it(`of ${name} is bridged without a click, and the sound returns`, () => {
      const said = vowel(1);
      const buffer = new JitterBuffer(8_000);
      const heard = hear(
        packetsOf(said).filter((_, i) => i < 20 || i >= 20 + lost),
        1_000,
        buffer,
      );
      const gapAt = 400 + delayMs;
      assertSameFrom(heard, said, 5, 400);
      assertSameFrom(heard, said, 400 + 20 * lost + 5, 900);
      const around = heard.subarray((gapAt - 20) * perMs, (gapAt + 20 * lost + 20) * perMs);
      assert.ok(largestJump(around) < 1.5 * largestJump(said), `${largestJump(around)} of ${largestJump(said)}`);
      assert.equal(buffer.counts.concealedMs, Math.min(60, lost * 20));
      const level = (from: number, to: number) => rms(heard.subarray((gapAt + from) * perMs, (gapAt + to) * perMs));
      assert.ok(level(0, 10) > 0.8 * rms(said), 'it goes on at first');
      if (lost > 3) {
        assert.ok(level(40, 60) < 0.4 * rms(said), 'it fades');
        assert.equal(level(60, 20 * lost), 0, 'it is silent after 60 ms');
      }
    });
  }

  it('without packets is silence where the peer does not send any', () => {
    const said = vowel(2);
    const packets = packetsOf(said).filter(({ position }) => position < 4_000 || position >= 12_000);
    const buffer = new JitterBuffer(8_000);
    const heard = hear(packets, 2_000, buffer);
    assertSameFrom(heard, said, 5, 500);
    assertSameFrom(heard, said, 1_505, 1_900);
    assert.equal(rms(heard.subarray((500 + delayMs + 60) * perMs, (1_500 + delayMs) * perMs)), 0);
    assert.equal(buffer.counts.latePackets, 0);
  });

  it('is filled with noise of the level that the peer names, and counts as nothing made up', () => {
    const said = vowel(2);
    const buffer = new JitterBuffer(8_000);
    const packets = packetsOf(said);
    const before = hear(packets.slice(0, 25), 520, buffer);
    buffer.putQuiet(4_000, 300);
    const pause = hear([], 980, buffer);
    const resumed = packets.slice(75).map((packet) => ({ ...packet, arrivesMs: packet.arrivesMs - 1_500 }));
    const heard = Int16Array.from([...before, ...pause, ...hear(resumed, 500, buffer)]);
    const noise = heard.subarray((500 + delayMs) * perMs, (1_500 + delayMs) * perMs);
    assert.ok(Math.max(...noise) <= 300);
    for (let at = 0; at < noise.length; at += 800) assert.ok(Math.abs(rms(noise.subarray(at, at + 800)) - 173) < 20);
    assertSameFrom(heard, said, 1_505, 1_900);
    assert.equal(buffer.counts.concealedMs, 0);
  });
});

describe('the announcement of quiet', () => {
  const loudest = (pcm: Int16Array) => pcm.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

  it('is ignored when speech has overtaken it', () => {
    const said = vowel(1);
    const buffer = new JitterBuffer(8_000);
    const packets = packetsOf(said);
    hear(packets.slice(0, 25), 520, buffer);
    buffer.putQuiet(24 * frame, 300);
    const lost = hear([], 200, buffer);
    assert.equal(loudest(lost.subarray(120 * perMs)), 0);
    assert.equal(buffer.counts.concealedMs, 60);
  });

  it('leads back to speech without a click', () => {
    const said = vowel(1);
    const buffer = new JitterBuffer(8_000);
    const packets = packetsOf(said);
    hear(packets.slice(0, 20), 460, buffer); // up to the end of the last one
    buffer.putQuiet(20 * frame, 0);
    assert.equal(loudest(hear([], 120, buffer)), 0);
    // The next packet begins at the crest of a wave, where a click would be loudest.
    const crest = new Int16Array(frame).fill(9_000);
    buffer.put(28 * frame, crest, frame);
    const out = new Int16Array(3 * frame);
    for (let at = 0; at < out.length; at += frame) buffer.take(out.subarray(at, at + frame));
    assert.equal(loudest(out), 9_000);
    assert.ok(largestJump(out) < 1_000, String(largestJump(out)));
  });
});

describe('timestamps that jump', () => {
  for (const [jumpMs, name] of [
    [10_000, 'far forwards'],
    [500, 'forwards by half a second'],
    [-10_000, 'far backwards'],
    [-500, 'backwards by half a second'],
  ] as const) {
    it(`${name} are followed within 100 ms, without a click and without more delay`, () => {
      const said = vowel(3);
      const buffer = new JitterBuffer(8_000);
      const packets = packetsOf(said).map((packet) => {
        const hasJumped = packet.position >= 8_000;
        return { ...packet, position: packet.position + (hasJumped ? jumpMs * perMs : 0) };
      });
      const heard = hear(packets, 3_000, buffer);
      assertSameFrom(heard, said, 5, 940);
      assertSameFrom(heard, said, 1_105, 2_900);
      assert.ok(largestJump(heard) < 2 * largestJump(said), `${largestJump(heard)} of ${largestJump(said)}`);
      assert.ok(buffer.delayMs <= 60, String(buffer.delayMs));
    });
  }

  it('not at all over a pause are followed, whether it was short or long', () => {
    for (const pauseMs of [60, 200, 400, 2_000]) {
      const said = vowel(2);
      const packets = packetsOf(said).map((packet) => {
        const isAfter = packet.position >= 8_000;
        return { ...packet, arrivesMs: packet.arrivesMs + (isAfter ? pauseMs : 0) };
      });
      const heard = hear(packets, 2_000 + pauseMs);
      assertSameFrom(heard, said, 5, 1_000);
      const rest = heard.subarray((1_000 + pauseMs) * perMs);
      const shift = [...Array(61).keys()].find((ms) =>
        said.subarray(8_800, 15_000).every((sample, i) => sample === rest[i + (100 + ms) * perMs]),
      );
      assert.notEqual(shift, undefined, `after ${pauseMs} ms`);
    }
  });
});

describe('the delay', () => {
  for (const ppm of [200, -200]) {
    it(`stays bounded for ten minutes of a peer whose clock is ${ppm} ppm ${ppm > 0 ? 'fast' : 'slow'}`, () => {
      const buffer = new JitterBuffer(8_000);
      const random = randomFrom(7);
      const pcm = new Int16Array(frame);
      const out = new Int16Array(frame);
      const loud = babble(1);
      let [sent, most, gaps] = [0, 0, 0];
      for (let i = 0; i < 30_000; i++) {
        const nowMs = i * 20;
        for (; (sent * 20) / (1 + ppm / 1e6) + 10 * random() <= nowMs; sent++) {
          // A second of sound, then a second of quiet.
          const isLoud = sent % 100 < 50;
          for (let n = 0; n < frame; n++) pcm[n] = isLoud ? (loud[(sent % 50) * frame + n] as number) : 100;
          buffer.put(sent * frame, pcm, frame);
        }
        const before = buffer.counts.concealedMs;
        buffer.take(out);
        if (buffer.counts.concealedMs > before) gaps++;
        most = Math.max(most, buffer.delayMs);
      }
      assert.ok(most <= 100, `${most} ms`);
      assert.ok(gaps <= 12, `${gaps} gaps`); // 120 ms to make up for
      assert.ok(buffer.counts.latePackets <= 12);
    });
  }

  it('grows when packets are held up for 100 ms, so that the next time nothing is missed, and shrinks again', () => {
    const said = Int16Array.from({ length: 8_000 * 60 }, (_, i) =>
      Math.floor(i / 8_000) % 2 === 0 ? 4_000 * Math.sin(i / 9) : 50 * Math.sin(i / 9),
    );
    const packets = packetsOf(said).map((packet) => {
      const { arrivesMs } = packet;
      // Twice within three seconds all are held up for a while.
      const heldUntil = [2_100, 4_100].find((until) => arrivesMs >= until - 100 && arrivesMs < until);
      return { ...packet, arrivesMs: heldUntil ?? arrivesMs };
    });
    const buffer = new JitterBuffer(8_000);
    hear(packets.slice(0, 150), 3_000, buffer);
    const { concealedMs } = buffer.counts;
    assert.ok(concealedMs >= 20 && concealedMs <= 100, String(concealedMs));
    assert.ok(buffer.delayMs >= 90 && buffer.delayMs <= 140, String(buffer.delayMs));
    const later = (from: number, to: number) =>
      packets.slice(from, to).map((packet) => ({ ...packet, arrivesMs: packet.arrivesMs - from * 20 }));
    hear(later(150, 250), 2_000, buffer);
    assert.ok(buffer.counts.concealedMs <= concealedMs + 20, String(buffer.counts.concealedMs));
    hear(later(250, 3_000), 55_000, buffer);
    assert.ok(buffer.delayMs <= 70, String(buffer.delayMs));
    assert.equal(buffer.counts.latePackets, 0);
  });

  it('does not stay long after packets were held up for most of a second', () => {
    const said = vowel(4);
    const packets = packetsOf(said).map((packet) => {
      const { arrivesMs } = packet;
      return { ...packet, arrivesMs: arrivesMs >= 1_000 && arrivesMs < 1_800 ? 1_800 : arrivesMs };
    });
    const buffer = new JitterBuffer(8_000);
    const heard = hear(packets, 4_000, buffer);
    assert.ok(buffer.delayMs <= 240, String(buffer.delayMs));
    assert.ok(rms(heard.subarray(2_000 * perMs)) > 0.8 * rms(said));
  });

  it('shrinks without a click even where it is loud', () => {
    const said = vowel(30);
    const buffer = new JitterBuffer(8_000);
    const packets = packetsOf(said);
    // 200 ms come at once at the beginning.
    const heard = hear(
      packets.map((packet) => ({ ...packet, arrivesMs: Math.max(20, packet.arrivesMs - 180) })),
      20_000,
      buffer,
    );
    assert.ok(buffer.delayMs < 200, String(buffer.delayMs));
    const settled = heard.subarray(100 * perMs);
    assert.ok(largestJump(settled) < 1.5 * largestJump(said), `${largestJump(settled)} of ${largestJump(said)}`);
  });
});

describe('another stream', () => {
  it('begins with positions of its own, and the one before ends without a click', () => {
    const said = vowel(1);
    const buffer = new JitterBuffer(8_000);
    const before = hear(packetsOf(said).slice(0, 25), 500, buffer);
    buffer.restart();
    const after = hear(packetsOf(said), 1_000, buffer);
    assertSameFrom(after, said, 5, 900);
    const seam = Int16Array.from([...before.subarray(-frame), ...after.subarray(0, frame)]);
    assert.ok(largestJump(seam) < 1.5 * largestJump(said));
    assert.equal(rms(after.subarray(frame, 2 * frame)), 0);
  });

  it('is silence until it comes', () => {
    const out = new Int16Array(frame).fill(7);
    new JitterBuffer(8_000).take(out);
    assert.equal(rms(out), 0);
  });
});

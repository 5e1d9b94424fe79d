import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { plainMedia } from '../../test/harness/media.ts';
import { FrameClock, type FrameListener } from './frame-clock.ts';
import { Media } from './media.ts';

function newClock(): FrameClock {
  const clock = new FrameClock({ onWake() {}, onServed() {} });
  after(() => clock.stop());
  return clock;
}

/** Keeps what it was called with. */
function newListener(onFrame: (frame: number) => void = () => {}): FrameListener & { frames: number[] } {
  const frames: number[] = [];
  return {
    frames,
    onFrame(frame) {
      frames.push(frame);
      onFrame(frame);
    },
  };
}

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const isGapless = (frames: number[]) => frames.every((frame, i) => i === 0 || frame === (frames[i - 1] ?? 0) + 1);

describe('the clock of frames', () => {
  it('serves at once, and then every 20 ms with numbers that count up', async () => {
    const clock = newClock();
    const listeners = Array.from({ length: 12 }, () => newListener());
    const began = performance.now();
    for (const listener of listeners) {
      clock.add(listener);
      clock.add(listener); // counts once
      assert.equal(listener.frames.length, 1);
    }
    await sleep(500);
    const passed = Math.floor((performance.now() - began) / 20);
    for (const { frames } of listeners) {
      assert.ok(Math.abs(frames.length - 1 - passed) <= 1, `${frames.length} frames in ${passed} times 20 ms`);
      assert.ok(isGapless(frames));
    }
    const { frames, maxMs, p50Ms, p99Ms } = clock.takeLateness();
    assert.ok(frames >= 12 * 20 && p50Ms > 0 && p50Ms <= p99Ms && maxMs > 0);
    for (const listener of listeners) clock.remove(listener);
    assert.deepEqual(clock.takeLateness(), { frames: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 });
  });

  it('lets a listener leave while it is served, and serves the others on', async () => {
    const clock = newClock();
    const [stays, late] = [newListener(), newListener()];
    const leaves = newListener(() => {
      if (leaves.frames.length === 3) clock.remove(leaves);
    });
    for (const listener of [leaves, stays]) clock.add(listener);
    await sleep(100);
    assert.equal(leaves.frames.length, 3);
    clock.remove(stays);
    clock.add(late);
    await sleep(100);
    assert.ok(isGapless(stays.frames) && stays.frames.length >= 5 && stays.frames.length <= 8);
    assert.ok(isGapless(late.frames) && late.frames.length >= 5 && late.frames.length <= 8);
  });

  it('rests while there is nobody to serve, and goes on with larger numbers', async () => {
    const clock = newClock();
    const [first, second] = [newListener(), newListener()];
    clock.add(first);
    clock.remove(first);
    await sleep(100);
    clock.add(second);
    await sleep(50);
    assert.equal(first.frames.length, 1);
    assert.ok(second.frames.length >= 3 && second.frames.length <= 5, String(second.frames.length));
    assert.ok((second.frames[0] ?? 0) > (first.frames[0] ?? 0) + 3);
  });

  it('catches up after a short standstill, and leaves out what a long one missed', async () => {
    const clock = newClock();
    const listener = newListener();
    clock.add(listener);
    await sleep(30);
    block(80);
    await sleep(5);
    assert.ok(isGapless(listener.frames));
    assert.ok(listener.frames.length >= 6, String(listener.frames.length));
    const before = listener.frames.length;
    block(400);
    await sleep(5);
    const made = listener.frames.length - before;
    assert.ok(made >= 5 && made <= 7, String(made));
    const [last, first] = [listener.frames[before - 1] ?? 0, listener.frames.at(-1) ?? 0];
    assert.ok(first - last >= 19, 'the numbers follow the time');
  });
});

/** A thread that notes when datagrams arrive, whatever this one does. */
const ear = `
  const { parentPort } = require('node:worker_threads');
  const socket = require('node:dgram').createSocket('udp4');
  const arrivals = [];
  socket.on('message', (datagram) => {
    if (datagram[1] < 192 || datagram[1] > 223) arrivals.push([performance.timeOrigin + performance.now(), datagram.readUInt16BE(2), datagram.readUInt32BE(4)]);
  });
  socket.bind(0, '127.0.0.1', () => parentPort.postMessage(socket.address().port));
  parentPort.on('message', () => parentPort.postMessage(arrivals));
`;

describe('the packets of a call', () => {
  it('leave 50 times a second, though the main thread stands still', async () => {
    const worker = new Worker(ear, { eval: true });
    after(() => worker.terminate());
    const [port] = (await once(worker, 'message')) as [number];
    const host = '127.0.0.1';
    const media = new Media({ host, ports: { from: 28_000, to: 28_009 } });
    after(() => media.close());
    const line = await media.open();
    line.connect(plainMedia({ host, rtpPort: port, rtcpPort: port }));
    await sleep(1_000);
    block(300);
    await sleep(500);
    block(300);
    await sleep(2_900);
    worker.postMessage('');
    const [arrivals] = (await once(worker, 'message')) as [[number, number, number][]];
    const [first, last] = [arrivals[0], arrivals.at(-1)];
    assert.ok(first && last);
    const passedMs = last[0] - first[0];
    assert.ok(passedMs > 4_800);
    // None is missing, as the numbers below show; the first and the last may have been on the way for longer.
    assert.ok(Math.abs(arrivals.length - 1 - passedMs / 20) <= 2, `${arrivals.length} packets in ${passedMs} ms`);
    let [beforeMs, before, earlier] = first;
    for (const [atMs, sequence, timestamp] of arrivals.slice(1)) {
      assert.equal(sequence, (before + 1) & 0xffff);
      assert.equal((timestamp - earlier) >>> 0, 160);
      assert.ok(atMs - beforeMs < 120, `${atMs - beforeMs} ms between two`);
      [beforeMs, before, earlier] = [atMs, sequence, timestamp];
    }
  });
});

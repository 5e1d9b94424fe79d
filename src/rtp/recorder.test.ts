import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { StereoRecorder } from './recorder.ts';
import { readWav } from './wav.ts';

/** The samples from one number on, so that order and loss show. */
function counting(start: number, length: number): Int16Array {
  return Int16Array.from({ length }, (_, at) => start + at);
}

describe('a recording', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-recorder-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('holds both sides in order, for its owner only', async () => {
    const path = join(folder, 'order.wav');
    const recorder = await StereoRecorder.open(path, 8000);
    for (let at = 0; at < 24_000; at += 160) recorder.write(counting(at, 160), counting(-at, 160));
    await recorder.close();
    const { sampleRate, channels } = readWav(await readFile(path));
    assert.equal(sampleRate, 8000);
    assert.equal(channels.length, 2);
    assert.deepEqual(channels[0], counting(0, 24_000));
    assert.equal(channels[1]?.[161], -159);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(recorder.error, undefined);
  });

  it('keeps the order when more comes than the disk has taken', async () => {
    const path = join(folder, 'burst.wav');
    const recorder = await StereoRecorder.open(path, 1000);
    for (let at = 0; at < 9000; at += 10) recorder.write(counting(at, 10), counting(at, 10));
    await recorder.close();
    assert.equal(recorder.error, undefined);
    assert.deepEqual(readWav(await readFile(path)).channels[0], counting(0, 9000));
  });

  it('fills the shorter side with silence', async () => {
    const path = join(folder, 'short.wav');
    const recorder = await StereoRecorder.open(path, 8000);
    recorder.write(Int16Array.of(1, 2, 3), Int16Array.of(-1));
    recorder.write(new Int16Array(0), Int16Array.of(-32768));
    await recorder.close();
    const { channels } = readWav(await readFile(path));
    assert.deepEqual(channels, [Int16Array.of(1, 2, 3, 0), Int16Array.of(-1, 0, 0, -32768)]);
  });

  it('drops what a disk 10 s behind cannot take, remembers it, and leaves a file that plays', async () => {
    const path = join(folder, 'behind.wav');
    const recorder = await StereoRecorder.open(path, 1000);
    // Nothing is written while this function holds the thread.
    for (let at = 0; at < 30_000; at += 10) recorder.write(counting(at, 10), counting(at, 10));
    assert.match(recorder.error?.message ?? '', /10 s behind/);
    await recorder.close();
    const left = readWav(await readFile(path)).channels[0] as Int16Array;
    assert.ok(left.length >= 10_000 && left.length <= 11_000, `${left.length}`);
    assert.deepEqual(left, counting(0, left.length));
  });

  it('has an error and does not throw when the disk is full', { skip: process.platform !== 'linux' }, async () => {
    await assert.rejects(StereoRecorder.open('/dev/full', 8000), { code: 'ENOSPC' });
    const path = join(folder, 'full.wav');
    // The limit of 64 blocks of 512 bytes (1024 in bash) stands for the end of the disk.
    const script = `
      process.on('SIGXFSZ', () => {});
      const { StereoRecorder } = await import(${JSON.stringify(new URL('./recorder.ts', import.meta.url).href)});
      const recorder = await StereoRecorder.open(${JSON.stringify(path)}, 8000);
      for (let at = 0; at < 500; at++) recorder.write(new Int16Array(160).fill(7), new Int16Array(160).fill(7));
      await recorder.close();
      recorder.write(new Int16Array(160), new Int16Array(160));
      await recorder.close();
      process.stdout.write(recorder.error?.code ?? 'none');`;
    const child = spawn('sh', ['-c', 'ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, script]);
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    await once(child, 'close');
    assert.equal(said, 'EFBIG');
    assert.ok(readWav(await readFile(path)).channels.every((channel) => channel.every((sample) => sample === 7)));
  });

  it('refuses a folder that is not there', async () => {
    await assert.rejects(StereoRecorder.open(join(folder, 'none', 'a.wav'), 8000), { code: 'ENOENT' });
  });

  it('may be closed twice, and ignores what comes after', async () => {
    const path = join(folder, 'twice.wav');
    const recorder = await StereoRecorder.open(path, 8000);
    recorder.write(Int16Array.of(1), Int16Array.of(2));
    await Promise.all([recorder.close(), recorder.close()]);
    recorder.write(Int16Array.of(3), Int16Array.of(4));
    await recorder.close();
    assert.deepEqual(readWav(await readFile(path)).channels[0], Int16Array.of(1));
    assert.equal(recorder.error, undefined);
  });

  it('can be read after a kill in the middle, but for the last two seconds', async () => {
    const path = join(folder, 'killed.wav');
    const script = `
      const { StereoRecorder } = await import(${JSON.stringify(new URL('./recorder.ts', import.meta.url).href)});
      const recorder = await StereoRecorder.open(${JSON.stringify(path)}, 8000);
      let at = 0;
      setInterval(() => {
        for (let n = 0; n < 10; n++, at += 160) {
          const samples = Int16Array.from({ length: 160 }, (_, n) => at + n);
          recorder.write(samples, samples);
        }
        process.stdout.write(at + '\\n');
      }, 5);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    let written = 0;
    child.stdout.on('data', (data: Buffer) => {
      written = Number(data.toString().trim().split('\n').at(-1));
      if (written > 8 * 8000) child.kill('SIGKILL');
    });
    const [, signal] = await once(child, 'close');
    assert.equal(signal, 'SIGKILL');
    const bytes = await readFile(path);
    const left = readWav(bytes).channels[0] as Int16Array;
    assert.ok(left.length >= written - 2 * 8000, `${left.length} of ${written}`);
    assert.deepEqual(left, counting(0, left.length));
    assert.ok(bytes.readUInt32LE(40) > 0, 'the header knows the size');
    assert.equal(bytes.readUInt32LE(40) % 4, 0);
  });
});

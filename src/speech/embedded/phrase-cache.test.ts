import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PhraseCache } from './phrase-cache.ts';

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-phrases-'));
  folders.push(folder);
  return folder;
}

const phrase = (value: number, samples = 100) => new Int16Array(samples).fill(value);

test('what was added is found', async () => {
  const cache = await PhraseCache.open({});
  cache.add('a', phrase(1));
  assert.deepEqual(await cache.find('a'), phrase(1));
  assert.equal(await cache.find('b'), undefined);
});

test('memory is bounded, and the least recently used goes first', async () => {
  const cache = await PhraseCache.open({ memoryBytes: 3 * 200 });
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.add(key, phrase(index));
  await cache.find('a');
  cache.add('d', phrase(9));
  assert.equal(await cache.find('b'), undefined);
  assert.deepEqual(await cache.find('a'), phrase(0));
  assert.equal(cache.memoryBytes, 600);
});

test('adding the same phrase twice counts it once', async () => {
  const cache = await PhraseCache.open({});
  cache.add('a', phrase(1));
  cache.add('a', phrase(1));
  assert.equal(cache.memoryBytes, 200);
});

test('what was asked for twice outlives the process, what was said once does not', async () => {
  const folder = await newFolder();
  const cache = await PhraseCache.open({ folder });
  cache.add('again', phrase(1));
  cache.add('once', phrase(2));
  await cache.find('again');
  await cache.close();
  const next = await PhraseCache.open({ folder });
  assert.deepEqual(await next.find('again'), phrase(1));
  assert.equal(await next.find('once'), undefined);
});

test('only the owner of the process may read the files', async () => {
  const folder = await newFolder();
  const cache = await PhraseCache.open({ folder: join(folder, 'phrases') });
  cache.add('a', phrase(1));
  await cache.find('a');
  await cache.close();
  assert.equal((await stat(join(folder, 'phrases'))).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, 'phrases', 'a.pcm'))).mode & 0o777, 0o600);
});

test('the disk is bounded, also by what an earlier process left', async () => {
  const folder = await newFolder();
  const cache = await PhraseCache.open({ folder, diskBytes: 1_000 });
  for (let index = 0; index < 20; index++) {
    cache.add(String(index), phrase(index));
    await cache.find(String(index));
  }
  await cache.close();
  assert.equal((await readdir(folder)).length, 5);
  const smaller = await PhraseCache.open({ folder, diskBytes: 400 });
  assert.equal((await readdir(folder)).length, 2);
  assert.equal(smaller.diskBytes, 400);
  assert.deepEqual(await smaller.find('19'), phrase(19));
});

test('a cleared folder costs the phrases and nothing else', async () => {
  const folder = await newFolder();
  const cache = await PhraseCache.open({ folder });
  cache.add('a', phrase(1));
  await cache.find('a');
  await cache.close();
  const next = await PhraseCache.open({ folder });
  await rm(folder, { recursive: true });
  assert.equal(await next.find('a'), undefined);
  next.add('b', phrase(2));
  await next.find('b');
  await next.close();
  assert.deepEqual(await next.find('b'), phrase(2));
});

test('half-written files are not read', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'a.pcm.part'), 'half');
  const cache = await PhraseCache.open({ folder });
  assert.equal(await cache.find('a'), undefined);
  assert.equal(cache.diskBytes, 0);
});

test('the key differs by everything that makes a different sound and shows nothing of the text', async () => {
  const keys = [
    PhraseCache.key('flite', 'slt', 1, 8_000, 'Hello'),
    PhraseCache.key('flite', 'rms', 1, 8_000, 'Hello'),
    PhraseCache.key('flite', 'slt', 0.9, 8_000, 'Hello'),
    PhraseCache.key('flite', 'slt', 1, 16_000, 'Hello'),
    PhraseCache.key('flite', 'slt', 1, 8_000, 'Hello!'),
  ];
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.match(key, /^[0-9a-f]{64}$/);
});

test('the file holds the samples as they are', async () => {
  const folder = await newFolder();
  const cache = await PhraseCache.open({ folder });
  cache.add('a', Int16Array.of(1, -2, 32_767));
  await cache.find('a');
  await cache.close();
  assert.deepEqual([...(await readFile(join(folder, 'a.pcm')))], [1, 0, 0xfe, 0xff, 0xff, 0x7f]);
});

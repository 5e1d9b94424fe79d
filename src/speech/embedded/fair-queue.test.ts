import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

const [ann, bob, eve] = [{}, {}, {}];

function takeAll<T>(queue: FairQueue<T>): T[] {
  const taken: T[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('owners take turns, however much one of them wants', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add(item, ann, 'now');
  queue.add('b1', bob, 'now');
  queue.add('e1', eve, 'now');
  queue.add('b2', bob, 'now');
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'e1', 'a2', 'b2', 'a3', 'a4']);
});

test('what is urgent comes before what can wait', () => {
  const queue = new FairQueue<string>();
  queue.add('later', ann, 'later');
  queue.add('soon', bob, 'soon');
  queue.add('now', eve, 'now');
  assert.deepEqual(takeAll(queue), ['now', 'soon', 'later']);
});

test('work that was put back is next', () => {
  const queue = new FairQueue<string>();
  queue.add('a1', ann, 'now');
  queue.add('b1', bob, 'now');
  queue.add('b2', bob, 'now');
  queue.putBack('b0', bob, 'now');
  assert.deepEqual(takeAll(queue), ['b0', 'a1', 'b1', 'b2']);
});

test('removed work is not handed out, and its owner keeps its turn for the rest', () => {
  const queue = new FairQueue<string>();
  queue.add('a1', ann, 'now');
  queue.add('a2', ann, 'now');
  queue.add('b1', bob, 'soon');
  assert.equal(queue.remove('a1'), true);
  assert.equal(queue.remove('b1'), true);
  assert.equal(queue.remove('b1'), false);
  assert.equal(queue.size, 1);
  assert.deepEqual(takeAll(queue), ['a2']);
});

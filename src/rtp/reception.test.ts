import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Reception } from './reception.ts';

function received(...sequences: number[]): Reception {
  const reception = new Reception(1, sequences[0] ?? 0, 8_000);
  for (const [i, sequence] of sequences.entries()) reception.receive(sequence & 0xffff, i * 160, i * 20);
  return reception;
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

describe('what was received', () => {
  it('counts packets that never came, since the beginning and since the last report', () => {
    const reception = received(10, 11, 13, 14);
    assert.equal(reception.received, 4);
    assert.equal(reception.lost, 1);
    assert.deepEqual(reception.report(), { fractionLost: 51, lost: 1, highest: 14, jitter: 0 });
    for (const sequence of [15, 16, 17, 18]) reception.receive(sequence, 0, 0);
    const { fractionLost, lost } = reception.report();
    assert.deepEqual({ fractionLost, lost }, { fractionLost: 0, lost: 1 });
    assert.equal(reception.report().fractionLost, 0); // nothing was expected since
    for (const sequence of [20, 22]) reception.receive(sequence, 0, 0);
    assert.equal(reception.report().fractionLost, 128);
  });

  it('does not mind the order', () => {
    assert.equal(received(10, 12, 11, 14, 13).lost, 0);
  });

  it('makes up for a loss by duplicates, as RFC 3550 has it, down to below zero', () => {
    const reception = received(10, 10, 11, 11);
    assert.equal(reception.lost, -2);
    assert.deepEqual(reception.report(), { fractionLost: 0, lost: -2, highest: 11, jitter: 0 });
  });

  it('reports the highest sequence number with the rounds that it made', () => {
    const reception = received(65_534, 65_535, 65_536, 65_537);
    assert.equal(reception.lost, 0);
    assert.equal(reception.report().highest, 0x1_0001);
    reception.receive(65_535, 0, 0); // an old one is of the round before
    assert.equal(reception.report().highest, 0x1_0001);
    for (const sequence of from(2, 65_536 + 4)) reception.receive(sequence & 0xffff, 0, 0);
    assert.equal(reception.report().highest, 0x2_0005);
    assert.equal(reception.lost, -1);
  });

  it('does not take another beginning of the same source for a loss', () => {
    const forwards = received(...from(100, 50), ...from(30_000, 50));
    assert.equal(forwards.lost, 0);
    assert.equal(forwards.report().highest, 30_049);
    const backwards = received(...from(30_000, 50), ...from(100, 50), 151);
    assert.equal(backwards.lost, 1);
    assert.equal(backwards.report().highest, 151);
  });

  it('is not led astray by a single odd number', () => {
    const reception = received(...from(100, 50), 40_000, ...from(150, 50));
    assert.equal(reception.report().highest, 199);
    assert.equal(reception.lost, -1);
  });

  it('keeps the loss within the 24 bits of a report', () => {
    const reception = received(0);
    for (let i = 1; i <= 3_000; i++) reception.receive((i * 3_000) & 0xffff, 0, 0);
    assert.equal(reception.report().lost, 0x7f_ffff);
    assert.equal(reception.report().fractionLost, 0);
  });

  it('computes the jitter of RFC 3550 A.8', () => {
    const reception = new Reception(1, 0, 8_000);
    // Transit times in timestamp units: 0, 40, 0, 160; so |D| is 40, 40, 160.
    reception.receive(0, 1_000, 0);
    assert.equal(reception.jitterMs, 0);
    reception.receive(1, 1_160, 25);
    assert.equal(reception.jitterMs * 8, 2.5); // 40 / 16
    reception.receive(2, 1_320, 40);
    assert.equal(reception.jitterMs * 8, 4.84375); // + (40 - 2.5) / 16
    reception.receive(3, 1_480, 80);
    assert.equal(reception.jitterMs * 8, 14.541015625); // + (160 - 4.84375) / 16
    assert.equal(reception.report().jitter, 15);
  });

  it('sees no jitter in a wrap of the timestamp, a pause, another recording or a pressed key', () => {
    const reception = new Reception(1, 0, 8_000);
    reception.receive(0, 0xffff_ff60, 0);
    reception.receive(1, 0, 20);
    reception.receive(2, 8_000, 1_020);
    reception.receive(3, 3_000_000, 1_040);
    for (let i = 0; i < 5; i++) reception.receive(4 + i, 3_000_160, 1_060 + i * 20, false);
    reception.receive(9, 3_000_000 + 6 * 160, 1_160);
    assert.equal(reception.jitterMs, 0);
  });
});

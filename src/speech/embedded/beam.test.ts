import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Beam, meanProbability, type Path } from './beam.ts';

const end = 0;
const tokens = Int32Array.of(end, 1, 2, 3);
const nothing: Path = { tokens: [], logProbability: 0, rows: [], isOver: false };

/** What follows each text, by its tokens; all else is impossible. */
type Language = Record<string, Record<number, number>>;

/** "1" is likelier than "2", but whatever follows it is unlikely. */
const deceptive: Language = {
  '': { 1: 0.55, 2: 0.45 },
  '1': { [end]: 0.3, 3: 0.3 },
  '1,3': { [end]: 1 },
  '2': { 3: 0.95 },
  '2,3': { [end]: 0.95 },
};

function rowAfter(language: Language, { tokens }: Path): Float32Array {
  const row = new Float32Array(4).fill(Number.NEGATIVE_INFINITY);
  for (const [token, probability] of Object.entries(language[tokens.join()] ?? {})) {
    row[Number(token)] = Math.log(probability);
  }
  return row;
}

function written(language: Language, width: number): Path {
  const beam = new Beam(width, end, nothing);
  for (let step = 0; step < 10 && beam.open.length > 0; step++) {
    beam.grow(
      beam.open.map((path) => rowAfter(language, path)),
      tokens,
    );
  }
  return beam.best;
}

describe('several texts followed at once', () => {
  it('end with the one that is likeliest as a whole, not with that of the likeliest tokens', () => {
    assert.deepEqual(written(deceptive, 2).tokens, [2, 3]);
  });

  it('are the likeliest token each time, where there is one only', () => {
    const greedy = written(deceptive, 1);
    assert.equal(greedy.tokens[0], 1);
  });

  it('stop when each of them is over, and tell how sure they are of the best', () => {
    const best = written(deceptive, 3);
    assert.equal(best.isOver, true);
    assert.ok(Math.abs(meanProbability(best) - (0.45 * 0.95 * 0.95) ** (1 / 3)) < 1e-6);
  });

  it('say from which of the open ones each goes on, so that what was remembered of it can go with it', () => {
    const beam = new Beam(2, end, nothing);
    beam.grow([rowAfter(deceptive, nothing)], tokens);
    assert.deepEqual(beam.parents, [0, 0]);
    beam.grow(
      beam.open.map((path) => rowAfter(deceptive, path)),
      tokens,
    );
    assert.deepEqual(
      beam.open.map((path) => path.tokens),
      [[2, 3]],
    );
    assert.deepEqual(beam.parents, [1]);
  });

  it('take up what is already written, with its likelihood', () => {
    const beginning: Path = { tokens: [2], logProbability: Math.log(0.45), rows: [new Float32Array(4)], isOver: false };
    const beam = new Beam(2, end, beginning);
    beam.grow([rowAfter(deceptive, beginning)], tokens);
    assert.deepEqual(beam.best.tokens, [2, 3]);
    assert.ok(Math.abs(beam.best.logProbability - Math.log(0.45 * 0.95)) < 1e-6);
  });
});

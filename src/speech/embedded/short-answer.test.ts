import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokensOf } from './moonshine.ts';
import { asAnswer, type Opinion, weighShortAnswer } from './short-answer.ts';

const vocabularySize = 32_768;
const unlikely = -15;

type Believed = Record<string, number>;

/** A model that wrote the first of these texts, and how likely it finds each of them. */
function opinion(believed: Believed): Opinion {
  const texts = Object.keys(believed).map((text) => ({ tokens: tokensOf(text), score: believed[text] as number }));
  const own = texts[0]?.tokens ?? [];
  const rows = [...own, 2].map((_, place) => {
    const row = new Float32Array(vocabularySize).fill(unlikely);
    const following = texts.filter(({ tokens }) => own.slice(0, place).every((token, at) => token === tokens[at]));
    for (const { tokens, score } of following) {
      const token = tokens[place] ?? 2;
      row[token] = Math.max(row[token] as number, score / own.length);
    }
    return row;
  });
  return {
    hearing: { state: undefined as unknown as Opinion['hearing']['state'], seconds: 1 },
    writing: { text: `${Object.keys(believed)[0]},`, confidence: 0.6, tokens: own, rows },
    model: {
      async score(_hearing, candidates) {
        return candidates.map(
          (tokens) => texts.find((text) => text.tokens.join() === tokens.join())?.score ?? unlikely,
        );
      },
    },
  };
}

describe('a short answer', () => {
  it('is what people usually say, where that is nearly as likely as what was written', async () => {
    const { text } = await weighShortAnswer([opinion({ Mundy: -1, Monday: -3 })]);
    assert.equal(text, 'Monday.');
  });

  it('is what was written where nothing usual is nearly as likely', async () => {
    const { text, confidence } = await weighShortAnswer([opinion({ Mundy: -1, Monday: -6 })]);
    assert.deepEqual([text, confidence], ['Mundy,', 0.6]);
  });

  it('keeps the words that were heard beyond something usual', async () => {
    const alone = await weighShortAnswer([opinion({ 'Once upon': -3, Once: -2 })]);
    assert.equal(alone.text, 'Once upon,');
    const other = opinion({ 'One upon': -1, 'Once upon': -2, Once: -2 });
    const together = await weighShortAnswer([opinion({ 'Once upon': -3, Once: -2 }), other]);
    assert.equal(together.text, 'Once upon,');
  });

  it('is found where it leaves what was written in the middle', async () => {
    const { text } = await weighShortAnswer([opinion({ 'Next to thee': -2, 'Next Tuesday': -3 })]);
    assert.equal(text, 'Next Tuesday.');
  });

  it('is what two models together find likeliest', async () => {
    const { text } = await weighShortAnswer([opinion({ Dime: -1, Time: -2 }), opinion({ Time: -3, Dime: -5 })]);
    assert.equal(text, 'Time,');
  });

  it('that asks has a question mark', async () => {
    const { text } = await weighShortAnswer([opinion({ 'Use this': -2, 'Who is this': -3 })]);
    assert.equal(text, 'Who is this?');
  });

  it('that is usual is whole, whatever stands behind it', () => {
    assert.equal(asAnswer(opinion({ Yes: -1 }).writing).text, 'Yes.');
    assert.equal(asAnswer(opinion({ Mundy: -1 }).writing).text, 'Mundy,');
  });
});

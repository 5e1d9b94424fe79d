import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SentenceStream } from './sentence-stream.ts';

/** What is handed over after each piece, and what is left at the end. */
function pieces(...texts: string[]): string[][] {
  const stream = new SentenceStream();
  return [...texts.map((text) => stream.push(text)), stream.end()];
}

const table: [name: string, pieces: string[], handed: string[][]][] = [
  ['a sentence is handed over with its end sign', ['Great', ', thanks', '.'], [[], [], ['Great, thanks.'], []]],
  ['what has no end sign comes last', ['Great. And then'], [['Great.'], ['And then']]],
  ['a title ends no sentence', ['I am Dr.', ' Smith. '], [[], ['I am Dr. Smith.'], []]],
  ['a price may go on', ['It is $3.', '50 for two.'], [[], ['It is $3.50 for two.'], []]],
  ['an hour may go on', ['At 3 p.m.', ' tomorrow. '], [[], ['At 3 p.m. tomorrow.'], []]],
  ['thoughts are not spoken', ['<thi', 'nk>They lie. ', 'So what.</think>Good', '.'], [[], [], [], ['Good.'], []]],
  ['thoughts without an end are not spoken', ['Good. <think>They lie. '], [['Good.'], []]],
  ['JSON is not spoken', ['{"a": {"b', '": 1}, "c": "d. E."} Fine.'], [[], ['Fine.'], []]],
  ['code is not spoken', ['```json\n{"a', '": 1}\n``', '` Fine. '], [[], [], ['Fine.'], []]],
  ['tags are not spoken', ['<b>Good', '</b', '>. Yes.'], [[], [], ['Good.', 'Yes.'], []]],
  ['brackets are not spoken', ['[pauses. ', 'Smiles] Fine.'], [[], ['Fine.'], []]],
  ['of a link its words are spoken', ['See [our', ' page](https://a.b/c) today.'], [[], ['See our page today.'], []]],
  ['directions over two pieces', ['*laughs', '* Fine.'], [[], ['Fine.'], []]],
  ['directions that are sentences', ['(pauses.', ') *laughs.', '* Fine.'], [[], [], ['Fine.'], []]],
  ['bold words end a sentence too', ['**Gre', 'at!*', '* Yes. '], [[], ['Great!'], ['Yes.'], []]],
  ['less than is no tag', ['It is < 5 here. Yes.'], [['It is < 5 here.', 'Yes.'], []]],
];

describe('sentences of a text that comes in pieces', () => {
  for (const [name, texts, handed] of table) {
    it(name, () => assert.deepEqual(pieces(...texts), handed));
  }

  it('does not wait for the end of a very long sentence', () => {
    const long = `${'well and good, '.repeat(20)}that is all.`;
    const [first = [], ...others] = pieces(long.slice(0, 250), long.slice(250));
    assert.ok(first.length > 0);
    assert.equal([first, ...others].flat().join(' '), long);
  });

  it('loses and doubles no word, however the text is cut', () => {
    const word = fc.stringMatching(/^[A-Za-z]{1,9}[.,!?]?$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.array(fc.nat(300), { maxLength: 30 }), (words, cuts) => {
        const text = words.join(' ');
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const cut = places.slice(1).map((end, index) => text.slice(places[index], end));
        const spoken = pieces(...cut)
          .flat()
          .join(' ');
        const lettersOf = (one: string) => one.replace(/[^A-Za-z]/g, '');
        assert.equal(lettersOf(spoken), lettersOf(text));
      }),
    );
  });
});

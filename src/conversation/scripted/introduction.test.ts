import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Brief } from '../mind.ts';
import { introductionsOf } from './introduction.ts';
import { brief } from './test-call.ts';

const textsOf = (changes: Partial<Brief>) => introductionsOf({ ...brief, ...changes });

/** Notes, the facts that must be told, and what must not. */
const table: [notes: string, facts: string[], never: RegExp][] = [
  [
    'Follow up on quote #4411 for solar panels sent on March 3, customer asked about financing; be friendly',
    ['4411', 'solar panels', 'March 3', 'financing'],
    /friendly|customer/i,
  ],
  [
    'Confirm appointment on Tuesday at 3:30 PM with Dr. Smith. Remind them to bring their insurance card. Keep it short.',
    ['Tuesday', '3:30 PM', 'Dr. Smith', 'your insurance card'],
    /short/i,
  ],
  [
    'Customer wants to renew the home insurance policy that expires on June 30 and asked for a discount of 10 percent, mention the loyalty bonus',
    ['renew', 'June 30', '10 percent', 'loyalty bonus'],
    /mention|customer/i,
  ],
  [
    'The appointment is on Tuesday at 3 PM in the office on Main Street. Do not mention the price.',
    ['Tuesday', '3 PM', 'Main Street'],
    /price/i,
  ],
  [
    'Lead downloaded our whitepaper on cloud migration last week, works at Globex as CTO. Goal: book a demo with our sales engineer.',
    ['whitepaper', 'cloud migration', 'last week', 'Globex', 'CTO', 'demo'],
    /goal|lead/i,
  ],
  [
    'Ada ordered 20 office chairs on May 5; delivery is delayed until May 20 because of a strike; apologise and offer free shipping',
    ['20 office chairs', 'May 5', 'May 20', 'strike', 'free shipping'],
    /\bAda ordered/,
  ],
  ['solar panels', ['solar panels'], /$^/],
  ['Remind Ada of her dentist appointment tomorrow at 9am', ['your dentist appointment', '9am'], /\bher\b/],
  [
    '- Product: heat pump\n- Price: $12,500\n- Deadline: July 15\n- Be polite',
    ['heat pump', '$12,500', 'July 15'],
    /polite/,
  ],
  [
    'Tell them that their car is ready for pick up at the garage on 5th Avenue until 6 pm today',
    ['car', '5th Avenue', '6 pm'],
    /tell|their/i,
  ],
  [
    'He requested a callback about the test drive of the Model Y on Saturday',
    ['callback', 'Model Y', 'Saturday'],
    /Saturday that/,
  ],
  ['Survey about the stay at Hotel Bellevue from June 1 to June 5', ['Hotel Bellevue', 'June 1', 'June 5'], /$^/],
  ['Call about {{product}} for {{name}}', ['heat pumps'], /\{/],
];

describe('an introduction from notes', () => {
  for (const [introNotes, facts, never] of table) {
    it(`tells the facts of "${introNotes.slice(0, 50)}"`, () => {
      const { introduction, voicemail } = textsOf({ introNotes, form: [{ key: 'product', value: 'heat pumps' }] });
      for (const text of [introduction, voicemail]) {
        for (const fact of facts) assert.ok(text.includes(fact), `${fact} in: ${text}`);
        assert.doesNotMatch(text, never);
        assert.ok(text.includes('This is Robin from Acme.'));
        assertOwnWords(text, introNotes);
      }
      assert.match(introduction, /Do you have a minute\?$/);
      assert.match(voicemail, /We will try to reach you again\. Goodbye\.$/);
    });
  }

  it('repeats no six words of any notes and invents no fact', () => {
    const word = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...scraps) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
      { weight: 1, arbitrary: fc.nat(3000).map(String) },
    );
    const notes = fc
      .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', ' ', ', ', '. ', '; ', '\n', ' - ')), { maxLength: 60 })
      .map((parts) => parts.map((part) => part.join('')).join(''));
    fc.assert(
      fc.property(notes, (introNotes) => {
        const { introduction, voicemail, screener, why } = textsOf({ introNotes });
        for (const text of [introduction, voicemail, screener, why]) assertOwnWords(text, introNotes);
      }),
      { numRuns: 400 },
    );
  });

  it('does so even for notes made of its own words', () => {
    for (const introNotes of [
      'Hello Ada. This is Robin from Acme. I have a few short questions for you. Do you have a minute?',
      'that is that is that is, namely that is, that is namely that is and also and also',
      'We will try to reach you again. Goodbye. We will try to reach you again. Goodbye.',
    ]) {
      const { introduction, voicemail, screener } = textsOf({ introNotes });
      for (const text of [introduction, voicemail, screener]) assertOwnWords(text, introNotes);
      assert.notEqual(introduction, '');
    }
  });
});

describe('introductions', () => {
  it('are the given words, to the last space', () => {
    const introMessage = 'Hi {{name}},  this is a test…  ok?';
    const texts = textsOf({ introMessage, introVoicemail: 'Please call back, {{name}}.', introNotes: 'about cats' });
    assert.equal(texts.introduction, 'Hi Ada Lovelace,  this is a test…  ok?');
    assert.equal(texts.voicemail, 'Please call back, Ada Lovelace.');
    assert.equal(texts.why, 'I am calling about the cats.');
  });

  it('come from the agent, the name and the form where nothing else is given', () => {
    assert.equal(
      textsOf({ form: [{ key: 'orderNumber', value: '77' }] }).introduction,
      'Hello Ada. This is Robin from Acme. I am calling about your order number, 77. Do you have a minute?',
    );
    assert.equal(
      textsOf({ form: [{ key: 'Product', value: 'heat pumps' }] }).voicemail,
      'Hello Ada. This is Robin from Acme. I am calling about heat pumps. We will try to reach you again. Goodbye.',
    );
    assert.equal(
      textsOf({ questions: [], agent: { name: 'Robin', company: '' } }).introduction,
      'Hello Ada. This is Robin.',
    );
  });

  it('tell a screener in a sentence who calls whom and why', () => {
    assert.equal(
      textsOf({ introNotes: 'Follow up on quote #4411 for solar panels' }).screener,
      'This is Robin from Acme, calling for Ada Lovelace about the quote number 4411 for solar panels.',
    );
    assert.equal(textsOf({}).screener, 'This is Robin from Acme, calling for Ada Lovelace with a few short questions.');
  });
});

const scraps =
  'follow up on the quote customer asked about financing Tuesday March 3 at 3 PM is are and was for in to with solar panels Ada Acme Globex mention tell them be friendly remind confirm their he she wants #44 $20 10% that because of we our deadline: goal: do not price this Robin from hello I am calling you'.split(
    ' ',
  );

const template = new Set(
  'hello this i do we you it also there your goodbye the is am our that thank was on at number will ada robin acme lovelace'.split(
    ' ',
  ),
);

function assertOwnWords(text: string, notes: string): void {
  for (const counting of [/[\p{L}\p{N}]+/gu, /[^\s.,;:!?"#()]+/g, /\w+/g]) {
    const noted = ` ${(notes.toLowerCase().match(counting) ?? []).join(' ')} `;
    const said = text.toLowerCase().match(counting) ?? [];
    for (let at = 0; at + 6 <= said.length; at++) {
      const run = said.slice(at, at + 6).join(' ');
      assert.ok(!noted.includes(` ${run} `), `"${run}" of the notes in: ${text}`);
    }
  }
  // A letter may have a capital that is another letter's too.
  const allowed = `${notes} ${notes.toUpperCase()}`.toLowerCase();
  for (const fact of text.match(/\p{Lu}[\p{L}\p{N}]*|\p{N}+/gu) ?? []) {
    const lower = fact.toLowerCase();
    assert.ok(
      template.has(lower) || allowed.includes(lower) || 'heat pumps 77'.includes(lower),
      `${fact} in: ${text} | ${notes}`,
    );
  }
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fillPlaceholders, placeholdersOf } from './placeholders.ts';

const known = placeholdersOf({
  agent: { name: 'Robin', company: 'Acme' },
  calleeName: 'Ada Lovelace',
  form: [
    { key: 'Order Number', value: '4411' },
    { key: 'favourite_colour', value: 'green' },
    { key: 'empty', value: ' ' },
    { key: 'tricky', value: '{{name}}' },
  ],
});

const table: [text: string, spoken: string][] = [
  ['Hello  there ', 'Hello  there '],
  ['Hi {{name}}, this is {{company}}.', 'Hi Ada Lovelace, this is Acme.'],
  ['Hi {{ First Name }}!', 'Hi Ada!'],
  ['Your order {{order-number}} and {{ORDER_NUMBER}}', 'Your order 4411 and 4411'],
  ['{{Favourite Colour}} it is', 'green it is'],
  ['Hi {{nickname}}, how are you?', 'Hi, how are you?'],
  ['{{nickname}}, how are you?', 'how are you?'],
  ['We saw {{what}} and came.', 'We saw and came.'],
  ['Call me {{when}}.', 'Call me.'],
  ['A gift ({{gift}}) for you', 'A gift for you'],
  ['Nothing {{empty}} here', 'Nothing here'],
  ['Say {{tricky}}', 'Say name'],
  ['Broken {{name and } braces', 'Broken name and  braces'],
];

describe('fillPlaceholders', () => {
  for (const [text, spoken] of table) {
    it(`makes "${spoken}" of "${text}"`, () => assert.equal(fillPlaceholders(text, known), spoken));
  }

  it("takes the form's company for the person's own", () => {
    const own = placeholdersOf({
      agent: { name: 'Robin', company: 'Acme' },
      calleeName: 'Ada',
      form: [{ key: 'company', value: 'Globex' }],
    });
    assert.equal(fillPlaceholders('{{company}}', own), 'Globex');
  });

  it('never leaves a brace', () => {
    const part = fc.constantFrom('{', '}', '{{', '}}', 'name', ' ', ',', 'x', '.');
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
        (text) => {
          const spoken = fillPlaceholders(text, known);
          assert.ok(!['{', '}', '\0'].some((sign) => spoken.includes(sign)), spoken);
        },
      ),
    );
  });
});

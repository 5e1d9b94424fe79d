import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchColumns, toContact } from './contact-columns.ts';

describe('matchColumns', () => {
  it('knows columns by loose names', () => {
    const spellings = [
      ['firstName', 'lastName', 'email', 'phone'],
      ['first name', 'SURNAME', 'E-Mail', 'Phone Number'],
      ['given_name', 'Family Name', 'Email address', 'Mobile'],
      ['First', 'Last', 'mail', 'Tel.'],
    ];
    for (const header of spellings) {
      const { fields, metadata } = matchColumns(header);
      assert.deepEqual({ ...fields, metadata }, { firstName: 0, lastName: 1, email: 2, phone: 3, metadata: [] });
    }
  });

  it('takes the plainest of several phone columns and keeps the others as metadata', () => {
    const { fields, metadata } = matchColumns(['Mobile', 'Phone', 'Tel']);
    assert.equal(fields.phone, 1);
    assert.deepEqual(
      metadata.map(({ key }) => key),
      ['Mobile', 'Tel'],
    );
  });
});

describe('toContact', () => {
  it('puts every other value under its header, loses none, and leaves empty cells out', () => {
    const columns = matchColumns(['phone', 'tier', 'tier', '', '__proto__', 'source']);
    const contact = toContact(columns, ['1', 'gold', 'old', 'x', 'y', '']);
    const pairs = { tier: 'gold', 'tier (2)': 'old', 'column 4': 'x', ['__proto__']: 'y' };
    assert.equal(JSON.stringify(contact), JSON.stringify({ phone: '1', contactMetadata: pairs }));
    assert.equal(JSON.stringify(toContact(columns, ['1'])), '{"phone":"1"}');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchResult, foldByPhone, readContactInputs, removedItems, upsertedItems } from './contact-batch.ts';

describe('foldByPhone', () => {
  it('gives each phone once, in order of the phones, later elements over earlier ones', () => {
    const folded = foldByPhone([
      { phone: '3000000', firstName: 'C' },
      { phone: '1000000', firstName: 'A', email: 'a@example.com' },
      { phone: '3000000', lastName: 'Z', firstName: null },
      { phone: '1000000', email: 'b@example.com', contactMetadata: {} },
    ]);
    assert.deepEqual(folded, [
      { phone: '1000000', firstName: 'A', email: 'b@example.com', contactMetadata: {} },
      { phone: '3000000', firstName: 'C', lastName: 'Z' },
    ]);
  });
});

describe('upsertedItems', () => {
  it('reports created for the first element of a new phone only', () => {
    const read = readContactInputs([
      { phone: '1000000' },
      { phone: '2000000' },
      { phone: '1000000', email: 'x@example.com' },
    ]);
    const items = upsertedItems(read, [
      { phone: '1000000', email: 'x@example.com', created: true },
      { phone: '2000000', email: 'old@example.com', created: false },
    ]);
    assert.deepEqual(items, [
      { phone: '1000000', email: 'x@example.com', action: 'created' },
      { phone: '2000000', email: 'old@example.com', action: 'updated' },
      { phone: '1000000', email: 'x@example.com', action: 'updated' },
    ]);
  });
});

describe('removedItems', () => {
  it('reports what each reference removed and who was not found', () => {
    const elements = [{ email: 'a@example.com' }, { phone: '9000000' }];
    const read = {
      valid: [
        { index: 0, contact: { email: 'a@example.com' } },
        { index: 1, contact: { phone: '9000000' } },
      ],
      errors: [],
    };
    const { success, errors } = removedItems(elements, read, [
      { phone: '1000000', email: 'a@example.com', reference: 0 },
      { phone: '2000000', email: 'A@example.com', reference: 0 },
    ]);
    assert.deepEqual(
      success.map((item) => item.phone),
      ['1000000', '2000000'],
    );
    assert.deepEqual(
      errors.map((error) => [error.index, error.code, error.field]),
      [[1, 'not_found', 'phone']],
    );
  });
});

describe('batchResult', () => {
  it('counts the contacts of the request', () => {
    assert.equal(batchResult([1], [], []).message, '1 contact succeeded, 0 failed');
    const { errors } = readContactInputs([{}, {}]);
    assert.equal(batchResult([{}, {}, 1], [], errors).message, '1 contact succeeded, 2 failed');
  });
});

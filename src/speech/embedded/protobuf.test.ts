import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesField, bytesOf, type Field, readFields, textOf, textsOf, writeFields } from './protobuf.ts';

const plain = { noNullPrototype: true } as const;

const anyField: fc.Arbitrary<Field> = fc.oneof(
  fc.record(
    {
      number: fc.integer({ min: 1, max: 1 << 20 }),
      wire: fc.constant(0 as const),
      value: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
    },
    plain,
  ),
  fc.record(
    {
      number: fc.integer({ min: 1, max: 100 }),
      wire: fc.constant(2 as const),
      value: fc.uint8Array({ maxLength: 300 }),
    },
    plain,
  ),
  fc.record(
    {
      number: fc.integer({ min: 1, max: 100 }),
      wire: fc.constant(1 as const),
      value: fc.uint8Array({ minLength: 8, maxLength: 8 }),
    },
    plain,
  ),
  fc.record(
    {
      number: fc.integer({ min: 1, max: 100 }),
      wire: fc.constant(5 as const),
      value: fc.uint8Array({ minLength: 4, maxLength: 4 }),
    },
    plain,
  ),
);

test('any message is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(anyField), (fields) => {
      assert.deepEqual(readFields(writeFields(fields)), fields);
    }),
  );
});

test('a message that is cut short is refused', () => {
  const bytes = writeFields([bytesField(1, 'hello')]);
  assert.throws(() => readFields(bytes.subarray(0, -1)), /cut short/);
});

test('fields are found by number', () => {
  const fields = [bytesField(1, 'a'), bytesField(2, 'b'), bytesField(1, 'c')];
  assert.deepEqual(textsOf(fields, 1), ['a', 'c']);
  assert.equal(textOf(fields, 2), 'b');
  assert.equal(textOf(fields, 3), '');
  assert.equal(bytesOf(fields, 1).length, 2);
});

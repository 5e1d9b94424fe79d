import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { seal, unseal } from './sealed.ts';

describe('seal', () => {
  const key = randomBytes(32);

  it('hides a secret that opens with the same key for the same owner only', () => {
    const sealed = seal(key, 'whsec_geheim', 'owner');
    assert.ok(!sealed.includes('geheim'));
    assert.equal(unseal(key, sealed, 'owner'), 'whsec_geheim');
    assert.equal(unseal(key, sealed, 'another'), undefined);
    assert.equal(unseal(randomBytes(32), sealed, 'owner'), undefined);
  });

  it('opens nothing that was changed or cut', () => {
    const sealed = seal(key, 'whsec_geheim', 'owner');
    for (let position = 0; position < sealed.length; position++) {
      const changed = Buffer.from(sealed);
      changed[position] = (changed[position] ?? 0) ^ 1;
      assert.equal(unseal(key, changed, 'owner'), undefined);
      assert.equal(unseal(key, sealed.subarray(0, position), 'owner'), undefined);
    }
  });

  it('never looks the same twice', () => {
    assert.notDeepEqual(seal(key, 'same', 'owner'), seal(key, 'same', 'owner'));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRule } from '../scripted/read-rule.ts';
import { keysAllowed, targetNamed, transferTargets } from './targets.ts';

describe('where a call may be handed over to', () => {
  const rules = [
    'Transfer to +1 (202) 555-0180 if they ask for a human.',
    'If they are angry, forward the call to sip:help@example.com. Be polite.',
    'Never transfer anybody to +12025550181.',
    'If they ask for our number, say it is +12025550182.',
  ];

  it('is what the rules name, and name for that', () => {
    assert.deepEqual(transferTargets(rules), ['+12025550180', 'sip:help@example.com']);
  });

  it('is found however it is written', () => {
    const targets = transferTargets(rules);
    assert.equal(targetNamed('+1 202 555 0180', targets), '+12025550180');
    assert.equal(targetNamed('SIP:help@example.com', targets), 'sip:help@example.com');
    for (const other of ['+19995550100', '2025550180', 'sip:evil@example.com', '', '+12025550181'])
      assert.equal(targetNamed(other, targets), undefined, other);
  });
});

describe('the keys that may be pressed', () => {
  it('are those that a menu offers and those that a rule names for menus', () => {
    const rules = [readRule('At the menu press 7.')];
    assert.deepEqual(keysAllowed('For sales press one. For support press two.', []), ['1', '2']);
    assert.deepEqual(keysAllowed('Press 1 for sales.', rules), ['7', '1']);
  });

  it('are none where nobody offers a menu', () => {
    const rules = [readRule('At the menu press 7.')];
    assert.deepEqual(keysAllowed('We are two people, one of them is out.', rules), []);
    assert.deepEqual(keysAllowed('Press nine now!', rules), []);
  });
});

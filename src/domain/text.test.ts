import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textFault } from './text.ts';

describe('textFault', () => {
  it('counts characters, not UTF-16 units', () => {
    assert.equal(textFault('🙂🙂🙂', 1, 3), undefined);
    assert.match(textFault('🙂🙂🙂🙂', 1, 3) ?? '', /at most 3/);
  });

  it('names the control character and where it stands', () => {
    assert.match(textFault('ab\ncd', 0, 10) ?? '', /U\+000A at position 2/);
  });

  it('takes lines and tabs where they are allowed, and no other control characters', () => {
    assert.equal(textFault('a\r\n\tb', 0, 10, { lineBreaks: true }), undefined);
    assert.match(textFault('a\0b', 0, 10, { lineBreaks: true }) ?? '', /U\+0000/);
  });

  it('refuses half of a surrogate pair', () => {
    assert.match(textFault('a\udc00', 0, 10) ?? '', /surrogate/);
  });

  it('takes any other writing', () => {
    assert.equal(textFault('Ωλ “Łódź” 王小明 \u2028 \u200d', 1, 100), undefined);
  });
});

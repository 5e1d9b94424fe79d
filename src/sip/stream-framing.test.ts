import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FramingError, StreamFraming } from './stream-framing.ts';

function framing() {
  const messages: string[] = [];
  let pings = 0;
  const stream = new StreamFraming({
    onMessage: (data) => messages.push(data.toString()),
    onPing: () => {
      pings++;
    },
  });
  return { messages, pings: () => pings, push: (text: string) => stream.push(Buffer.from(text)) };
}

const one = 'OPTIONS sip:a SIP/2.0\r\nContent-Length: 5\r\n\r\nhello';
const two = 'OPTIONS sip:b SIP/2.0\r\nl : 0\r\n\r\n';

describe('a stream of SIP messages', () => {
  it('is cut by Content-Length, however its bytes arrive', () => {
    for (let size = 1; size < 60; size++) {
      const { messages, push } = framing();
      const bytes = `${one}${two}\r\n\r\n${one}`;
      for (let at = 0; at < bytes.length; at += size) push(bytes.slice(at, at + size));
      assert.deepEqual(messages, [one, two, one]);
    }
  });

  it('answers a double line break and takes a single one as an answer', () => {
    const { messages, pings, push } = framing();
    push('\r\n\r\n');
    push('\r\n');
    push(`\r\n\r\n${one}`);
    assert.equal(pings(), 2);
    assert.deepEqual(messages, [one]);
  });

  it('ends where it is no SIP: no Content-Length, no end of the headers, too large', () => {
    for (const bytes of [
      'OPTIONS sip:a SIP/2.0\r\nVia: x\r\n\r\n',
      'x'.repeat(70_000),
      'A b SIP/2.0\r\nContent-Length: 9999999\r\n\r\n',
      'A b SIP/2.0\r\nContent-Length: -1\r\n\r\n',
    ]) {
      assert.throws(() => framing().push(bytes), FramingError);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { speakable } from './speakable.ts';
import { parseSpokenEmail } from './spoken-email.ts';

const table: [heard: string, address: string | undefined][] = [
  ['J O H N at gmail dot com.', 'john@gmail.com'],
  ['J-O-H-N at gmail dot com', 'john@gmail.com'],
  ['John at gmail.com', 'john@gmail.com'],
  ['john.smith@acme.com', 'john.smith@acme.com'],
  ['john dot smith at gmail dot com', 'john.smith@gmail.com'],
  ["It's Sarah dot Connor at Cyberdyne dot com.", 'sarah.connor@cyberdyne.com'],
  ["It's john underscore doe at yahoo dot co dot uk", 'john_doe@yahoo.co.uk'],
  ['mary dash jane at example dash site dot org', 'mary-jane@example-site.org'],
  ['john plus test at gmail dot com', 'john+test@gmail.com'],
  ['my email is j as in juliet o h n at acme dot com', 'john@acme.com'],
  ['you can reach me at john at gmail dot com', 'john@gmail.com'],
  ['J D nine nine at gmail dot com', 'jd99@gmail.com'],
  ['john smith ninety nine at hot mail dot com', 'johnsmith99@hotmail.com'],
  ['sam nineteen eighty five at acme dot com', 'sam1985@acme.com'],
  ['m a r y at g mail dot com', 'mary@gmail.com'],
  ['info at acme dot I O', 'info@acme.io'],
  ['mike at acme dot com', 'mike@acme.com'],
  ['sam at example dot com please', 'sam@example.com'],
  ['john at gmail', 'john@gmail.com'],
  ['bob at the store', undefined],
  ['at gmail dot com', undefined],
  ["I'm at home", undefined],
  ['meet me at five', undefined],
  ['I have no email', undefined],
  ["don't write to john at gmail dot com", undefined],
  ['', undefined],
];

describe('parseSpokenEmail', () => {
  for (const [heard, address] of table) {
    it(`hears ${address} in "${heard}"`, () => assert.equal(parseSpokenEmail(heard)?.value, address));
  }

  it('is less sure of words that were run together, of unspelled names and of a domain half said', () => {
    const confidence = (heard: string) => parseSpokenEmail(heard)?.confidence ?? 0;
    assert.ok(confidence('S A M at acme dot com') > confidence('sam at acme dot com'));
    assert.ok(confidence('john smith at acme dot com') < 0.7);
    assert.ok(confidence('john at gmail') <= 0.6);
  });

  it('hears every address that is said', () => {
    const part = fc.constantFrom('john', 'smith', 'mary', 'x', 'jd', 'info', 'sales', '42', '7', 'peter');
    const local = fc
      .tuple(part, fc.constantFrom('.', '_', '-', '+', ''), part)
      .map(([first, sign, second]) => `${first}${sign}${second}`)
      .filter(
        (text) => /^[a-z]/.test(text) && !/[a-z]{4}[a-z]/.test(text.replace(/john|smith|mary|info|sales|peter/g, 'x')),
      );
    const domain = fc.constantFrom('gmail.com', 'acme.com', 'acme.co.uk', 'my-shop.org', 'acme.io', 'mail.example.net');
    fc.assert(
      fc.property(local, domain, (name, host) => {
        const address = `${name}@${host}`;
        assert.equal(parseSpokenEmail(speakable(address))?.value, address, speakable(address));
      }),
    );
  });

  it('never throws, and gives only what looks like an address', () => {
    const words = 'john at dot com gmail j o h n as in underscore dash nine double at sign @ . - my email is the'.split(
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((all) => all.join(' ')),
        ),
        (text) => {
          const heard = parseSpokenEmail(text);
          if (heard) assert.match(heard.value, /^[a-z0-9][a-z0-9._+-]*@[a-z0-9.-]+\.[a-z]{2,}$/);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog, scrub } from './log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  write(
    createLog({
      level: 'trace',
      destination: {
        write: (line) => {
          text += line;
        },
      },
    }),
  );
  return text;
}

describe('the log', () => {
  it('never writes what stands under "personal"', () => {
    const text = logged((log) => {
      log.info({ personal: { name: 'Ada' } }, 'first');
      log.info({ call: { personal: 'Ada' } }, 'second');
    });
    assert.doesNotMatch(text, /Ada/);
    assert.match(text, /second/);
  });

  it('scrubs the texts of errors but keeps their stack', () => {
    const text = logged((log) =>
      log.error({ err: new Error('cannot call +1 (202) 555-0100 for ada@example.com') }, 'failed'),
    );
    assert.doesNotMatch(text, /555-0100|ada@/);
    assert.match(text, /cannot call \[number\] for \[email\]/);
    assert.match(text, /log\.test\.ts/);
  });
});

describe('scrub', () => {
  it('takes out numbers, addresses, tokens and secrets, and leaves other words', () => {
    assert.equal(scrub('call +12025550100 now'), 'call [number] now');
    assert.equal(scrub('mail a.b+c@example.co.uk'), 'mail [email]');
    assert.equal(scrub('token eyJhbGciOi.eyJzdWIi.c2ln end'), 'token [token] end');
    assert.equal(scrub('key parley_key_abc-DEF_123'), 'key [secret]');
    assert.equal(scrub('key whsec_MfKQ9r8G/KYq+Jl=='), 'key [secret]');
    assert.equal(scrub('status 503 after 20 ms at line 1234'), 'status 503 after 20 ms at line 1234');
  });
});

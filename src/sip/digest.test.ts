import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { DigestAuthentication } from './digest.ts';
import { newRequest, newResponse, type SipRequest } from './message.ts';

const credentials = { username: 'ada', password: 'p"w' };

function challenged(request: SipRequest, ...lines: string[]) {
  const response = newResponse(request, 401, 'Unauthorized');
  response.headers.set('www-authenticate', ...lines);
  return response;
}

/** The server's side: whether the answer is right. */
function check(request: SipRequest, hash: string, session: boolean): Record<string, string> {
  const line = request.headers.get('authorization') ?? '';
  const fields = Object.fromEntries(
    [...line.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]+))/g)].map(([, name, quoted, bare]) => [
      name,
      quoted ?? bare,
    ]),
  );
  const digest = (text: string) => createHash(hash).update(text).digest('hex');
  const account = digest(`${credentials.username}:${fields['realm']}:${credentials.password}`);
  const a1 = session ? digest(`${account}:${fields['nonce']}:${fields['cnonce']}`) : account;
  const a2 = digest(`${request.method}:${fields['uri']}`);
  const expected = fields['qop']
    ? digest([a1, fields['nonce'], fields['nc'], fields['cnonce'], fields['qop'], a2].join(':'))
    : digest(`${a1}:${fields['nonce']}:${a2}`);
  assert.equal(fields['response'], expected);
  return fields as Record<string, string>;
}

describe('digest authentication', () => {
  for (const [algorithm, hash, session] of [
    ['MD5', 'md5', false],
    ['MD5-sess', 'md5', true],
    ['SHA-256', 'sha256', false],
    ['SHA-256-sess', 'sha256', true],
    ['SHA-512-256', 'sha512-256', false],
  ] as const) {
    for (const qop of ['', ', qop="auth-int,auth"']) {
      it(`answers ${algorithm}${qop && ' with qop auth'}`, () => {
        const authentication = new DigestAuthentication(credentials);
        const request = newRequest('INVITE', 'sip:bob@example.com');
        const response = challenged(
          request,
          `Digest realm="example.com", nonce="n1", opaque="o", algorithm=${algorithm}${qop}`,
        );
        assert.equal(authentication.learn(response, request), true);
        authentication.sign(request);
        const fields = check(request, hash, session);
        assert.equal(fields['opaque'], 'o');
        assert.equal(fields['qop'], qop ? 'auth' : undefined);
      });
    }
  }

  it('computes the answer of RFC 2617 §3.5', () => {
    const authentication = new DigestAuthentication({ username: 'Mufasa', password: 'Circle Of Life' });
    const request = newRequest('GET', '/dir/index.html');
    authentication.learn(
      challenged(request, 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"'),
      request,
    );
    authentication.sign(request);
    assert.match(request.headers.get('authorization') ?? '', /response="670fd8c2df070c60b045671b8b24ff02"/);
  });

  it('goes on using a nonce and counts its uses', () => {
    const authentication = new DigestAuthentication(credentials);
    const first = newRequest('INVITE', 'sip:bob@example.com');
    authentication.learn(challenged(first, 'Digest realm="r", nonce="n", qop="auth"'), first);
    for (const nc of ['00000001', '00000002', '00000003']) {
      const request = newRequest('BYE', 'sip:bob@example.com');
      authentication.sign(request);
      assert.equal(check(request, 'md5', false)['nc'], nc);
    }
  });

  it('takes a new nonce when the old one is stale, and gives up when the password is refused', () => {
    const authentication = new DigestAuthentication(credentials);
    const request = newRequest('INVITE', 'sip:bob@example.com');
    assert.equal(authentication.learn(challenged(request, 'Digest realm="r", nonce="1"'), request), true);
    authentication.sign(request);
    assert.equal(authentication.learn(challenged(request, 'Digest realm="r", nonce="2", stale=TRUE'), request), true);
    authentication.sign(request);
    assert.equal(authentication.learn(challenged(request, 'Digest realm="r", nonce="3"'), request), false);
    assert.equal(authentication.learn(challenged(request, 'Digest realm="r", nonce="2", stale=true'), request), false);
  });

  it('takes a new nonce for one that was good before, whether or not that is called stale', () => {
    const authentication = new DigestAuthentication(credentials);
    const first = newRequest('INVITE', 'sip:bob@example.com');
    authentication.learn(challenged(first, 'Digest realm="r", nonce="1"'), first);
    authentication.sign(first);
    const later = newRequest('INVITE', 'sip:bob@example.com');
    authentication.sign(later);
    assert.equal(authentication.learn(challenged(later, 'Digest realm="r", nonce="2"'), later), true);
    authentication.sign(later);
    assert.equal(authentication.learn(challenged(later, 'Digest realm="r", nonce="3"'), later), false);
  });

  it('answers a proxy that makes the same nonce as the registrar before it', () => {
    const authentication = new DigestAuthentication(credentials);
    const register = newRequest('REGISTER', 'sip:example.com');
    authentication.learn(challenged(register, 'Digest realm="r", nonce="1"'), register);
    const invite = newRequest('INVITE', 'sip:bob@example.com');
    authentication.sign(invite);
    const response = newResponse(invite, 407, 'Proxy Authentication Required');
    response.headers.set('proxy-authenticate', 'Digest realm="r", nonce="1"');
    assert.equal(authentication.learn(response, invite), true);
    authentication.sign(invite);
    assert.match(invite.headers.get('proxy-authorization') ?? '', /nonce="1"/);
    assert.equal(authentication.learn(response, invite), false);
  });

  it('does not ask for ever when every nonce is called stale at once', () => {
    const authentication = new DigestAuthentication(credentials);
    let request = newRequest('INVITE', 'sip:bob@example.com');
    let attempts = 1;
    while (authentication.learn(challenged(request, `Digest realm="r", nonce="${attempts}", stale=true`), request)) {
      request = newRequest('INVITE', 'sip:bob@example.com');
      authentication.sign(request);
      assert.ok(++attempts < 10);
    }
    assert.equal(attempts, 5);
  });

  it('takes the first challenge of a realm that it understands', () => {
    const authentication = new DigestAuthentication(credentials);
    const request = newRequest('INVITE', 'sip:bob@example.com');
    const lines = [
      'NTLM realm="r"',
      'Digest realm="r", nonce="1", algorithm=WHIRLPOOL',
      'Digest realm="r", nonce="2", algorithm=SHA-256',
      'Digest realm="r", nonce="3", algorithm=MD5',
    ];
    assert.equal(authentication.learn(challenged(request, ...lines), request), true);
    authentication.sign(request);
    assert.equal(check(request, 'sha256', false)['nonce'], '2');
  });

  it('answers a proxy and a server at once', () => {
    const authentication = new DigestAuthentication(credentials);
    const request = newRequest('INVITE', 'sip:bob@example.com');
    const response = challenged(request, 'Digest realm="server", nonce="1"');
    response.headers.set('proxy-authenticate', 'Digest realm="proxy", nonce="2"');
    authentication.learn(response, request);
    authentication.sign(request);
    assert.match(request.headers.get('authorization') ?? '', /realm="server"/);
    assert.match(request.headers.get('proxy-authorization') ?? '', /realm="proxy"/);
  });

  it('cannot answer what it does not understand', () => {
    const authentication = new DigestAuthentication(credentials);
    const request = newRequest('INVITE', 'sip:bob@example.com');
    assert.equal(authentication.learn(challenged(request, 'Basic realm="r"'), request), false);
    assert.equal(
      authentication.learn(challenged(request, 'Digest realm="r", nonce="1", qop="auth-int"'), request),
      false,
    );
  });
});

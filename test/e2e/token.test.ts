import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { rotateSigningKey } from '../../src/auth/signing-keys.ts';
import { callScope } from '../../src/domain/account.ts';
import { deleteAccount } from '../../src/store/accounts.ts';
import { createClient, revokeClient } from '../../src/store/oauth-clients.ts';
import { callBody, send, startService, type Tenant, TestClock, tokenForm } from '../harness/service.ts';

const clock = new TestClock();
const service = await startService({ clock });
const { tenant } = service;
const tokenUrl = `${service.url}/oauth2/token`;

function ask(form: URLSearchParams | string, headers: Record<string, string> = {}) {
  return send('POST', tokenUrl, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: form.toString(),
  });
}

function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

const withoutCredentials = { client_id: undefined, client_secret: undefined };

async function refused(form: URLSearchParams | string, error: string, headers: Record<string, string> = {}) {
  const answer = await ask(form, headers);
  assert.equal(answer.status, 400);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
  assert.equal(answer.body.error, error, answer.body.error_description);
  return answer;
}

describe('POST /oauth2/token: success', () => {
  it('answers 200 with access_token, token_type Bearer, expires_in and scope, and Cache-Control: no-store', async () => {
    const { status, headers, body } = await ask(tokenForm(tenant));
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_in', 'scope', 'token_type']);
    assert.equal(body.token_type, 'Bearer');
    assert.equal(body.expires_in, 3600);
    assert.equal(body.scope, callScope);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  it('issues a JWT as RFC 9068 profiles it, signed with ES256', async () => {
    const { body } = await ask(tokenForm(tenant));
    const header = decodeProtectedHeader(body.access_token);
    assert.equal(header.alg, 'ES256');
    assert.equal(header.typ, 'at+jwt');
    const claims = decodeJwt(body.access_token);
    assert.equal(claims.iss, service.url);
    assert.equal(claims.sub, tenant.clientId);
    assert.equal(claims['client_id'], tenant.clientId);
    assert.equal(claims['scope'], callScope);
    assert.equal((claims.exp as number) - (claims.iat as number), 3600);
    assert.ok(claims.jti && claims.aud);
  });

  it('is verifiable by anyone with the keys at /.well-known/jwks.json', async () => {
    const { body } = await ask(tokenForm(tenant));
    const keys = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(body.access_token, keys, { issuer: service.url, currentDate: clock.now() });
    assert.equal(payload['client_id'], tenant.clientId);
  });

  it('publishes no private part of a key', async () => {
    const { body } = await send('GET', `${service.url}/.well-known/jwks.json`);
    for (const key of body.keys) assert.equal('d' in key, false);
  });

  it('describes itself at /.well-known/oauth-authorization-server (RFC 8414)', async () => {
    const { status, body } = await send('GET', `${service.url}/.well-known/oauth-authorization-server`);
    assert.equal(status, 200);
    assert.equal(body.issuer, service.url);
    assert.equal(body.token_endpoint, tokenUrl);
    assert.equal(body.jwks_uri, `${service.url}/.well-known/jwks.json`);
    assert.deepEqual(body.grant_types_supported, ['client_credentials']);
    assert.deepEqual(body.scopes_supported, [callScope]);
  });

  it('ignores unknown parameters', async () => {
    assert.equal((await ask(tokenForm(tenant, { audience: 'somebody' }))).status, 200);
  });

  it('takes a charset in the content type', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    assert.equal((await ask(tokenForm(tenant), headers)).status, 200);
  });

  it('lives as long as PARLEY_TOKEN_SECONDS says', async () => {
    const short = await startService({ env: { PARLEY_TOKEN_SECONDS: '120' } });
    const { body } = await send('POST', `${short.url}/oauth2/token`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: tokenForm(short.tenant).toString(),
    });
    assert.equal(body.expires_in, 120);
  });

  it('grants one scope once, however often it is asked for', async () => {
    const { body } = await ask(tokenForm(tenant, { scope: `${callScope} ${callScope}` }));
    assert.equal(body.scope, callScope);
  });
});

describe('POST /oauth2/token: errors are RFC 6749 §5.2, status 400', () => {
  it('invalid_client for a wrong secret and for a wrong id, with the same body', async () => {
    const wrongSecret = await refused(tokenForm(tenant, { client_secret: 'parley_secret_wrong' }), 'invalid_client');
    const wrongId = await refused(tokenForm(tenant, { client_id: 'nobody' }), 'invalid_client');
    assert.deepEqual(wrongSecret.body, wrongId.body);
  });

  for (const field of ['grant_type', 'client_id', 'client_secret', 'scope']) {
    it(`invalid_request without ${field}, which the description names`, async () => {
      const { body } = await refused(tokenForm(tenant, { [field]: undefined }), 'invalid_request');
      assert.match(body.error_description, new RegExp(field));
    });

    it(`invalid_request with an empty ${field}, as if it were left out (RFC 6749 §3.2)`, async () => {
      await refused(tokenForm(tenant, { [field]: '' }), 'invalid_request');
    });
  }

  it('invalid_request names all missing parameters at once', async () => {
    const { body } = await refused('', 'invalid_request');
    assert.match(body.error_description, /grant_type, client_id, client_secret, scope/);
  });

  it('unsupported_grant_type for another grant', async () => {
    await refused(tokenForm(tenant, { grant_type: 'password' }), 'unsupported_grant_type');
  });

  it('invalid_scope for an unknown scope, also beside a known one', async () => {
    await refused(tokenForm(tenant, { scope: 'everything' }), 'invalid_scope');
    await refused(tokenForm(tenant, { scope: `${callScope} everything` }), 'invalid_scope');
  });

  it('invalid_scope for a scope that is not granted to the client', async () => {
    const { hashSecret } = await import('../../src/auth/secret.ts');
    await createClient(service.db, tenant.accountId, {
      clientId: 'scopeless',
      name: 'No scopes',
      secretHash: hashSecret('s3cret'),
      scopes: [],
    });
    await refused(tokenForm(tenant, { client_id: 'scopeless', client_secret: 's3cret' }), 'invalid_scope');
  });

  it('invalid_client for a revoked client', async () => {
    const other = await service.newTenant();
    await revokeClient(service.db, other.accountId, other.clientId);
    await refused(tokenForm(other), 'invalid_client');
  });

  it('unauthorized_client for a client of a closed account', async () => {
    const other = await service.newTenant();
    await deleteAccount(service.db, other.accountId);
    await refused(tokenForm(other), 'unauthorized_client');
  });

  it('invalid_request for a duplicate parameter (RFC 6749 §3.2)', async () => {
    await refused(`${tokenForm(tenant)}&scope=${encodeURIComponent(callScope)}`, 'invalid_request');
    await refused(`${tokenForm(tenant)}&colour=red&colour=blue`, 'invalid_request');
  });

  it('invalid_request for a wrong content type, with status 400 and not 415', async () => {
    const json = JSON.stringify(Object.fromEntries(tokenForm(tenant)));
    await refused(json, 'invalid_request', { 'content-type': 'application/json' });
    await refused(tokenForm(tenant), 'invalid_request', { 'content-type': 'text/plain' });
  });

  it('invalid_client for a NUL character in the id', async () => {
    await refused(tokenForm(tenant, { client_id: 'a\0b' }), 'invalid_client');
  });

  it('413 for a body over the limit', async () => {
    const { status } = await ask(`${tokenForm(tenant)}&padding=${'x'.repeat(100_000)}`);
    assert.equal(status, 413);
  });

  it('never stores a secret in the clear', async () => {
    const { rows } = await service.db.query('SELECT * FROM oauth_clients');
    assert.equal(JSON.stringify(rows).includes(tenant.clientSecret), false);
    const hex = Buffer.from(tenant.clientSecret).toString('hex');
    assert.equal(JSON.stringify(rows.map((row) => row.secret_hash?.toString('hex'))).includes(hex), false);
  });
});

describe('POST /oauth2/token: HTTP Basic', () => {
  it('is accepted in place of credentials in the body', async () => {
    const { status } = await ask(tokenForm(tenant, withoutCredentials), basic(tenant.clientId, tenant.clientSecret));
    assert.equal(status, 200);
  });

  it('takes form-encoded halves (RFC 6749 §2.3.1)', async () => {
    const { hashSecret } = await import('../../src/auth/secret.ts');
    await createClient(service.db, tenant.accountId, {
      clientId: 'odd id:ü',
      name: 'Odd',
      secretHash: hashSecret('p%+ß :'),
      scopes: [callScope],
    });
    const encode = (part: string) => encodeURIComponent(part).replaceAll('%20', '+');
    const headers = basic(encode('odd id:ü'), encode('p%+ß :'));
    assert.equal((await ask(tokenForm(tenant, withoutCredentials), headers)).status, 200);
  });

  for (const [what, headers] of Object.entries({
    'a wrong secret': basic(tenant.clientId, 'wrong'),
    'no colon': { authorization: `Basic ${Buffer.from('abc').toString('base64')}` },
    'nothing behind the scheme': { authorization: 'Basic' },
  })) {
    it(`a failed attempt (${what}) is 401 with WWW-Authenticate`, async () => {
      const answer = await ask(tokenForm(tenant, withoutCredentials), headers);
      assert.equal(answer.status, 401);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm=/);
      assert.equal(answer.body.error, 'invalid_client');
    });
  }

  it('together with credentials in the body is invalid_request', async () => {
    await refused(tokenForm(tenant), 'invalid_request', basic(tenant.clientId, tenant.clientSecret));
  });
});

describe('POST /oauth2/token: XSRF-TOKEN cookie', () => {
  function cookieOf(headers: Headers): string {
    return headers.getSetCookie().find((cookie) => cookie.startsWith('XSRF-TOKEN=')) ?? '';
  }
  const pair = (cookie: string) => cookie.split(';')[0] as string;

  it('is set by every token response, also by errors, with Path=/; HttpOnly; SameSite=Lax', async () => {
    for (const form of [tokenForm(tenant), tokenForm(tenant, { scope: 'nonsense' })]) {
      const cookie = cookieOf((await ask(form)).headers);
      assert.match(cookie, /^XSRF-TOKEN=[^;]+; .*Path=\/; HttpOnly; SameSite=Lax$/);
    }
  });

  it('is accepted when it is one of ours and unexpired', async () => {
    const { headers } = await ask(tokenForm(tenant));
    assert.equal((await ask(tokenForm(tenant), { cookie: pair(cookieOf(headers)) })).status, 200);
  });

  it('is accepted beside other cookies', async () => {
    const { headers } = await ask(tokenForm(tenant));
    assert.equal((await ask(tokenForm(tenant), { cookie: `a=b; ${pair(cookieOf(headers))}; c=d` })).status, 200);
  });

  it('is refused with invalid_request when it is not ours', async () => {
    const { headers } = await ask(tokenForm(tenant));
    const ours = pair(cookieOf(headers));
    const flipped = ours.slice(0, -2) + (ours.at(-2) === 'A' ? 'B' : 'A') + ours.at(-1);
    for (const cookie of ['XSRF-TOKEN=abc', 'XSRF-TOKEN=', 'XSRF-TOKEN', flipped, `${ours}; XSRF-TOKEN=abc`]) {
      await refused(tokenForm(tenant), 'invalid_request', { cookie });
    }
  });

  it('is refused with invalid_request once it has expired', async () => {
    const { headers } = await ask(tokenForm(tenant));
    clock.advance(24 * 60 * 60 * 1000 + 1000);
    await refused(tokenForm(tenant), 'invalid_request', { cookie: pair(cookieOf(headers)) });
  });

  it('is Secure under https, also behind a trusted proxy', async () => {
    const secure = await startService({ env: { PARLEY_PUBLIC_URL: 'https://calls.example.com' } });
    const proxied = await startService({ env: { PARLEY_TRUST_PROXY: '127.0.0.1' } });
    for (const [{ url, tenant }, headers] of [
      [secure, {}],
      [proxied, { 'x-forwarded-proto': 'https' }],
    ] as const) {
      const answer = await send('POST', `${url}/oauth2/token`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: tokenForm(tenant).toString(),
      });
      assert.equal(answer.status, 200);
      assert.match(cookieOf(answer.headers), /; Secure$/);
    }
  });

  it('changes nothing when it is not sent', async () => {
    assert.equal((await ask(tokenForm(tenant))).status, 200);
  });
});

describe('POST /oauth2/token: failed authentications are slowed', () => {
  it('more with each failure of a client at an address, while the right secret is answered at once', async () => {
    const victim = await service.newTenant();
    clock.sleeps.length = 0;
    for (let i = 0; i < 20; i++) await ask(tokenForm(victim, { client_secret: `guess ${i}` }));
    assert.ok(clock.sleeps.length >= 9, 'the eleventh and later failures wait');
    assert.deepEqual(
      clock.sleeps,
      clock.sleeps.toSorted((a, b) => a - b),
    );
    assert.equal(clock.sleeps.at(-1), 5_000);
    const waited = clock.sleeps.length;
    assert.equal((await ask(tokenForm(victim))).status, 200);
    assert.equal(clock.sleeps.length, waited);
  });

  it('the same for an id that does not exist', async () => {
    clock.sleeps.length = 0;
    for (let i = 0; i < 20; i++) await ask(tokenForm(tenant, { client_id: 'ghost' }));
    assert.equal(clock.sleeps.at(-1), 5_000);
  });

  it('and forgiven with time', async () => {
    clock.advance(60 * 60 * 1000);
    clock.sleeps.length = 0;
    await ask(tokenForm(tenant, { client_id: 'ghost' }));
    assert.deepEqual(clock.sleeps, []);
  });

  it('a flood from one address is refused with 429 and Retry-After, the right secret still not', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const patient = await startService({ clock: { now: () => new Date(), sleep: () => released } });
    const attempt = (form: URLSearchParams) => fetch(`${patient.url}/oauth2/token`, { method: 'POST', body: form });
    const wrong = tokenForm(patient.tenant, { client_secret: 'wrong' });
    for (let i = 0; i < 10; i++) await attempt(wrong); // free of delay
    const floods = Array.from({ length: 60 }, () => attempt(wrong));
    const refused = await new Promise<Response[]>((resolve) => {
      const settled: Response[] = [];
      for (const flood of floods) flood.then((answer) => settled.push(answer) === 10 && resolve(settled));
    });
    for (const answer of refused) {
      assert.equal(answer.status, 429, 'fifty wait, the others are refused');
      assert.ok(answer.headers.get('retry-after'));
    }
    assert.equal((await attempt(tokenForm(patient.tenant))).status, 200);
    release();
    const statuses = (await Promise.all(floods)).map((answer) => answer.status);
    assert.equal(statuses.filter((status) => status === 400).length, 50);
  });
});

describe('signing keys', () => {
  async function place(token: string, from: Tenant) {
    return send('POST', `${service.url}/outbound`, {
      headers: { authorization: `Bearer ${token}` },
      json: callBody(from),
    });
  }

  it('live in the database and rotate without invalidating live tokens', async () => {
    const before = await service.token();
    const oldKid = decodeProtectedHeader(before).kid;
    const newKid = await rotateSigningKey(service.db);
    clock.advance(10_001);
    const afterwards = await service.token();
    assert.equal(decodeProtectedHeader(afterwards).kid, newKid);
    assert.equal((await place(before, tenant)).status, 200);
    assert.equal((await place(afterwards, tenant)).status, 200);
    const { body } = await send('GET', `${service.url}/.well-known/jwks.json`);
    const kids = body.keys.map((key: { kid: string }) => key.kid);
    assert.ok(kids.includes(oldKid) && kids.includes(newKid));
  });

  it('a token signed by another process with a key we have not seen yet is accepted', async () => {
    const twin = await startService({
      databaseUrl: service.databaseUrl,
      clock,
      env: { PARLEY_PUBLIC_URL: service.url },
    });
    await service.token(); // our keys are fresh now
    await rotateSigningKey(service.db);
    const token = await twin.token(tenant);
    clock.advance(1_001);
    assert.equal((await place(token, tenant)).status, 200);
  });

  it('forget the private half of a retired key', async () => {
    const { rows } = await service.db.query('SELECT private_jwk FROM signing_keys WHERE retired_at IS NOT NULL');
    assert.ok(rows.length > 0);
    for (const row of rows) assert.equal(row.private_jwk, null);
  });
});

describe('the wire', () => {
  it('answers a request that says application/x-www-form-urlencoded in capitals', async () => {
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(tokenUrl, {
        method: 'POST',
        headers: { 'Content-Type': 'APPLICATION/X-WWW-FORM-URLENCODED' },
      });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      request.end(tokenForm(tenant).toString());
    });
    assert.equal(status, 200);
  });
});

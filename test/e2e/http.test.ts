import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { hashSecret, newSecret } from '../../src/auth/secret.ts';
import { createAdminToken } from '../../src/store/admin-tokens.ts';
import { callBody, send, startService, tokenForm } from '../harness/service.ts';

const service = await startService();
const { tenant, url } = service;
const key = { 'x-api-key': tenant.apiKey };
const contactsUrl = `${url}/api/v1/campaigns/${tenant.campaignId}/contacts`;

function isProblem(answer: Awaited<ReturnType<typeof send>>, status: number, code: string) {
  assert.equal(answer.status, status);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(answer.body.status, status);
  assert.equal(answer.body.code, code);
  for (const field of ['type', 'title', 'detail']) assert.equal(typeof answer.body[field], 'string');
}

/** What a raw socket gets back for the given bytes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

describe('errors are RFC 9457 problems', () => {
  it('400 for malformed JSON, also for bytes that are no UTF-8 and an empty body', async () => {
    const headers = { ...key, 'content-type': 'application/json' };
    for (const body of ['{', '{"contacts": [}', '', 'undefined', new Uint8Array([0x22, 0xff, 0x22])]) {
      isProblem(await send('POST', contactsUrl, { headers, body }), 400, 'malformed_json');
    }
  });

  it('415 for a wrong content type', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense']) {
      const answer = await send('POST', contactsUrl, { headers: { ...key, 'content-type': type }, body: '{}' });
      isProblem(answer, 415, 'unsupported_media_type');
    }
    const token = { authorization: `Bearer ${await service.token()}` };
    const answer = await send('POST', `${url}/outbound`, {
      headers: { ...token, 'content-type': 'text/plain' },
      body: '{}',
    });
    isProblem(answer, 415, 'unsupported_media_type');
  });

  it('413 for a body over the limit', async () => {
    const headers = { authorization: `Bearer ${await service.token()}` };
    const answer = await send('POST', `${url}/outbound`, {
      headers,
      json: callBody(tenant, { padding: 'x'.repeat(5_000_000) }),
    });
    isProblem(answer, 413, 'payload_too_large');
  });

  it('404 for an unknown path', async () => {
    for (const path of ['/', '/nothing', '/api/v1', '/api/v2/calls', '/outbound/more', '/%2e%2e/etc/passwd']) {
      isProblem(await send('GET', `${url}${path}`), 404, 'not_found');
    }
  });

  it('405 with Allow for a wrong method', async () => {
    for (const [method, path, allow] of [
      ['GET', '/outbound', 'POST'],
      ['DELETE', '/outbound', 'POST'],
      ['GET', '/oauth2/token', 'POST'],
      ['PUT', `/api/v1/campaigns/${tenant.campaignId}/contacts`, 'GET, HEAD, POST'],
      ['PROPFIND', '/health', 'GET, HEAD'],
      ['POST', '/.well-known/jwks.json', 'GET, HEAD'],
    ] as const) {
      const answer = await send(method, `${url}${path}`);
      isProblem(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  it('400 for a path that cannot be decoded', async () => {
    isProblem(await send('GET', `${url}/api/v1/calls/%zz`), 400, 'invalid_request');
  });

  it('500 with no internals in the text', async () => {
    const broken = await startService();
    await broken.db.query('DROP TABLE idempotency_keys, calls, contacts');
    const answer = await send('GET', `${broken.url}/api/v1/calls`, { headers: { 'x-api-key': broken.tenant.apiKey } });
    isProblem(answer, 500, 'internal_error');
    assert.doesNotMatch(JSON.stringify(answer.body), /relation|calls|select|at /i);
    assert.ok(
      broken.logged.some((line) => line.includes('42P01')),
      'the log tells what it was',
    );
  });

  it('503 with Retry-After while the database is away, and all is well when it is back', async () => {
    const lonely = await startService({ env: { PARLEY_DATABASE_CONNECTIONS: '2' } });
    const name = new URL(lonely.databaseUrl).pathname.slice(1);
    await service.db.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await service.db.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    const headers = { 'x-api-key': lonely.tenant.apiKey };
    assert.equal((await send('GET', `${lonely.url}/health`)).status, 503);
    const ready = await send('GET', `${lonely.url}/ready`);
    assert.equal(ready.status, 503);
    assert.deepEqual(ready.body.missing, ['database']);
    await service.db.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    assert.equal((await send('GET', `${lonely.url}/api/v1/calls`, { headers })).status, 200);
    assert.equal((await send('GET', `${lonely.url}/health`)).status, 200);
  });

  it('what is not HTTP gets a proper answer', async () => {
    const answer = await raw('NONSENSE\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(answer, /x-request-id: [0-9a-f-]{36}/);
    assert.match(answer, /"code":"invalid_request"/);
    assert.match(await raw(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /);
  });
});

describe('every response', () => {
  it('carries x-request-id, a UUID of the caller’s being taken over', async () => {
    const mine = '0190f0f0-0000-7000-8000-000000000001';
    for (const path of ['/health', '/nothing', '/outbound', '/api/v1/calls', '/%zz', '/docs', '/openapi.json']) {
      assert.match((await send('GET', `${url}${path}`)).headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    }
    const answer = await send('GET', `${url}/health`, { headers: { 'x-request-id': mine } });
    assert.equal(answer.headers.get('x-request-id'), mine);
    const other = await send('GET', `${url}/health`, { headers: { 'x-request-id': '+12025550100' } });
    assert.notEqual(other.headers.get('x-request-id'), '+12025550100');
  });

  it('carries the headers of helmet', async () => {
    const { headers } = await send('GET', `${url}/health`);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'self'/);
    assert.equal(headers.get('x-powered-by'), null);
  });

  it('makes browsers insist on https only where we are served over https', async () => {
    const secure = await startService({ env: { PARLEY_PUBLIC_URL: 'https://calls.example.com' } });
    const { headers: overHttps } = await send('GET', `${secure.url}/health`);
    const { headers: overHttp } = await send('GET', `${url}/health`);
    assert.ok(overHttps.get('strict-transport-security'));
    assert.match(overHttps.get('content-security-policy') ?? '', /upgrade-insecure-requests/);
    assert.equal(overHttp.get('strict-transport-security'), null);
    assert.doesNotMatch(overHttp.get('content-security-policy') ?? '', /upgrade-insecure-requests/);
  });
});

describe('rate limits', () => {
  it('answer 429 with Retry-After over the limit, count each key apart, and show RateLimit headers', async () => {
    const limited = await startService({ env: { PARLEY_RATE_LIMIT: '3' } });
    const other = await limited.newTenant();
    const ask = (apiKey: string) => send('GET', `${limited.url}/api/v1/calls`, { headers: { 'x-api-key': apiKey } });
    const first = await ask(limited.tenant.apiKey);
    assert.equal(first.headers.get('ratelimit-limit'), '3');
    assert.equal(first.headers.get('ratelimit-remaining'), '2');
    assert.ok(first.headers.get('ratelimit-reset'));
    await ask(limited.tenant.apiKey);
    await ask(limited.tenant.apiKey);
    const fourth = await ask(limited.tenant.apiKey);
    isProblem(fourth, 429, 'too_many_requests');
    assert.ok(Number(fourth.headers.get('retry-after')) > 0);
    assert.equal((await ask(other.apiKey)).status, 200);
    assert.equal((await send('GET', `${limited.url}/health`)).status, 200);
  });
});

describe('operations', () => {
  it('GET /health answers {"status":"ok"} once calls can be placed', async () => {
    const { status, body } = await send('GET', `${url}/health`);
    assert.equal(status, 200);
    assert.deepEqual(body, { status: 'ok' });
  });

  it('GET /ready says that nothing is missing', async () => {
    assert.deepEqual((await send('GET', `${url}/ready`)).body, { status: 'ready', missing: [] });
  });

  it('GET /metrics counts for Prometheus, with route patterns and no personal data', async () => {
    await send('GET', `${url}/api/v1/calls?toPhoneNumber=%2B12025550177`, { headers: key });
    const { status, body } = await send('GET', `${url}/metrics`);
    assert.equal(status, 200);
    assert.match(body, /parley_http_request_seconds_count\{method="GET",route="\/api\/v1\/calls",status="200"\} \d+/);
    assert.match(body, /parley_calls_accepted_total \d+/);
    assert.doesNotMatch(body, /12025550177/);
  });

  it('GET /metrics from elsewhere needs the admin token', async () => {
    const proxied = await startService({ env: { PARLEY_TRUST_PROXY: 'yes' } });
    const admin = newSecret('admin');
    await createAdminToken(proxied.db, hashSecret(admin));
    const elsewhere = { 'x-forwarded-for': '203.0.113.7' };
    const ask = (headers: Record<string, string>) =>
      send('GET', `${proxied.url}/metrics`, { headers: { ...elsewhere, ...headers } });
    isProblem(await ask({}), 403, 'forbidden');
    isProblem(await ask({ authorization: 'Bearer wrong' }), 403, 'forbidden');
    assert.equal((await ask({ authorization: `Bearer ${admin}` })).status, 200);
  });
});

describe('logs', () => {
  it('hold no secret, token, phone number, name, e-mail or text of a request', async () => {
    const quiet = await startService({ env: { PARLEY_LOG_LEVEL: 'trace' } });
    const secrets = {
      name: 'Wilhelmina Featherstonehaugh',
      email: 'wilhelmina@private.example',
      phone: '447700900123',
      note: 'owes us seventeen llamas',
    };
    const token = await quiet.token();
    const headers = { authorization: `Bearer ${token}` };
    const apiKey = { 'x-api-key': quiet.tenant.apiKey };
    const body = callBody(quiet.tenant, {
      name: secrets.name,
      toPhoneNumber: `+${secrets.phone}`,
      introNotes: secrets.note,
    });
    await send('POST', `${quiet.url}/outbound`, { headers, json: body });
    await send('POST', `${quiet.url}/outbound`, { headers, json: { ...body, name: `${secrets.name}\n` } });
    await send('POST', `${quiet.url}/outbound`, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: `{"name": "${secrets.name}"`,
    });
    await send('GET', `${quiet.url}/api/v1/calls?toPhoneNumber=%2B${secrets.phone}&x=${secrets.name}`, {
      headers: apiKey,
    });
    await send('GET', `${quiet.url}/${secrets.email}/${secrets.phone}`, { headers: { 'x-request-id': secrets.phone } });
    const contacts = [
      { phone: secrets.phone, firstName: secrets.name, email: secrets.email },
      { phone: `+${secrets.phone}` },
    ];
    const path = `${quiet.url}/api/v1/campaigns/${quiet.tenant.campaignId}/contacts`;
    await send('POST', path, { headers: apiKey, json: { contacts } });
    await fetch(`${quiet.url}/oauth2/token`, {
      method: 'POST',
      body: tokenForm(quiet.tenant, { client_secret: secrets.note }),
    });
    await quiet.db.query('ALTER TABLE contacts ADD CONSTRAINT no_one CHECK (phone IS NULL) NOT VALID');
    const failed = await send('POST', path, { headers: apiKey, json: { contacts } });
    assert.equal(failed.status, 500, 'also the database error that quotes the row');
    const log = quiet.logged.join('');
    assert.ok(quiet.logged.length >= 8);
    for (const secret of [
      ...Object.values(secrets),
      token,
      quiet.tenant.apiKey,
      quiet.tenant.clientSecret,
      '12025550100',
    ]) {
      assert.equal(log.includes(secret), false, secret);
    }
  });
});

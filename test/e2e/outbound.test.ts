import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJwt, SignJWT } from 'jose';
import { signingKeys } from '../../src/auth/signing-keys.ts';
import { callScope, tokenAudience } from '../../src/domain/account.ts';
import { revokeClient } from '../../src/store/oauth-clients.ts';
import { callBody, send, startService, type Tenant, TestClock } from '../harness/service.ts';

const clock = new TestClock();
const service = await startService({ clock });
const { tenant } = service;

async function place(body: unknown, options: { as?: Tenant; headers?: Record<string, string> } = {}) {
  const headers = { authorization: `Bearer ${await service.token(options.as)}`, ...options.headers };
  return send('POST', `${service.url}/outbound`, { headers, json: body });
}

async function storedCalls(): Promise<number> {
  const { rows } = await service.db.query('SELECT count(*)::integer AS count FROM calls');
  return rows[0].count;
}

async function show(callId: string, as: Tenant = tenant) {
  return send('GET', `${service.url}/api/v1/calls/${callId}`, { headers: { 'x-api-key': as.apiKey } });
}

async function refused(changes: Record<string, unknown>, ...paths: string[]) {
  const before = await storedCalls();
  const { status, headers, body } = await place(callBody(tenant, changes));
  assert.equal(status, 400, JSON.stringify(changes).slice(0, 200));
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(body.code, 'invalid_request');
  assert.deepEqual(body.errors.map((error: { path: string }) => error.path).sort(), paths.sort());
  assert.equal(await storedCalls(), before, 'nothing is stored');
  return body;
}

describe('POST /outbound: authentication', () => {
  async function forbidden(authorization: string | undefined, code: string, error: RegExp) {
    const { status, headers, body } = await send('POST', `${service.url}/outbound`, {
      headers: authorization === undefined ? {} : { authorization },
      json: callBody(tenant),
    });
    assert.equal(status, 403);
    assert.equal(body.code, code);
    assert.match(headers.get('www-authenticate') ?? '', error);
  }

  it('403 with WWW-Authenticate: Bearer when no token was sent', () =>
    forbidden(undefined, 'missing_token', /^Bearer realm="parley"$/));

  it('403 when another scheme was sent', () => forbidden('Basic abc', 'missing_token', /^Bearer realm="parley"$/));

  for (const [what, authorization] of Object.entries({
    'a malformed token': 'Bearer nonsense',
    'an empty token': 'Bearer',
    'a token with spaces': 'Bearer a b c',
  })) {
    it(`403 invalid_token for ${what}`, () => forbidden(authorization, 'invalid_token', /error="invalid_token"/));
  }

  it('403 invalid_token for an expired token', async () => {
    const token = await service.token();
    clock.advance(3_600_000);
    await forbidden(`Bearer ${token}`, 'invalid_token', /error="invalid_token"/);
  });

  it('an expired token is refused also when it was accepted before', async () => {
    const headers = { authorization: `Bearer ${await service.token()}` };
    assert.equal((await send('POST', `${service.url}/outbound`, { headers, json: callBody(tenant) })).status, 200);
    clock.advance(3_600_000);
    assert.equal((await send('POST', `${service.url}/outbound`, { headers, json: callBody(tenant) })).status, 403);
  });

  it('403 invalid_token for a wrongly signed token', async () => {
    const token = await service.token();
    const other = await startService({ clock });
    const foreign = (await other.token()).split('.')[2];
    await forbidden(`Bearer ${token.split('.').slice(0, 2).join('.')}.${foreign}`, 'invalid_token', /invalid_token/);
  });

  it('403 invalid_token for a token of another issuer', async () => {
    const other = await startService({ clock });
    await forbidden(`Bearer ${await other.token()}`, 'invalid_token', /error="invalid_token"/);
  });

  it('403 insufficient_scope for a token that lacks the scope', async () => {
    const { kid, privateKey } = await signingKeys(service.db, clock).current();
    const token = await new SignJWT({ client_id: tenant.clientId, scope: 'something/else' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .setIssuer(service.url)
      .setAudience(tokenAudience)
      .setExpirationTime(Math.floor(clock.now().getTime() / 1000) + 60)
      .sign(privateKey);
    await forbidden(
      `Bearer ${token}`,
      'insufficient_scope',
      new RegExp(`error="insufficient_scope".*scope="${callScope}"`),
    );
  });

  it('403 invalid_token for a live token of a client that was revoked', async () => {
    const other = await service.newTenant();
    const token = await service.token(other);
    await revokeClient(service.db, other.accountId, other.clientId);
    await forbidden(`Bearer ${token}`, 'invalid_token', /error="invalid_token"/);
  });

  it('takes the scheme in any case', async () => {
    const token = await service.token();
    assert.equal((await place(callBody(tenant), { headers: { authorization: `bearer ${token}` } })).status, 200);
  });

  it('refuses before it looks at the body', async () => {
    const { status } = await send('POST', `${service.url}/outbound`, { body: '{' });
    assert.equal(status, 403);
  });
});

describe('POST /outbound: plan and number', () => {
  it('403 plan_required for an account without the Plus plan, whatever the body', async () => {
    const basic = await service.newTenant({ plan: 'basic' });
    for (const body of [callBody(basic), {}]) {
      const answer = await place(body, { as: basic });
      assert.equal(answer.status, 403);
      assert.equal(answer.body.code, 'plan_required');
    }
  });

  it('403 from_number_not_owned for a number that is not the account’s', async () => {
    const other = await service.newTenant();
    for (const fromPhoneNumber of ['+12025559999', other.fromPhoneNumber]) {
      const answer = await place(callBody(tenant, { fromPhoneNumber }));
      assert.equal(answer.status, 403);
      assert.equal(answer.body.code, 'from_number_not_owned');
    }
  });

  it('two accounts may have agents with the same number, and each calls as itself', async () => {
    const other = await service.newTenant({ fromPhoneNumber: tenant.fromPhoneNumber });
    const { body } = await place(callBody(other), { as: other });
    assert.equal((await show(body.callId, other)).status, 200);
    assert.equal((await show(body.callId, tenant)).status, 404);
  });
});

describe('POST /outbound: success', () => {
  it('answers 200 with callId, status queued, message and warnings', async () => {
    const { status, body } = await place(callBody(tenant));
    assert.equal(status, 200);
    assert.match(body.callId, /^[0-9a-f-]{36}$/);
    assert.equal(body.status, 'queued');
    assert.equal(typeof body.message, 'string');
    assert.deepEqual(body.warnings, []);
  });

  it('the call is durably recorded with all its fields', async () => {
    const sent = callBody(tenant, {
      name: 'Zoë 王 🙂',
      introNotes: 'Asked for an offer',
      introMessage: 'Hello Zoë!',
      introVoicemail: 'Please call back.',
      customQuestions: ['Why?', 'When?'],
      customRules: ['Be kind.'],
      formInfo: [{ company: 'Acme' }, { key: 'size', value: 12 }, { vip: true }, { key: 'k' }],
    });
    const { body } = await place(sent);
    const { body: call } = await show(body.callId);
    for (const [field, value] of Object.entries(sent)) assert.deepEqual(call[field], value, field);
    assert.equal(call.status, 'queued');
    assert.equal(call.attempts, 0);
    assert.equal(call.answeredAt, null);
    assert.equal(call.endedAt, null);
    assert.equal('outcome' in call, false);
  });

  it('unknown fields do not fail the call; each is named in warnings', async () => {
    const { status, body } = await place(callBody(tenant, { colour: 'red', IntroMessage: 'x', __proto__x: 1 }));
    assert.equal(status, 200);
    assert.equal(body.warnings.length, 3);
    assert.match(body.warnings[0], /"colour"/);
    assert.match(body.warnings[1], /"IntroMessage"/);
  });

  it('formInfo may be empty', async () => {
    assert.equal((await place(callBody(tenant, { formInfo: [] }))).status, 200);
  });

  it('customQuestions absent or empty: the agent’s default questions; given: those', async () => {
    for (const [changes, expected] of [
      [{}, ['Default question one?', 'Default question two?']],
      [{ customQuestions: [] }, ['Default question one?', 'Default question two?']],
      [{ customQuestions: ['Mine?'] }, ['Mine?']],
    ] as const) {
      const { body } = await place(callBody(tenant, changes));
      const answer = await send('POST', `${service.url}/api/v1/calls/${body.callId}/cancel`, {
        headers: { 'x-api-key': tenant.apiKey },
      });
      assert.deepEqual(
        answer.body.answers.map((due: { question: string }) => due.question),
        expected,
      );
    }
  });

  it('customRules absent: the default rules; given, they replace them, and empty means none', async () => {
    for (const [changes, expected] of [
      [{}, ['Default rule.']],
      [{ customRules: [] }, []],
      [{ customRules: ['Mine.'] }, ['Mine.']],
    ] as const) {
      const { body } = await place(callBody(tenant, changes));
      const answer = await send('POST', `${service.url}/api/v1/calls/${body.callId}/cancel`, {
        headers: { 'x-api-key': tenant.apiKey },
      });
      assert.deepEqual(
        answer.body.rules.map((due: { rule: string }) => due.rule),
        expected,
      );
    }
  });

  it('takes texts at their limits, counted in characters', async () => {
    const { status } = await place(
      callBody(tenant, {
        name: '🙂'.repeat(200),
        introNotes: 'é'.repeat(5_000),
        introMessage: '🙂'.repeat(5_000),
        customQuestions: Array(50).fill('?'.repeat(1_000)),
        customRules: Array(50).fill('🙂'.repeat(1_000)),
        formInfo: Array.from({ length: 100 }, (_, index) => ({ [`key ${index}`]: '🙂'.repeat(5_000) })),
      }),
    );
    assert.equal(status, 200);
  });
});

describe('POST /outbound: bad bodies are 400 with all their errors', () => {
  for (const field of ['name', 'toPhoneNumber', 'fromPhoneNumber', 'formInfo']) {
    it(`${field} is required`, async () => {
      const body = await refused({ [field]: undefined }, field);
      assert.equal(body.errors[0].message, 'is required');
    });
  }

  it('every bad field is named at once', async () => {
    await refused(
      { name: '', toPhoneNumber: '12', introNotes: 5, customQuestions: ['ok', ''], customRules: 'no', formInfo: [{}] },
      'name',
      'toPhoneNumber',
      'introNotes',
      'customQuestions.1',
      'customRules',
      'formInfo.0',
    );
  });

  for (const number of [
    '12025550100',
    '+02025550100',
    '+1 202 555 0100',
    '+1-202-555-0100',
    '+123456',
    '+1234567890123456',
    '',
    '+',
    'tel:+12025550100',
    '+1202555010a',
    '+12025550100\n',
    '+12025550100\r\nVia: x',
    '＋12025550100',
    '+١٢٠٢٥٥٥٠١٠٠',
  ]) {
    it(`nothing is stripped or guessed: ${JSON.stringify(number)} is no number`, async () => {
      await refused({ toPhoneNumber: number, fromPhoneNumber: number }, 'toPhoneNumber', 'fromPhoneNumber');
    });
  }

  for (const number of ['+1234567', '+123456789012345']) {
    it(`${number} is a number`, async () => {
      assert.equal((await place(callBody(tenant, { toPhoneNumber: number }))).status, 200);
    });
  }

  it('a near miss says what was probably meant', async () => {
    const body = await refused({ toPhoneNumber: '+1 (202) 555-0100' }, 'toPhoneNumber');
    assert.match(body.errors[0].message, /did you mean "\+12025550100"/);
  });

  it('texts over their limits', async () => {
    await refused(
      {
        name: 'x'.repeat(201),
        introNotes: 'x'.repeat(5_001),
        introMessage: '🙂'.repeat(5_001),
        introVoicemail: 'x'.repeat(20_000),
        customQuestions: Array(51).fill('?'),
        customRules: ['x'.repeat(1_001)],
        formInfo: Array.from({ length: 101 }, () => ({ a: 'b' })),
      },
      'name',
      'introNotes',
      'introMessage',
      'introVoicemail',
      'customQuestions',
      'customRules.0',
      'formInfo',
    );
  });

  for (const [what, character] of Object.entries({
    NUL: '\0',
    'line feed': '\n',
    'carriage return': '\r',
    tab: '\t',
    escape: '\x1b',
    DEL: '\x7f',
    C1: '\x85',
    'half a surrogate pair': '\ud800',
  })) {
    it(`control characters are refused in every text: ${what}`, async () => {
      const bad = `a${character}b`;
      await refused(
        {
          name: bad,
          introNotes: bad,
          introMessage: bad,
          introVoicemail: bad,
          customQuestions: [bad],
          customRules: [bad],
          formInfo: [{ [bad]: 'x' }, { x: bad }, { key: bad, value: 1 }, { key: 'x', value: bad }],
        },
        ...['name', 'introNotes', 'introMessage', 'introVoicemail', 'customQuestions.0', 'customRules.0'],
        ...['formInfo.0', 'formInfo.1', 'formInfo.2', 'formInfo.3'],
      );
    });
  }

  for (const [what, pair] of Object.entries({
    'an empty object': {},
    'two properties': { a: '1', b: '2' },
    'key without value': { key: 'a', other: 'b' },
    'a key that is no string': { key: 5, value: 'x' },
    'an empty key': { '': 'x' },
    'three properties': { key: 'a', value: 'b', more: 'c' },
  })) {
    it(`formInfo: ${what} is no pair`, () => refused({ formInfo: [pair] }, 'formInfo.0').then(() => {}));
  }

  for (const value of [null, ['x'], { x: 1 }]) {
    it(`formInfo: ${JSON.stringify(value)} is no value`, () =>
      refused({ formInfo: [{ a: value }] }, 'formInfo.0.a').then(() => {}));
  }

  it('formInfo: elements must be objects', () =>
    refused({ formInfo: ['a', 1, null, []] }, ...['0', '1', '2', '3'].map((n) => `formInfo.${n}`)).then(() => {}));

  for (const body of ['[]', '"text"', '5', 'null', 'true']) {
    it(`a body that is ${body} is 400`, async () => {
      const { status } = await send('POST', `${service.url}/outbound`, {
        headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
        body,
      });
      assert.equal(status, 400);
    });
  }
});

describe('POST /outbound: Idempotency-Key', () => {
  const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

  it('the same key and body answers the same callId and places no second call', async () => {
    const before = await storedCalls();
    const first = await place(callBody(tenant, { extra: 1 }), withKey('a'));
    const second = await place(callBody(tenant, { extra: 1 }), withKey('a'));
    assert.equal(second.status, 200);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.equal(await storedCalls(), before + 1);
  });

  it('the key may be written as a quoted string', async () => {
    const first = await place(callBody(tenant), withKey('"quoted"'));
    const second = await place(callBody(tenant), withKey('quoted'));
    assert.equal(second.body.callId, first.body.callId);
  });

  it('the same key with another body is 422', async () => {
    await place(callBody(tenant), withKey('b'));
    const { status, body } = await place(callBody(tenant, { name: 'Somebody else' }), withKey('b'));
    assert.equal(status, 422);
    assert.equal(body.code, 'idempotency_key_reused');
  });

  it('another account may use the same key', async () => {
    const other = await service.newTenant();
    const first = await place(callBody(tenant), withKey('c'));
    const second = await place(callBody(other), { as: other, ...withKey('c') });
    assert.equal(second.status, 200);
    assert.notEqual(second.body.callId, first.body.callId);
  });

  it('a twin in flight is 409', async () => {
    const client = await service.db.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        `SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(E'\\n', $1::text, 'POST /outbound', 'd'), 0))`,
        [tenant.accountId],
      );
      const { status, headers, body } = await place(callBody(tenant), withKey('d'));
      assert.equal(status, 409);
      assert.equal(body.code, 'idempotency_in_progress');
      assert.ok(headers.get('retry-after'));
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    assert.equal((await place(callBody(tenant), withKey('d'))).status, 200);
  });

  it('of fifty twins at once exactly one call is placed', async () => {
    const before = await storedCalls();
    const token = await service.token();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        send('POST', `${service.url}/outbound`, {
          headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'twins' },
          json: callBody(tenant),
        }),
      ),
    );
    assert.equal(await storedCalls(), before + 1);
    const accepted = answers.filter((answer) => answer.status === 200);
    assert.equal(new Set(accepted.map((answer) => answer.body.callId)).size, 1);
    assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 409));
  });

  it('after 24 hours the key is free again', async () => {
    const first = await place(callBody(tenant), withKey('e'));
    await service.db.query(
      `UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second' WHERE key = 'e'`,
    );
    const second = await place(callBody(tenant, { name: 'Next day' }), withKey('e'));
    assert.equal(second.status, 200);
    assert.notEqual(second.body.callId, first.body.callId);
  });

  it('a refused request does not use up its key', async () => {
    assert.equal((await place(callBody(tenant, { name: '' }), withKey('f'))).status, 400);
    assert.equal((await place(callBody(tenant), withKey('f'))).status, 200);
  });

  it('a key that is empty or too long is 400', async () => {
    for (const key of ['""', 'x'.repeat(256)]) {
      assert.equal((await place(callBody(tenant), withKey(key))).status, 400);
    }
  });
});

describe('the token of an external identity provider', () => {
  it('is verified against its keys when PARLEY_AUTH_ISSUER is set, and ours are not accepted', async () => {
    const issuer = await startService({ env: {} });
    const relying = await startService({ env: { PARLEY_AUTH_ISSUER: issuer.url } });
    const token = await issuer.token();
    const body = callBody(relying.tenant);
    const unknown = await send('POST', `${relying.url}/outbound`, {
      headers: { authorization: `Bearer ${token}` },
      json: body,
    });
    assert.equal(unknown.status, 403, 'its client is not registered here');
    await relying.db.query(
      `INSERT INTO oauth_clients (client_id, account_id, name, scopes) VALUES ($1, $2, 'external', '{}')`,
      [decodeJwt(token)['client_id'], relying.tenant.accountId],
    );
    const known = await send('POST', `${relying.url}/outbound`, {
      headers: { authorization: `Bearer ${token}` },
      json: body,
    });
    assert.equal(known.status, 200);
    const ours = await send('POST', `${relying.url}/outbound`, {
      headers: { authorization: `Bearer ${await service.token()}` },
      json: body,
    });
    assert.equal(ours.status, 403);
    assert.equal((await send('POST', `${relying.url}/oauth2/token`)).status, 404);
  });

  it('is 503 while that provider cannot be reached', async () => {
    const relying = await startService({ env: { PARLEY_AUTH_ISSUER: 'http://127.0.0.1:9' } });
    const { status, body } = await send('POST', `${relying.url}/outbound`, {
      headers: { authorization: `Bearer ${await service.token()}` },
      json: callBody(relying.tenant),
    });
    assert.equal(status, 503);
    assert.equal(body.code, 'unavailable');
  });
});

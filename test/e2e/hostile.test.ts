import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type CryptoKey, exportSPKI, importJWK, type JWK, SignJWT } from 'jose';
import { issueAccessToken, ownTokenVerifier } from '../../src/auth/access-token.ts';
import { signingKeys } from '../../src/auth/signing-keys.ts';
import { callScope, tokenAudience } from '../../src/domain/account.ts';
import { callBody, send, startService, TestClock, tokenForm } from '../harness/service.ts';

fc.configureGlobal({ seed: 20_261_115 });

const clock = new TestClock();
const service = await startService({ clock });
const { tenant } = service;
const authorization = `Bearer ${await service.token()}`;

async function count(table: string): Promise<number> {
  const { rows } = await service.db.query(`SELECT count(*)::integer AS count FROM ${table}`);
  return rows[0].count;
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '\0',
    "'; DROP TABLE calls; --",
    '{{name}}',
    '\r\nVia: SIP/2.0/UDP evil',
    '\ud800',
    '#{1+1}',
    '__proto__',
    'constructor',
    '$1',
    '\\u0000',
    '+1202555010０',
    'x'.repeat(6_000),
  ),
);
const hostileValue = fc.oneof(
  hostileText,
  fc.anything({ withBigInt: false, maxDepth: 3 }),
  fc.constantFrom(null, 1e308, -0, [], {}, true),
);
const fields = [
  'name',
  'toPhoneNumber',
  'fromPhoneNumber',
  'introNotes',
  'introMessage',
  'introVoicemail',
  'customQuestions',
  'customRules',
  'formInfo',
];

describe('random and hostile bodies', () => {
  it('POST /outbound: never a 5xx, and a call is stored exactly when the answer is 200', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.oneof(fc.constantFrom(...fields), hostileText), hostileValue, { maxKeys: 4 }),
        fc.array(fc.tuple(hostileText, hostileValue), { maxLength: 3 }),
        async (changes, pairs) => {
          const before = await count('calls');
          const body = { ...callBody(tenant), formInfo: pairs.map(([key, value]) => ({ [key]: value })), ...changes };
          const answer = await send('POST', `${service.url}/outbound`, { headers: { authorization }, json: body });
          assert.ok([200, 400, 403, 413].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
          assert.equal(await count('calls'), before + (answer.status === 200 ? 1 : 0));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('POST …/contacts: never a 5xx, and exactly what is in success is stored', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            hostileValue,
            fc.record(
              {
                phone: fc.oneof(fc.constantFrom('12025550100', '12025550101', '+12025550102'), hostileValue),
                firstName: hostileValue,
                lastName: hostileText,
                email: fc.oneof(fc.emailAddress(), hostileValue),
                contactMetadata: fc.oneof(fc.dictionary(hostileText, hostileText), hostileValue),
              },
              { requiredKeys: [] },
            ),
            fc.record({
              phone: fc.constantFrom('12025550100', '12025550101'),
              firstName: fc.string({ unit: 'grapheme' }),
            }),
          ),
          { maxLength: 8 },
        ),
        fc.constantFrom(undefined, 'remove'),
        async (contacts, action) => {
          const own = await service.newTenant();
          const answer = await send('POST', `${service.url}/api/v1/campaigns/${own.campaignId}/contacts`, {
            headers: { 'x-api-key': own.apiKey },
            json: { contacts, action },
          });
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          assert.equal(answer.body.success.length + answer.body.errors.length, contacts.length);
          const { rows } = await service.db.query('SELECT phone FROM contacts WHERE campaign_id = $1', [
            own.campaignId,
          ]);
          const expected = action ? [] : [...new Set(answer.body.success.map((item: { phone: string }) => item.phone))];
          assert.deepEqual(rows.map((row) => row.phone).sort(), expected.sort());
        },
      ),
      { numRuns: 250 },
    );
  });

  it('POST /oauth2/token: never a 5xx and never a token for the wrong secret', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('grant_type', 'client_id', 'client_secret', 'scope', 'x'), hostileText, {
          minKeys: 1,
        }),
        async (changes) => {
          const form = tokenForm(tenant, { client_secret: 'wrong', ...changes });
          const response = await fetch(`${service.url}/oauth2/token`, { method: 'POST', body: form });
          assert.ok([400, 413, 429].includes(response.status), String(response.status));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('bytes that are no JSON are 400, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        const answer = await send('POST', `${service.url}/outbound`, {
          headers: { authorization, 'content-type': 'application/json' },
          body: new Uint8Array(bytes),
        });
        assert.equal(answer.status, 400);
      }),
      { numRuns: 150 },
    );
  });

  it('a body nested a hundred thousand deep is answered', async () => {
    for (const body of ['['.repeat(100_000), `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`]) {
      const answer = await send('POST', `${service.url}/outbound`, {
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'deep' },
        body,
      });
      assert.equal(answer.status, 400);
    }
  });

  it('keys such as __proto__ change nothing but themselves', async () => {
    const body = `{"__proto__": {"name": "x"}, "constructor": 1, "name": "Ada", "toPhoneNumber": "+12025550100",
      "fromPhoneNumber": "${tenant.fromPhoneNumber}", "formInfo": [{"__proto__": "y"}]}`;
    const answer = await send('POST', `${service.url}/outbound`, {
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
    assert.ok([200, 400].includes(answer.status));
    assert.equal(({} as Record<string, unknown>)['name'], undefined);
  });
});

// The same numbers in every run.
let state = 1;
function random(below: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
}

describe('mutated tokens', () => {
  it('10,000 of them are all refused, while the unchanged one is accepted', async () => {
    const keys = signingKeys(service.db, clock);
    const verify = ownTokenVerifier(keys, service.url, clock);
    const grant = {
      issuer: service.url,
      clientId: tenant.clientId,
      scopes: [callScope],
      seconds: 3600,
      now: clock.now(),
    };
    const valid = await issueAccessToken(keys, grant);
    assert.ok(await verify(valid));
    const [header, payload, signature] = valid.split('.') as [string, string, string];
    const { kid, privateKey } = await keys.current();
    const [publicJwk] = (await keys.publicJwks()) as [JWK];
    const publicPem = await exportSPKI((await importJWK(publicJwk, 'ES256', { extractable: true })) as CryptoKey);
    const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const nowSeconds = Math.floor(clock.now().getTime() / 1000);

    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const sign = (
      key: CryptoKey | typeof foreignKey,
      claims: Record<string, unknown> = {},
      head: Record<string, unknown> = {},
    ) =>
      new SignJWT({
        iss: service.url,
        aud: tokenAudience,
        sub: tenant.clientId,
        client_id: tenant.clientId,
        scope: callScope,
        iat: nowSeconds,
        exp: nowSeconds + 3600,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...head })
        .sign(key);
    const hmac = (secret: string | Buffer) => {
      const content = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`;
      return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
    };
    const flip = (text: string) => {
      const at = random(text.length);
      const other = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= '].filter(
        (c) => c !== text[at],
      );
      return text.slice(0, at) + other[random(other.length)] + text.slice(at + 1);
    };

    const makers: (() => string | Promise<string>)[] = [
      () => `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.`,
      () => `${encode({ alg: 'None', typ: 'at+jwt', kid })}.${payload}.${signature}`,
      () => hmac(publicPem),
      () => hmac(JSON.stringify(publicJwk)),
      () => hmac(Buffer.alloc(0)),
      () => sign(foreignKey),
      () => sign(foreignKey, {}, { kid: 'another' }),
      () => sign(privateKey, {}, { kid: 'another' }),
      () => sign(privateKey, { exp: nowSeconds - random(1000) }),
      () => sign(privateKey, { exp: undefined }),
      () => sign(privateKey, { iss: `${service.url}/` }),
      () => sign(privateKey, { iss: 'https://evil.example' }),
      () => sign(privateKey, { aud: 'another' }),
      () => sign(privateKey, { nbf: nowSeconds + 1000 }),
      () => sign(privateKey, { client_id: undefined }),
      () => sign(privateKey, { scope: undefined }),
      () => sign(privateKey, {}, { typ: 'JWT' }),
      () => sign(rsaKey, {}, { alg: 'RS256' }),
      () => sign(privateKey, {}, { kid: undefined }),
      () =>
        `${header}.${encode({ iss: service.url, aud: tokenAudience, client_id: 'admin', scope: callScope, exp: nowSeconds + 9e9 })}.${signature}`,
      () => `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
      () => `${header}.${payload}.${randomBytes(64).toString('base64url')}`,
      () => `${header}.${payload}`,
      () => `${valid}.${signature}`,
      () => valid.slice(0, random(valid.length - 4)),
      ...Array.from({ length: 25 }, () => () => flip(valid)),
      // the same bytes, spelt otherwise
      () => valid.slice(0, -1) + String.fromCharCode(valid.charCodeAt(valid.length - 1) + 1),
    ];
    let refused = 0;
    for (let n = 0; n < 10_000; n++) {
      const token = await (makers[n % makers.length] as () => string | Promise<string>)();
      assert.equal(await verify(token), undefined, token);
      refused++;
    }
    assert.equal(refused, 10_000);
  });

  it('one with another scope is refused at the endpoint', async () => {
    const keys = signingKeys(service.db, clock);
    const grant = {
      issuer: service.url,
      clientId: tenant.clientId,
      scopes: ['other'],
      seconds: 3600,
      now: clock.now(),
    };
    const token = await issueAccessToken(keys, grant);
    const answer = await send('POST', `${service.url}/outbound`, {
      headers: { authorization: `Bearer ${token}` },
      json: callBody(tenant),
    });
    assert.equal(answer.status, 403);
  });
});

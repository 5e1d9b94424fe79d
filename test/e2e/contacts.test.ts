import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listApiKeys, revokeApiKey } from '../../src/store/api-keys.ts';
import { send, startService, type Tenant } from '../harness/service.ts';

const service = await startService();

async function write(
  tenant: Tenant,
  contacts: unknown,
  extra: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  return send('POST', `${service.url}/api/v1/campaigns/${tenant.campaignId}/contacts`, {
    headers: { 'x-api-key': tenant.apiKey, ...headers },
    json: { contacts, ...extra },
  });
}

const remove = (tenant: Tenant, contacts: unknown) => write(tenant, contacts, { action: 'remove' });

async function list(tenant: Tenant, query = '') {
  return send('GET', `${service.url}/api/v1/campaigns/${tenant.campaignId}/contacts${query}`, {
    headers: { 'x-api-key': tenant.apiKey },
  });
}

async function stored(tenant: Tenant, phone: string) {
  const { body } = await list(tenant, '?limit=200');
  return body.data.find((contact: { phone: string }) => contact.phone === phone);
}

describe('POST /api/v1/campaigns/{campaignId}/contacts: who and where', () => {
  it('401 without x-api-key and with an unknown one', async () => {
    for (const headers of [{}, { 'x-api-key': 'parley_key_unknown' }, { 'x-api-key': '' }]) {
      const { status, body } = await send(
        'POST',
        `${service.url}/api/v1/campaigns/${service.tenant.campaignId}/contacts`,
        {
          headers: headers as Record<string, string>,
          json: { contacts: [] },
        },
      );
      assert.equal(status, 401);
      assert.equal(body.code, 'invalid_api_key');
    }
  });

  it('401 with a revoked key', async () => {
    const tenant = await service.newTenant();
    const [key] = await listApiKeys(service.db, tenant.accountId);
    await revokeApiKey(service.db, tenant.accountId, key?.id ?? '');
    assert.equal((await write(tenant, [])).status, 401);
  });

  it('404 for a campaign that does not exist or belongs to another account, indistinguishable', async () => {
    const other = await service.newTenant();
    const missing = await write({ ...service.tenant, campaignId: '01890000-0000-7000-8000-000000000000' }, []);
    const foreign = await write({ ...service.tenant, campaignId: other.campaignId }, [{ phone: '12025550123' }]);
    assert.equal(missing.status, 404);
    assert.equal(foreign.status, 404);
    assert.deepEqual(missing.body, foreign.body);
    assert.equal(await stored(other, '12025550123'), undefined);
    const removal = await remove({ ...service.tenant, campaignId: other.campaignId }, [{ phone: '12025550123' }]);
    assert.deepEqual(removal.body, missing.body);
  });

  it('400 for a campaignId that is no UUID', async () => {
    for (const campaignId of ['abc', '1', 'x'.repeat(500)]) {
      const { status, body } = await write({ ...service.tenant, campaignId }, []);
      assert.equal(status, 400);
      assert.equal(body.errors[0].path, 'campaignId');
    }
  });

  it('409 for an archived campaign', async () => {
    const tenant = await service.newTenant();
    const headers = { 'x-api-key': tenant.apiKey };
    await send('POST', `${service.url}/api/v1/campaigns/${tenant.campaignId}/archive`, { headers });
    const { status, body } = await write(tenant, [{ phone: '12025550123' }]);
    assert.equal(status, 409);
    assert.equal(body.code, 'campaign_archived');
  });
});

describe('POST …/contacts: the request', () => {
  it('400 when contacts is missing or no array', async () => {
    for (const contacts of [undefined, null, {}, 'x', 5]) {
      const { status, body } = await write(service.tenant, contacts);
      assert.equal(status, 400);
      assert.equal(body.errors[0].path, 'contacts');
    }
  });

  it('400 for an action other than remove', async () => {
    for (const action of ['add', '', 'REMOVE', null, 5]) {
      const { status, body } = await write(service.tenant, [], { action });
      assert.equal(status, 400);
      assert.equal(body.errors[0].path, 'action');
    }
  });

  it('an empty array is processed', async () => {
    const { status, body } = await write(service.tenant, []);
    assert.equal(status, 200);
    assert.deepEqual(body, { message: '0 contacts succeeded, 0 failed', success: [], errors: [] });
  });

  it('413 for more than 10,000 contacts, and nothing of it is stored', async () => {
    const tenant = await service.newTenant();
    const contacts = Array.from({ length: 10_001 }, (_, index) => ({ phone: String(12_020_000_000 + index) }));
    const { status, body } = await write(tenant, contacts);
    assert.equal(status, 413);
    assert.equal(body.code, 'payload_too_large');
    assert.deepEqual((await list(tenant)).body.data, []);
  });

  it('413 for more than 10 MiB', async () => {
    const { status } = await write(service.tenant, [{ phone: '12025550123', firstName: 'x'.repeat(11 * 1024 * 1024) }]);
    assert.equal(status, 413);
  });

  it('both limits can be configured', async () => {
    const small = await startService({ env: { PARLEY_MAX_CONTACTS: '2', PARLEY_MAX_CONTACTS_BYTES: '1000' } });
    const url = `${small.url}/api/v1/campaigns/${small.tenant.campaignId}/contacts`;
    const headers = { 'x-api-key': small.tenant.apiKey };
    assert.equal((await send('POST', url, { headers, json: { contacts: [1, 2, 3] } })).status, 413);
    assert.equal((await send('POST', url, { headers, json: { contacts: ['x'.repeat(1000)] } })).status, 413);
    assert.equal((await send('POST', url, { headers, json: { contacts: [1, 2] } })).status, 200);
  });
});

describe('POST …/contacts without action: add or update', () => {
  it('reports created, then updated', async () => {
    const tenant = await service.newTenant();
    const ada = {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      phone: '12025550100',
      contactMetadata: { source: 'web', tier: 'gold' },
    };
    const first = await write(tenant, [ada]);
    assert.equal(first.status, 200);
    assert.deepEqual(first.body, {
      message: '1 contact succeeded, 0 failed',
      success: [{ phone: '12025550100', email: 'ada@example.com', action: 'created' }],
      errors: [],
    });
    const second = await write(tenant, [ada]);
    assert.equal(second.body.success[0].action, 'updated');
    const { createdAt, updatedAt, ...contact } = await stored(tenant, '12025550100');
    assert.deepEqual(contact, ada);
    assert.ok(createdAt <= updatedAt);
  });

  it('fields left out of an update stay as they were; contactMetadata, when given, replaces the map', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [
      { phone: '12025550100', firstName: 'Ada', email: 'ada@example.com', contactMetadata: { a: '1', b: '2' } },
    ]);
    const { body } = await write(tenant, [{ phone: '12025550100', lastName: 'Lovelace', contactMetadata: { c: '3' } }]);
    assert.deepEqual(body.success, [{ phone: '12025550100', email: 'ada@example.com', action: 'updated' }]);
    const contact = await stored(tenant, '12025550100');
    assert.equal(contact.firstName, 'Ada');
    assert.equal(contact.lastName, 'Lovelace');
    assert.equal(contact.email, 'ada@example.com');
    assert.deepEqual(contact.contactMetadata, { c: '3' });
  });

  it('email is "" in a success item when it is unknown', async () => {
    const { body } = await write(await service.newTenant(), [{ phone: '12025550100' }]);
    assert.deepEqual(body.success, [{ phone: '12025550100', email: '', action: 'created' }]);
  });

  it('the same number twice in one request counts in order: created, then updated', async () => {
    const tenant = await service.newTenant();
    const { body } = await write(tenant, [
      { phone: '12025550100', firstName: 'First', email: 'a@example.com' },
      { phone: '12025550101' },
      { phone: '12025550100', firstName: 'Second' },
      { phone: '12025550100', lastName: 'Third', email: 'c@example.com' },
    ]);
    assert.deepEqual(
      body.success.map((item: { action: string }) => item.action),
      ['created', 'created', 'updated', 'updated'],
    );
    const contact = await stored(tenant, '12025550100');
    assert.deepEqual([contact.firstName, contact.lastName, contact.email], ['Second', 'Third', 'c@example.com']);
  });

  it('the same number in two campaigns is two contacts', async () => {
    const [one, two] = [await service.newTenant(), await service.newTenant()];
    assert.equal((await write(one, [{ phone: '12025550100' }])).body.success[0].action, 'created');
    assert.equal((await write(two, [{ phone: '12025550100' }])).body.success[0].action, 'created');
  });

  it('a contact that fails is in errors while the others are in success, each in the order of the request', async () => {
    const tenant = await service.newTenant();
    const { status, body } = await write(tenant, [
      { phone: '12025550102', email: 'b@example.com' },
      { phone: 'nonsense', email: 'bad@example.com' },
      { phone: '12025550101' },
      'not an object',
    ]);
    assert.equal(status, 200);
    assert.equal(body.message, '2 contacts succeeded, 2 failed');
    assert.deepEqual(
      body.success.map((item: { phone: string }) => item.phone),
      ['12025550102', '12025550101'],
    );
    assert.deepEqual(
      body.errors.map((item: { index: number }) => item.index),
      [1, 3],
    );
    const { message, ...error } = body.errors[0];
    assert.deepEqual(error, {
      index: 1,
      phone: 'nonsense',
      email: 'bad@example.com',
      code: 'invalid_phone',
      field: 'phone',
    });
    assert.equal(typeof message, 'string');
  });

  it('is 200 also when every contact failed', async () => {
    const { status, body } = await write(await service.newTenant(), [{}, { phone: '1' }]);
    assert.equal(status, 200);
    assert.equal(body.message, '0 contacts succeeded, 2 failed');
  });

  for (const [phone, meant] of [
    ['+12025550100', '12025550100'],
    ['+1 (202) 555-0100', '12025550100'],
    ['1-202-555-0100', '12025550100'],
    ['00442079460000', '442079460000'],
    [12025550100, '12025550100'],
  ] as const) {
    it(`for the near miss ${JSON.stringify(phone)} the error says what was probably meant`, async () => {
      const { body } = await write(await service.newTenant(), [{ phone }]);
      assert.equal(body.errors[0].code, 'invalid_phone');
      assert.match(body.errors[0].message, new RegExp(`did you mean "${meant}"`));
    });
  }

  for (const [field, value, code] of [
    ['phone', '', 'invalid_phone'],
    ['phone', '123456', 'invalid_phone'],
    ['phone', '1234567890123456', 'invalid_phone'],
    ['phone', '02079460000', 'invalid_phone'],
    ['phone', undefined, 'missing_field'],
    ['phone', null, 'missing_field'],
    ['phone', {}, 'invalid_phone'],
    ['firstName', 'x'.repeat(201), 'invalid_field'],
    ['lastName', 'a\0b', 'invalid_field'],
    ['lastName', 'a\nb', 'invalid_field'],
    ['firstName', 5, 'invalid_field'],
    ['email', 'nobody', 'invalid_email'],
    ['email', 'a@b', 'invalid_email'],
    ['email', 'a b@example.com', 'invalid_email'],
    ['email', `${'x'.repeat(310)}@example.com`, 'invalid_email'],
    ['email', 'a\0@example.com', 'invalid_email'],
    ['contactMetadata', 'x', 'invalid_field'],
    ['contactMetadata', { a: 1 }, 'invalid_field'],
    ['contactMetadata', { a: 'x\0' }, 'invalid_field'],
    ['contactMetadata', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v'])), 'invalid_field'],
  ] as const) {
    it(`${field} ${JSON.stringify(value)?.slice(0, 30)} is refused`, async () => {
      const tenant = await service.newTenant();
      const { body } = await write(tenant, [{ phone: '12025550100', [field]: value }]);
      assert.deepEqual(body.success, []);
      assert.equal(body.errors[0].field, field);
      assert.equal(body.errors[0].code, code);
      assert.deepEqual((await list(tenant)).body.data, []);
    });
  }

  it('an error names every bad field of its contact', async () => {
    const { body } = await write(service.tenant, [{ phone: 'x', email: 'y', firstName: 5 }]);
    assert.match(body.errors[0].message, /firstName .*email .*phone /);
  });

  it('keeps names in any script as they are', async () => {
    const tenant = await service.newTenant();
    const name = { firstName: '🙂'.repeat(200), lastName: 'Ωλ “Łódź” \\ \' {"} 王小明' };
    await write(tenant, [{ phone: '12025550100', ...name, contactMetadata: { 'ключ "1"': '值,{}\\\n' } }]);
    const contact = await stored(tenant, '12025550100');
    assert.equal(contact.firstName, name.firstName);
    assert.equal(contact.lastName, name.lastName);
    assert.deepEqual(contact.contactMetadata, { 'ключ "1"': '值,{}\\\n' });
  });

  it('takes 10,000 contacts at once', async () => {
    const tenant = await service.newTenant();
    const contacts = Array.from({ length: 10_000 }, (_, index) => ({
      phone: String(19_999_999_999 - index),
      firstName: `Person ${index}`,
      email: `person${index}@example.com`,
      contactMetadata: { index: String(index) },
    }));
    const { status, body } = await write(tenant, contacts);
    assert.equal(status, 200);
    assert.equal(body.message, '10000 contacts succeeded, 0 failed');
    assert.deepEqual(
      body.success.map((item: { phone: string }) => item.phone),
      contacts.map((contact) => contact.phone),
    );
    const { rows } = await service.db.query('SELECT count(*)::integer AS count FROM contacts WHERE campaign_id = $1', [
      tenant.campaignId,
    ]);
    assert.equal(rows[0].count, 10_000);
  });

  it('concurrent requests over the same numbers do not deadlock, lose nothing, and report created once', async () => {
    const tenant = await service.newTenant();
    const phones = Array.from({ length: 500 }, (_, index) => String(12_020_000_000 + index));
    const shuffled = (seed: number) =>
      phones.toSorted((a, b) => ((Number(a) * seed) % 997) - ((Number(b) * seed) % 997));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, writer) =>
        write(
          tenant,
          shuffled(writer + 2).map((phone) =>
            writer % 2 ? { phone, firstName: `w${writer}` } : { phone, lastName: `w${writer}` },
          ),
        ),
      ),
    );
    assert.ok(answers.every((answer) => answer.status === 200 && answer.body.errors.length === 0));
    const created = answers.flatMap((answer) => answer.body.success).filter((item) => item.action === 'created');
    assert.equal(created.length, phones.length);
    const { rows } = await service.db.query('SELECT first_name, last_name FROM contacts WHERE campaign_id = $1', [
      tenant.campaignId,
    ]);
    assert.equal(rows.length, phones.length);
    for (const row of rows) assert.ok(row.first_name && row.last_name, 'both kinds of update arrived');
  });

  it('adding and removing the same numbers at the same time never deadlocks', async () => {
    const tenant = await service.newTenant();
    const contacts = Array.from({ length: 300 }, (_, index) => ({
      phone: String(12_020_000_000 + ((index * 7) % 300)),
      email: `p${index % 50}@example.com`,
    }));
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, turn) =>
        turn % 3 === 0
          ? remove(
              tenant,
              contacts.toReversed().map(({ phone }) => ({ phone })),
            )
          : turn % 3 === 1
            ? remove(
                tenant,
                contacts.map(({ email }) => ({ email })),
              )
            : write(tenant, contacts),
      ),
    );
    assert.ok(answers.every((answer) => answer.status === 200));
  });
});

describe('POST …/contacts with action remove', () => {
  it('removes by phone; the success item has action removed', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [{ phone: '12025550100', email: 'ada@example.com' }, { phone: '12025550101' }]);
    const { status, body } = await remove(tenant, [{ phone: '12025550100' }]);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      message: '1 contact succeeded, 0 failed',
      success: [{ phone: '12025550100', email: 'ada@example.com', action: 'removed' }],
      errors: [],
    });
    assert.equal(await stored(tenant, '12025550100'), undefined);
    assert.ok(await stored(tenant, '12025550101'));
  });

  it('removes by email when no phone is given, whatever its case', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [{ phone: '12025550100', email: 'Ada@Example.com' }]);
    const { body } = await remove(tenant, [{ email: 'aDa@eXample.COM' }]);
    assert.deepEqual(body.success, [{ phone: '12025550100', email: 'Ada@Example.com', action: 'removed' }]);
  });

  it('goes by the phone when both are given', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [
      { phone: '12025550100', email: 'a@example.com' },
      { phone: '12025550101', email: 'b@example.com' },
    ]);
    await remove(tenant, [{ phone: '12025550100', email: 'b@example.com' }]);
    assert.equal(await stored(tenant, '12025550100'), undefined);
    assert.ok(await stored(tenant, '12025550101'));
  });

  it('removes everyone who shares the email, each with its own item', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [
      { phone: '12025550100', email: 'a@example.com' },
      { phone: '12025550101', email: 'a@example.com' },
    ]);
    const { body } = await remove(tenant, [{ email: 'a@example.com' }]);
    assert.equal(body.message, '1 contact succeeded, 0 failed');
    assert.equal(body.success.length, 2);
  });

  it('one that is not there is an error not_found, also the second time in one request', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [{ phone: '12025550100' }]);
    const { status, body } = await remove(tenant, [
      { phone: '12025550100' },
      { phone: '12025550199' },
      { phone: '12025550100' },
      { email: 'no@example.com' },
    ]);
    assert.equal(status, 200);
    assert.equal(body.success.length, 1);
    assert.deepEqual(
      body.errors.map(({ index, code, field }: Record<string, unknown>) => [index, code, field]),
      [
        [1, 'not_found', 'phone'],
        [2, 'not_found', 'phone'],
        [3, 'not_found', 'email'],
      ],
    );
  });

  it('one with neither phone nor email is an error', async () => {
    const { body } = await remove(service.tenant, [{ firstName: 'Ada' }, {}, null]);
    assert.deepEqual(
      body.errors.map((error: { code: string }) => error.code),
      ['missing_field', 'missing_field', 'invalid_contact'],
    );
  });

  it('never touches another campaign', async () => {
    const [one, two] = [await service.newTenant(), await service.newTenant()];
    await write(two, [{ phone: '12025550100', email: 'a@example.com' }]);
    assert.equal((await remove(one, [{ phone: '12025550100' }, { email: 'a@example.com' }])).body.errors.length, 2);
    assert.ok(await stored(two, '12025550100'));
  });
});

describe('POST …/contacts: Idempotency-Key', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  it('the same key and body answers the same again and changes nothing', async () => {
    const tenant = await service.newTenant();
    const first = await write(tenant, [{ phone: '12025550100' }], {}, key('a'));
    const second = await write(tenant, [{ phone: '12025550100' }], {}, key('a'));
    assert.deepEqual(second.body, first.body);
    assert.equal(second.body.success[0].action, 'created');
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
  });

  it('the same key with another body is 422', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [{ phone: '12025550100' }], {}, key('b'));
    assert.equal((await write(tenant, [{ phone: '12025550101' }], {}, key('b'))).status, 422);
  });

  it('of ten twins at once one is processed and the others are 409 or the same answer', async () => {
    const tenant = await service.newTenant();
    const contacts = Array.from({ length: 200 }, (_, index) => ({ phone: String(12_020_000_000 + index) }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => write(tenant, contacts, {}, key('c'))));
    assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 409));
    for (const answer of answers.filter((candidate) => candidate.status === 200)) {
      assert.ok(answer.body.success.every((item: { action: string }) => item.action === 'created'));
    }
  });

  it('works the same for removals', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [{ phone: '12025550100' }]);
    const first = await write(tenant, [{ phone: '12025550100' }], { action: 'remove' }, key('d'));
    const second = await write(tenant, [{ phone: '12025550100' }], { action: 'remove' }, key('d'));
    assert.equal(first.body.success.length, 1);
    assert.deepEqual(second.body, first.body);
  });
});

describe('GET /api/v1/campaigns/{campaignId}/contacts', () => {
  it('pages through all contacts in order of their phones', async () => {
    const tenant = await service.newTenant();
    const phones = Array.from({ length: 25 }, (_, index) => String(12_020_000_000 + index));
    await write(
      tenant,
      phones.toReversed().map((phone) => ({ phone })),
    );
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(tenant, `?limit=10${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map((contact: { phone: string }) => contact.phone));
      cursor = body.nextCursor;
    } while (cursor);
    assert.deepEqual(seen, phones);
  });

  it('searches names, e-mail addresses and phones, whatever their case', async () => {
    const tenant = await service.newTenant();
    await write(tenant, [
      { phone: '12025550100', firstName: 'Ada', lastName: 'Lovelace' },
      { phone: '12025550101', firstName: 'Zoë', email: 'zoe_100%@example.com' },
    ]);
    for (const [search, phones] of [
      ['LOVE', ['12025550100']],
      ['ada love', ['12025550100']],
      ['ZOË', ['12025550101']],
      ['100%', ['12025550101']],
      ['5550', ['12025550100', '12025550101']],
      ['nobody', []],
    ] as const) {
      const { body } = await list(tenant, `?search=${encodeURIComponent(search)}`);
      assert.deepEqual(
        body.data.map((contact: { phone: string }) => contact.phone),
        phones,
        search,
      );
    }
  });

  it('400 for a bad limit, a bad cursor and an unknown parameter', async () => {
    for (const query of ['?limit=0', '?limit=201', '?limit=x', '?cursor=!', '?cursor=abcd', '?sort=name']) {
      assert.equal((await list(service.tenant, query)).status, 400, query);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deleteAccount } from '../../src/store/accounts.ts';
import { deleteAgent } from '../../src/store/agents.ts';
import { callBody, send, startService, type Tenant } from '../harness/service.ts';

const service = await startService();

function api(tenant: Tenant, method: string, path: string, json?: unknown) {
  return send(method, `${service.url}/api/v1${path}`, {
    headers: { 'x-api-key': tenant.apiKey },
    ...(json !== undefined && { json }),
  });
}

async function place(tenant: Tenant, changes: Record<string, unknown> = {}): Promise<string> {
  const headers = { authorization: `Bearer ${await service.token(tenant)}` };
  const { body } = await send('POST', `${service.url}/outbound`, { headers, json: callBody(tenant, changes) });
  return body.callId;
}

const ids = (answer: { body: { data: { callId: string }[] } }) => answer.body.data.map((call) => call.callId);

describe('GET /api/v1/calls', () => {
  it('lists the newest first, in pages', async () => {
    const tenant = await service.newTenant();
    const placed: string[] = [];
    for (let i = 0; i < 5; i++) placed.unshift(await place(tenant));
    const first = await api(tenant, 'GET', '/calls?limit=3');
    assert.deepEqual(ids(first), placed.slice(0, 3));
    const second = await api(tenant, 'GET', `/calls?limit=3&cursor=${first.body.nextCursor}`);
    assert.deepEqual(ids(second), placed.slice(3));
    assert.equal(second.body.nextCursor, null);
  });

  it('filters by status, outcome, number and time', async () => {
    const tenant = await service.newTenant();
    const queued = await place(tenant);
    const cancelled = await place(tenant, { toPhoneNumber: '+12025550101' });
    await api(tenant, 'POST', `/calls/${cancelled}/cancel`);
    const { body: call } = await api(tenant, 'GET', `/calls/${cancelled}`);
    const later = new Date(Date.parse(call.createdAt) + 60_000).toISOString();
    for (const [query, expected] of [
      ['status=queued', [queued]],
      ['status=ended', [cancelled]],
      ['outcome=cancelled', [cancelled]],
      ['outcome=busy', []],
      ['toPhoneNumber=%2B12025550101', [cancelled]],
      ['toPhoneNumber=+12025550101', [cancelled]],
      [`fromPhoneNumber=${encodeURIComponent(tenant.fromPhoneNumber)}`, [cancelled, queued]],
      [`campaignId=${tenant.campaignId}`, []],
      [`createdAfter=${call.createdAt}`, [cancelled]],
      [`createdBefore=${call.createdAt}`, [queued]],
      [`createdAfter=${later}`, []],
      ['createdBefore=2020-01-01T00:00:00%2B02:00', []],
    ] as const) {
      assert.deepEqual(ids(await api(tenant, 'GET', `/calls?${query}`)), expected, query);
    }
  });

  it('400 names a filter that is not known or not valid', async () => {
    for (const [query, path] of [
      ['state=queued', 'state'],
      ['status=nonsense', 'status'],
      ['outcome=nonsense', 'outcome'],
      ['toPhoneNumber=abc', 'toPhoneNumber'],
      ['campaignId=abc', 'campaignId'],
      ['createdAfter=yesterday', 'createdAfter'],
      ['cursor=%00', 'cursor'],
      ['cursor=MTIz', 'cursor'],
    ] as const) {
      const { status, body } = await api(service.tenant, 'GET', `/calls?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.errors[0].path, path);
    }
  });
});

describe('GET /api/v1/calls/{callId}', () => {
  it('404 for an unknown call, 400 for an id that is no UUID', async () => {
    assert.equal((await api(service.tenant, 'GET', '/calls/01890000-0000-7000-8000-000000000000')).status, 404);
    assert.equal((await api(service.tenant, 'GET', '/calls/abc')).status, 400);
  });
});

describe('POST /api/v1/calls/{callId}/cancel', () => {
  it('ends a queued call with one outcome of the closed list, and shows what was due', async () => {
    const callId = await place(service.tenant, { customQuestions: ['Why?'], customRules: ['Be kind.'] });
    const { status, body } = await api(service.tenant, 'POST', `/calls/${callId}/cancel`);
    assert.equal(status, 200);
    assert.equal(body.status, 'ended');
    assert.ok(body.endedAt);
    const { reason, ...outcome } = body.outcome;
    assert.deepEqual(outcome, {
      kind: 'cancelled',
      side: 'platform',
      retryable: false,
      endedBy: 'operator',
      sipStatus: null,
    });
    assert.ok(reason);
    assert.deepEqual(body.transcript, []);
    assert.deepEqual(body.answers, [
      { question: 'Why?', status: 'not_asked', answer: null, value: null, turn: null, confidence: null },
    ]);
    assert.deepEqual(body.rules, [{ rule: 'Be kind.', kept: null, turn: null }]);
  });

  it('twice is the same as once', async () => {
    const callId = await place(service.tenant);
    const first = await api(service.tenant, 'POST', `/calls/${callId}/cancel`);
    const second = await api(service.tenant, 'POST', `/calls/${callId}/cancel`);
    assert.equal(second.status, 200);
    assert.deepEqual(second.body, first.body);
  });

  it('409 for a call that ended otherwise', async () => {
    const callId = await place(service.tenant);
    await service.db.query(
      `UPDATE calls SET status = 'ended', ended_at = now(), outcome = '{"kind": "busy"}' WHERE id = $1`,
      [callId],
    );
    const { status, body } = await api(service.tenant, 'POST', `/calls/${callId}/cancel`);
    assert.equal(status, 409);
    assert.equal(body.code, 'call_not_cancellable');
  });

  it('404 for a call of another account, which stays queued', async () => {
    const other = await service.newTenant();
    const callId = await place(other);
    assert.equal((await api(service.tenant, 'POST', `/calls/${callId}/cancel`)).status, 404);
    assert.equal((await api(other, 'GET', `/calls/${callId}`)).body.status, 'queued');
  });
});

describe('closing and deleting', () => {
  it('a closed account has no call left in the queue', async () => {
    const tenant = await service.newTenant();
    const callId = await place(tenant);
    assert.equal(await deleteAccount(service.db, tenant.accountId), true);
    assert.equal(await deleteAccount(service.db, tenant.accountId), false);
    const { rows } = await service.db.query('SELECT status, outcome FROM calls WHERE id = $1', [callId]);
    assert.deepEqual([rows[0].status, rows[0].outcome.kind], ['ended', 'cancelled']);
    assert.equal((await api(tenant, 'GET', '/calls')).status, 401);
  });

  it('an agent with calls in the queue stays; once deleted, its campaigns have none', async () => {
    const tenant = await service.newTenant();
    const callId = await place(tenant);
    assert.equal(await deleteAgent(service.db, tenant.accountId, tenant.agentId), 'has_unfinished_calls');
    await api(tenant, 'POST', `/calls/${callId}/cancel`);
    assert.equal(await deleteAgent(service.db, tenant.accountId, tenant.agentId), 'deleted');
    assert.equal((await api(tenant, 'GET', `/campaigns/${tenant.campaignId}`)).body.agentId, null);
    assert.equal((await api(tenant, 'GET', `/agents/${tenant.agentId}`)).status, 404);
    assert.equal((await api(tenant, 'GET', `/calls/${callId}`)).status, 200);
  });
});

describe('campaigns', () => {
  it('are created with good defaults, shown, changed, listed and archived', async () => {
    const tenant = await service.newTenant();
    const created = await api(tenant, 'POST', '/campaigns', { name: 'Summer' });
    assert.equal(created.status, 201);
    const { campaignId } = created.body;
    assert.equal(created.headers.get('location'), `/api/v1/campaigns/${campaignId}`);
    assert.deepEqual(
      [created.body.name, created.body.country, created.body.agentId, created.body.status],
      ['Summer', 'US', null, 'active'],
    );
    const patched = await api(tenant, 'PATCH', `/campaigns/${campaignId}`, { country: 'DE', agentId: tenant.agentId });
    assert.deepEqual([patched.body.name, patched.body.country, patched.body.agentId], ['Summer', 'DE', tenant.agentId]);
    const unassigned = await api(tenant, 'PATCH', `/campaigns/${campaignId}`, { agentId: null });
    assert.equal(unassigned.body.agentId, null);
    const archived = await api(tenant, 'POST', `/campaigns/${campaignId}/archive`);
    assert.equal(archived.body.status, 'archived');
    assert.deepEqual((await api(tenant, 'GET', `/campaigns/${campaignId}`)).body, archived.body);
    const active = await api(tenant, 'GET', '/campaigns?status=active');
    assert.deepEqual(
      active.body.data.map((campaign: { campaignId: string }) => campaign.campaignId),
      [tenant.campaignId],
    );
    assert.equal((await api(tenant, 'GET', '/campaigns')).body.data.length, 2);
    assert.equal((await api(tenant, 'GET', '/campaigns?status=archived')).body.data.length, 1);
  });

  it('400 for bad fields, all at once, and for unknown ones', async () => {
    const { status, body } = await api(service.tenant, 'POST', '/campaigns', {
      name: '',
      country: 'XX',
      agentId: 'x',
      colour: 1,
    });
    assert.equal(status, 400);
    assert.deepEqual(body.errors.map((error: { path: string }) => error.path).sort(), [
      'agentId',
      'colour',
      'country',
      'name',
    ]);
  });

  it('400 for an agent of another account', async () => {
    const other = await service.newTenant();
    const created = await api(service.tenant, 'POST', '/campaigns', { name: 'Theft', agentId: other.agentId });
    assert.equal(created.status, 400);
    assert.equal(created.body.errors[0].path, 'agentId');
    const patched = await api(service.tenant, 'PATCH', `/campaigns/${service.tenant.campaignId}`, {
      agentId: other.agentId,
    });
    assert.equal(patched.status, 400);
  });

  it('404 for an unknown campaign', async () => {
    const path = '/campaigns/01890000-0000-7000-8000-000000000000';
    assert.equal((await api(service.tenant, 'GET', path)).status, 404);
    assert.equal((await api(service.tenant, 'PATCH', path, { name: 'x' })).status, 404);
    assert.equal((await api(service.tenant, 'PATCH', path, { agentId: service.tenant.agentId })).status, 404);
    assert.equal((await api(service.tenant, 'POST', `${path}/archive`)).status, 404);
  });
});

describe('agents', () => {
  const robin = {
    phoneNumber: '+14155550100',
    name: 'Robin',
    company: 'Acme',
    voice: 'slt',
    language: 'de-DE',
    defaultQuestions: ['Why?'],
    defaultRules: ['Be kind.'],
    maxCalls: 3,
  };

  it('are created, shown, changed and listed', async () => {
    const tenant = await service.newTenant();
    const created = await api(tenant, 'POST', '/agents', robin);
    assert.equal(created.status, 201);
    const { agentId, createdAt, updatedAt, ...fields } = created.body;
    assert.deepEqual(fields, robin);
    const patched = await api(tenant, 'PATCH', `/agents/${agentId}`, { name: 'Alex', defaultQuestions: [] });
    assert.deepEqual([patched.body.name, patched.body.maxCalls], ['Alex', 3]);
    const unlimited = await api(tenant, 'PATCH', `/agents/${agentId}`, { maxCalls: null });
    assert.equal(unlimited.body.maxCalls, null);
    assert.deepEqual(patched.body.defaultQuestions, []);
    assert.deepEqual(patched.body.defaultRules, ['Be kind.']);
    assert.deepEqual((await api(tenant, 'GET', `/agents/${agentId}`)).body, unlimited.body);
    assert.equal((await api(tenant, 'GET', '/agents')).body.data.length, 2);
  });

  it('409 for a number that another agent of the account has', async () => {
    const tenant = await service.newTenant();
    const taken = await api(tenant, 'POST', '/agents', { ...robin, phoneNumber: tenant.fromPhoneNumber });
    assert.equal(taken.status, 409);
    assert.equal(taken.body.code, 'phone_number_taken');
    const { body } = await api(tenant, 'POST', '/agents', robin);
    const patched = await api(tenant, 'PATCH', `/agents/${body.agentId}`, { phoneNumber: tenant.fromPhoneNumber });
    assert.equal(patched.status, 409);
  });

  it('400 for bad fields, all at once', async () => {
    const { status, body } = await api(service.tenant, 'POST', '/agents', {
      phoneNumber: '1',
      name: '',
      language: 'xx-yy-zz-1',
      voice: 'a b',
      defaultQuestions: [''],
    });
    assert.equal(status, 400);
    assert.deepEqual(body.errors.map((error: { path: string }) => error.path).sort(), [
      'defaultQuestions.0',
      'language',
      'name',
      'phoneNumber',
      'voice',
    ]);
  });
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { scratchFolder } from '../harness/command.ts';
import { callBody, send, startService, type Tenant } from '../harness/service.ts';
import { ended, insertCall, live } from '../harness/stored-calls.ts';

const recordings = await scratchFolder();
const service = await startService({ env: { PARLEY_RECORDINGS_DIR: recordings } });
const { body: openapi } = await send('GET', `${service.url}/openapi.json`);

type Operation = { operationId?: string; security?: Record<string, string[]>[]; requestBody?: object };

const operations = Object.entries<Record<string, Operation>>(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

describe('GET /openapi.json', () => {
  it('is an OpenAPI 3.1 document of every route', () => {
    assert.match(openapi.openapi, /^3\.1\./);
    const routes = operations.map(({ method, path }) => `${method} ${path}`).sort();
    assert.deepEqual(routes, [
      'DELETE /api/v1/calls/{callId}/data',
      'DELETE /api/v1/webhooks/{webhookId}',
      'GET /.well-known/jwks.json',
      'GET /.well-known/oauth-authorization-server',
      'GET /api/v1/agents',
      'GET /api/v1/agents/{agentId}',
      'GET /api/v1/calls',
      'GET /api/v1/calls/{callId}',
      'GET /api/v1/calls/{callId}/events',
      'GET /api/v1/calls/{callId}/recording',
      'GET /api/v1/calls/{callId}/transcript',
      'GET /api/v1/campaigns',
      'GET /api/v1/campaigns/{campaignId}',
      'GET /api/v1/campaigns/{campaignId}/contacts',
      'GET /api/v1/events',
      'GET /api/v1/webhooks',
      'GET /api/v1/webhooks/{webhookId}',
      'GET /api/v1/webhooks/{webhookId}/deliveries',
      'GET /health',
      'GET /metrics',
      'GET /ready',
      'PATCH /api/v1/agents/{agentId}',
      'PATCH /api/v1/campaigns/{campaignId}',
      'PATCH /api/v1/webhooks/{webhookId}',
      'POST /api/v1/agents',
      'POST /api/v1/calls/{callId}/cancel',
      'POST /api/v1/calls/{callId}/hangup',
      'POST /api/v1/calls/{callId}/say',
      'POST /api/v1/campaigns',
      'POST /api/v1/campaigns/{campaignId}/archive',
      'POST /api/v1/campaigns/{campaignId}/contacts',
      'POST /api/v1/webhooks',
      'POST /api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
      'POST /api/v1/webhooks/{webhookId}/rotate-secret',
      'POST /api/v1/webhooks/{webhookId}/test',
      'POST /oauth2/token',
      'POST /outbound',
    ]);
  });

  it('names every operation once and resolves every reference', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    assert.ok(names.every(Boolean));
    assert.equal(new Set(names).size, names.length);
    for (const [, reference] of JSON.stringify(openapi).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = (reference as string).split('/').reduce((node, name) => node?.[name], openapi);
      assert.ok(target, reference);
    }
  });

  it('describes the fields of an outbound call with the limits that validate them', () => {
    const call = openapi.components.schemas.OutboundCallInput ?? openapi.components.schemas.OutboundCall;
    assert.deepEqual(call.required.toSorted(), ['formInfo', 'fromPhoneNumber', 'name', 'toPhoneNumber']);
    assert.equal(call.properties.name.maxLength, 200);
    assert.equal(call.properties.introMessage.maxLength, 5_000);
    assert.equal(call.properties.customQuestions.maxItems, 50);
  });

  it('describes a contact', () => {
    const { properties } = openapi.components.schemas.ContactBatchInput ?? openapi.components.schemas.ContactBatch;
    assert.deepEqual(properties.contacts.items.required, ['phone']);
    assert.equal(properties.contacts.items.properties.firstName.anyOf[0].maxLength, 200);
  });
});

describe('GET /docs', () => {
  it('is a page whose parts all come from here', async () => {
    const { status, body } = await send('GET', `${service.url}/docs`);
    assert.equal(status, 200);
    const parts = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part as string);
    assert.ok(parts.length > 3);
    for (const part of parts) {
      const url = new URL(part, `${service.url}/docs/`);
      assert.equal(url.origin, service.url);
      assert.equal((await send('GET', url.href)).status, 200, part);
    }
  });
});

describe('one account never sees another', () => {
  async function idsOf(tenant: Tenant): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${await service.token(tenant)}` };
    const { body } = await send('POST', `${service.url}/outbound`, { headers, json: callBody(tenant) });
    const { webhookId, deliveryId } = await webhookOf(tenant);
    return { callId: body.callId, campaignId: tenant.campaignId, agentId: tenant.agentId, webhookId, deliveryId };
  }

  async function webhookOf({ apiKey }: Tenant): Promise<{ webhookId: string; deliveryId: string }> {
    const url = `${service.url}/api/v1/webhooks`;
    const headers = { 'x-api-key': apiKey };
    const { body } = await send('POST', url, { headers, json: { url: 'https://example.com/' } });
    return (await send('POST', `${url}/${body.webhookId}/test`, { headers })).body;
  }

  const fill = (path: string, ids: Record<string, string>) =>
    path.replace(/\{(\w+)\}/g, (_, name) => ids[name] as string);

  // A body that would be accepted from the owner.
  const bodies: Record<string, unknown> = {
    writeContacts: { contacts: [{ phone: '12025550123' }] },
    patchCampaign: { name: 'Stolen' },
    patchAgent: { name: 'Stolen' },
    patchWebhook: { description: 'Stolen' },
    sayInCall: { text: 'Stolen' },
  };

  // A call for which the owner would be let in, where a queued one is not.
  const calls: Record<string, Record<string, unknown>> = {
    sayInCall: live('in_progress'),
    eraseCall: ended(),
    watchCall: ended(),
    getRecording: { ...ended(), has_recording: true },
  };

  async function callFor(operationId: string, owner: Tenant): Promise<{ callId?: string }> {
    const columns = calls[operationId];
    if (!columns) return {};
    const callId = await insertCall(service.db, owner, columns);
    if (columns['has_recording']) await writeFile(join(recordings, `${callId}.wav`), 'sound');
    return { callId };
  }

  for (const { method, path, operation } of operations.filter(({ path }) => path.includes('{'))) {
    it(`${method} ${path} with another account's key is 404`, async () => {
      const [owner, stranger] = [await service.newTenant(), await service.newTenant()];
      const ids = { ...(await idsOf(owner)), ...(await callFor(operation.operationId ?? '', owner)) };
      const url = `${service.url}${fill(path, ids)}`;
      const json = bodies[operation.operationId ?? ''];
      const request = (apiKey: string) =>
        send(method, url, { headers: { 'x-api-key': apiKey }, ...(json ? { json } : {}) });
      const before = await snapshot(owner);
      const answer = await request(stranger.apiKey);
      assert.equal(answer.status, 404);
      assert.deepEqual(await snapshot(owner), before);
      assert.ok((await request(owner.apiKey)).status < 300, 'while the owner is let in');
    });
  }

  async function snapshot({ accountId, campaignId }: Tenant) {
    const tables = ['agents', 'campaigns', 'calls', 'webhook_endpoints', 'deliveries'].map((table) =>
      service.db.query(`SELECT * FROM ${table} WHERE account_id = $1 ORDER BY id`, [accountId]),
    );
    const contacts = service.db.query('SELECT * FROM contacts WHERE campaign_id = $1', [campaignId]);
    return (await Promise.all([...tables, contacts])).map((result) => result.rows);
  }

  for (const { method, path, operation } of operations.filter(({ path }) => /^\/(api|outbound)/.test(path))) {
    it(`${method} ${path} without credentials is 401 or 403`, async () => {
      const ids = await idsOf(service.tenant);
      const json = bodies[operation.operationId ?? ''] ?? {};
      const answer = await send(method, `${service.url}${fill(path, ids)}`, method === 'GET' ? {} : { json });
      assert.ok(answer.status === 401 || answer.status === 403, String(answer.status));
    });
  }

  for (const { path } of operations.filter(
    ({ method, path }) => method === 'GET' && /^\/api\/v1\/(?!events$)\w+$/.test(path),
  )) {
    it(`GET ${path} lists only one's own`, async () => {
      const [owner, stranger] = [await service.newTenant(), await service.newTenant()];
      const own = JSON.stringify(await idsOf(owner));
      const { body } = await send('GET', `${service.url}${path}?limit=200`, {
        headers: { 'x-api-key': stranger.apiKey },
      });
      for (const row of body.data) {
        const id = row.callId ?? row.campaignId ?? row.agentId ?? row.webhookId;
        assert.equal(own.includes(id), false);
      }
      assert.ok(body.data.length <= 1);
    });
  }
});

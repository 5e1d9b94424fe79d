import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callBody, send, startService } from '../harness/service.ts';

const service = await startService();

async function place(body: unknown, headers: Record<string, string> = {}) {
  return send('POST', `${service.url}/outbound`, {
    headers: { authorization: `Bearer ${await service.token()}`, ...headers },
    json: body,
  });
}

describe('POST /outbound', () => {
  it('answers 200 with a callId once the call is recorded', async () => {
    const { status, body } = await place(callBody(service.tenant));
    assert.equal(status, 200);
    assert.equal(body.status, 'queued');
    assert.deepEqual(body.warnings, []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callScope } from '../../src/domain/account.ts';
import { freePort } from '../../src/free-port.ts';
import { postmasterPid, readCredentialsOf, spawnParley, temporaryDataDir } from '../harness/process.ts';
import { send } from '../harness/service.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 20);

/** What the service has promised: the ids and phones of answers that reached us. */
type Promised = { calls: Set<string>; contacts: Set<string> };

describe('kill -9 under load', () => {
  it(`${rounds} rounds: every answered call and every contact in success is there after the restart`, async (t) => {
    const dataDir = await temporaryDataDir();
    const port = await freePort();
    const promised: Promised = { calls: new Set(), contacts: new Set() };
    const startsMs: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const startedAt = performance.now();
      const parley = await (await spawnParley(dataDir, { port, env: { PARLEY_LOG_LEVEL: 'warn' } })).ready();
      if (round > 1) startsMs.push(performance.now() - startedAt);
      await checkPromises(dataDir, promised);
      const load = putUnderLoad(dataDir, promised);
      await sleep(200 + Math.random() * 1_300);
      const databaseToo = round % 2 === 0;
      const pid = await postmasterPid(dataDir);
      await parley.stop('SIGKILL');
      if (databaseToo && pid) process.kill(pid, 'SIGKILL');
      await load.stop();
    }
    const parley = await (await spawnParley(dataDir, { port })).ready();
    await checkPromises(dataDir, promised);
    await parley.stop();
    const sorted = startsMs.toSorted((a, b) => a - b);
    t.diagnostic(`${promised.calls.size} calls and ${promised.contacts.size} contacts kept`);
    t.diagnostic(
      `starts after a kill: median ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, longest ${Math.round(sorted.at(-1) ?? 0)} ms`,
    );
    assert.ok(promised.calls.size > rounds && promised.contacts.size > rounds, 'there was a load');
    assert.ok((sorted[sorted.length >> 1] ?? 0) < 5_000, 'the next start takes less than 5 s');
  });
});

function putUnderLoad(dataDir: string, promised: Promised) {
  let stopping = false;
  const workers = readCredentialsOf(dataDir).then(async (credentials) => {
    const { baseUrl, apiKey, campaignId, clientId, clientSecret, fromPhoneNumber } = credentials;
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: callScope,
    };
    const token = await fetch(`${baseUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
    const { access_token } = (await token.json()) as { access_token: string };

    async function placeCalls(): Promise<void> {
      while (!stopping) {
        const json = { name: 'Ada', toPhoneNumber: '+12025550100', fromPhoneNumber, formInfo: [] };
        const answer = await send('POST', `${baseUrl}/outbound`, {
          headers: { authorization: `Bearer ${access_token}` },
          json,
        });
        if (answer.status === 200) promised.calls.add(answer.body.callId);
      }
    }
    async function addContacts(): Promise<void> {
      while (!stopping) {
        const contacts = Array.from({ length: 50 }, () => ({
          phone: String(10_000_000_000 + Math.floor(Math.random() * 1e10)),
        }));
        const url = `${baseUrl}/api/v1/campaigns/${campaignId}/contacts`;
        const answer = await send('POST', url, { headers: { 'x-api-key': apiKey }, json: { contacts } });
        for (const { phone } of answer.body.success ?? []) promised.contacts.add(phone);
      }
    }
    // The kill breaks their connections: that is how they end.
    await Promise.allSettled([...Array.from({ length: 8 }, placeCalls), ...Array.from({ length: 3 }, addContacts)]);
  });
  return {
    async stop() {
      stopping = true;
      await workers.catch(() => {});
    },
  };
}

async function checkPromises(dataDir: string, promised: Promised): Promise<void> {
  const { baseUrl, apiKey, campaignId } = await readCredentialsOf(dataDir);
  const calls = await listAll(`${baseUrl}/api/v1/calls`, apiKey, (row) => row['callId'] as string);
  const contacts = await listAll(
    `${baseUrl}/api/v1/campaigns/${campaignId}/contacts`,
    apiKey,
    (row) => row['phone'] as string,
  );
  assert.deepEqual(
    [...promised.calls].filter((id) => !calls.has(id)),
    [],
  );
  assert.deepEqual(
    [...promised.contacts].filter((phone) => !contacts.has(phone)),
    [],
  );
}

async function listAll(
  url: string,
  apiKey: string,
  idOf: (row: Record<string, unknown>) => string,
): Promise<Set<string>> {
  const found = new Set<string>();
  let cursor: string | null = null;
  do {
    const { body } = await send('GET', `${url}?limit=200${cursor ? `&cursor=${cursor}` : ''}`, {
      headers: { 'x-api-key': apiKey },
    });
    for (const row of body.data) found.add(idOf(row));
    cursor = body.nextCursor;
  } while (cursor);
  return found;
}

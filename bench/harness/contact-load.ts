import pg from 'pg';
import { createCampaign } from '../../src/store/campaigns.ts';
import { upsertStatement } from '../../src/store/contacts.ts';
import { eachOf, loadHttp, postRequest } from './http-load.ts';
import { newContacts } from './new-contacts.ts';
import type { Service } from './service.ts';
import { loadStatement } from './statement-load.ts';

export const batchSize = 1_000;

export type Campaign = { accountId: string; campaignId: string };

type Batches = { service: Service; campaign: Campaign; batches: number; inFlight: number; signal: AbortSignal };

/** Contacts a second through HTTP. Bodies are ready before the clock starts. */
export async function contactsOverHttp({ service, campaign, batches, inFlight, signal }: Batches): Promise<number> {
  const path = `/api/v1/campaigns/${campaign.campaignId}/contacts`;
  const headers = { 'x-api-key': service.credentials.apiKey, 'content-type': 'application/json' };
  const requests = Array.from({ length: batches }, () =>
    postRequest(path, headers, JSON.stringify({ contacts: newContacts(batchSize) })),
  );
  const { port } = service;
  return batchSize * (await loadHttp({ port, connections: inFlight, next: eachOf(requests), signal }));
}

/**
 * Contacts a second of the bare statement: the JSON is ready and sorted by phone, as the service
 * would send it; included are the driver's part and reading the rows that come back.
 */
export async function contactsBare({ service, campaign, batches, inFlight, signal }: Batches): Promise<number> {
  const { accountId, campaignId } = campaign;
  const values = Array.from({ length: batches }, () => {
    const sorted = newContacts(batchSize).sort((a, b) => (a.phone < b.phone ? -1 : 1));
    return [accountId, campaignId, JSON.stringify(sorted)];
  });
  const statement = { name: 'upsert-contacts', text: upsertStatement };
  const next = eachOf(values);
  return (
    batchSize * (await loadStatement({ url: service.databaseUrl, connections: inFlight, statement, next, signal }))
  );
}

/** A campaign of the demo account. */
export async function newCampaign({ databaseUrl, credentials }: Service, name: string): Promise<Campaign> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query('SELECT account_id FROM campaigns WHERE id = $1', [credentials.campaignId]);
    const accountId = rows[0].account_id as string;
    const campaign = await createCampaign(client, accountId, { name, country: 'US', agentId: null });
    return { accountId, campaignId: campaign?.campaignId as string };
  });
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

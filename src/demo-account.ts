import { hashSecret, newClientId, newSecret } from './auth/secret.ts';
import { type Credentials, readCredentials, writeCredentials } from './credentials-file.ts';
import { callScope } from './domain/account.ts';
import { createAccount, isUnused } from './store/accounts.ts';
import { createAdminToken } from './store/admin-tokens.ts';
import { createAgent } from './store/agents.ts';
import { createApiKey } from './store/api-keys.ts';
import { createCampaign } from './store/campaigns.ts';
import { type DatabasePool, inTransaction } from './store/database.ts';
import { createClient } from './store/oauth-clients.ts';

const fromPhoneNumber = '+12025550000';

/**
 * On a database that nobody used yet: an account to try everything with. Its credentials reach the
 * disk before the account does, so that no crash leaves an account that nobody can enter.
 */
export async function ensureDemoAccount(
  pool: DatabasePool,
  dataDir: string,
  baseUrl: string,
): Promise<Credentials | undefined> {
  if (await isUnused(pool)) return createDemoAccount(pool, dataDir, baseUrl);
  const credentials = await readCredentials(dataDir);
  if (credentials && credentials.baseUrl !== baseUrl) {
    await writeCredentials(dataDir, { ...credentials, baseUrl });
    return { ...credentials, baseUrl };
  }
  return credentials;
}

async function createDemoAccount(pool: DatabasePool, dataDir: string, baseUrl: string): Promise<Credentials> {
  const clientId = newClientId();
  const clientSecret = newSecret('secret');
  const apiKey = newSecret('key');
  const adminToken = newSecret('admin');
  return inTransaction(pool, async (db) => {
    const account = await createAccount(db, { name: 'Demo', plan: 'plus' });
    await createClient(db, account.id, {
      clientId,
      name: 'Demo client',
      secretHash: hashSecret(clientSecret),
      scopes: [callScope],
    });
    await createApiKey(db, account.id, { name: 'Demo key', keyHash: hashSecret(apiKey) });
    await createAdminToken(db, hashSecret(adminToken));
    const agent = await createAgent(db, account.id, {
      phoneNumber: fromPhoneNumber,
      name: 'Robin',
      company: 'Parley Demo',
      voice: 'slt',
      language: 'en-US',
      defaultQuestions: ['How did you hear about us?', 'When would be a good time for a longer talk?'],
      defaultRules: ['Be friendly and brief.'],
    });
    const campaign = await createCampaign(db, account.id, {
      name: 'Demo campaign',
      country: 'US',
      agentId: agent?.agentId ?? null,
    });
    const campaignId = campaign?.campaignId as string;
    const credentials = { baseUrl, clientId, clientSecret, apiKey, campaignId, fromPhoneNumber, adminToken };
    await writeCredentials(dataDir, credentials);
    return credentials;
  });
}

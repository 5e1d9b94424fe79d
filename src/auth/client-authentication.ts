import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { type ClientCredentials, findClientCredentials } from '../store/oauth-clients.ts';
import { hashSecret } from './secret.ts';

const nobody = hashSecret('');

/** The client behind id and secret. An unknown id takes the same steps as a wrong secret. */
export async function authenticateClient(
  db: Database,
  clientId: string,
  clientSecret: string,
): Promise<ClientCredentials | undefined> {
  const client = await findClientCredentials(db, clientId.includes('\0') ? '' : clientId);
  const matches = timingSafeEqual(hashSecret(clientSecret), client?.secretHash ?? nobody);
  return matches ? client : undefined;
}

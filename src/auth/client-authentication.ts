import { timingSafeEqual } from 'node:crypto';
import { inBatches } from '../store/batches.ts';
import type { Database } from '../store/database.ts';
import { type ClientCredentials, findClientCredentials } from '../store/oauth-clients.ts';
import { hashSecret } from './secret.ts';

export type ClientAuthentication = (clientId: string, clientSecret: string) => Promise<ClientCredentials | undefined>;

const nobody = hashSecret('');

/** Finds the client behind id and secret. An unknown id takes the same steps as a wrong secret. */
export function clientAuthentication(db: Database): ClientAuthentication {
  const find = inBatches((clientIds: string[]) => findClientCredentials(db, clientIds));

  return async (clientId, clientSecret) => {
    const client = await find(clientId.includes('\0') ? '' : clientId);
    const matches = timingSafeEqual(hashSecret(clientSecret), client?.secretHash ?? nobody);
    return matches ? client : undefined;
  };
}

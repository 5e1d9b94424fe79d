import type { Database } from './database.ts';

export type OAuthClient = {
  clientId: string;
  name: string;
  scopes: string[];
  external: boolean;
  createdAt: Date;
  revokedAt: Date | null;
};

/** What the token endpoint must know of a client. */
export type ClientCredentials = {
  accountId: string;
  secretHash: Buffer;
  scopes: string[];
  accountDeleted: boolean;
};

export async function createClient(
  db: Database,
  accountId: string,
  client: { clientId: string; name: string; secretHash: Buffer | null; scopes: readonly string[] },
): Promise<void> {
  await db.query(
    'INSERT INTO oauth_clients (client_id, account_id, name, secret_hash, scopes) VALUES ($1, $2, $3, $4, $5)',
    [client.clientId, accountId, client.name, client.secretHash, client.scopes],
  );
}

/** The clients behind the ids, in their order; undefined for one that is unknown or revoked. */
export async function findClientCredentials(
  db: Database,
  clientIds: string[],
): Promise<(ClientCredentials | undefined)[]> {
  const { rows } = await db.query({
    name: 'find-client-credentials',
    text: `SELECT c.client_id, c.account_id, c.secret_hash, c.scopes, a.deleted_at IS NOT NULL AS account_deleted
      FROM oauth_clients c JOIN accounts a ON a.id = c.account_id
      WHERE c.client_id = ANY ($1) AND c.revoked_at IS NULL AND c.secret_hash IS NOT NULL`,
    values: [clientIds],
  });
  const found = new Map<string, ClientCredentials>();
  for (const row of rows) {
    found.set(row.client_id, {
      accountId: row.account_id,
      secretHash: row.secret_hash,
      scopes: row.scopes,
      accountDeleted: row.account_deleted,
    });
  }
  return clientIds.map((clientId) => found.get(clientId));
}

export async function listClients(db: Database, accountId: string): Promise<OAuthClient[]> {
  const { rows } = await db.query(
    `SELECT client_id, name, scopes, secret_hash IS NULL AS external, created_at, revoked_at
     FROM oauth_clients WHERE account_id = $1 ORDER BY created_at, client_id`,
    [accountId],
  );
  return rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    scopes: row.scopes,
    external: row.external,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }));
}

export async function revokeClient(db: Database, accountId: string, clientId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE oauth_clients SET revoked_at = now() WHERE account_id = $1 AND client_id = $2 AND revoked_at IS NULL',
    [accountId, clientId],
  );
  return rowCount === 1;
}

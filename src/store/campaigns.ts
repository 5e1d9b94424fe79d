import { v7 as newId } from 'uuid';
import type { Campaign, CampaignInput, CampaignPatch } from '../domain/campaign.ts';
import type { Database } from './database.ts';
import type { Page } from './page.ts';

const columns = 'id, name, country, agent_id, created_at, updated_at, archived_at';

const ownAgent = `EXISTS (SELECT FROM agents WHERE account_id = $1 AND id = $4 AND deleted_at IS NULL)`;

/** The new campaign, or undefined when the agent is not the account's. */
export async function createCampaign(
  db: Database,
  accountId: string,
  campaign: CampaignInput,
): Promise<Campaign | undefined> {
  const { rows } = await db.query(
    `INSERT INTO campaigns (account_id, name, country, agent_id, id)
     SELECT $1, $2, $3, $4::uuid, $5 WHERE $4::uuid IS NULL OR ${ownAgent} RETURNING ${columns}`,
    [accountId, campaign.name, campaign.country, campaign.agentId, newId()],
  );
  return rows[0] && toCampaign(rows[0]);
}

export async function listCampaigns(
  db: Database,
  accountId: string,
  filter: { status: 'active' | 'archived' | undefined },
  page: Page,
): Promise<Campaign[]> {
  const { rows } = await db.query(
    `SELECT ${columns} FROM campaigns
     WHERE account_id = $1 AND ($2::uuid IS NULL OR id < $2)
       AND ($3::boolean IS NULL OR (archived_at IS NOT NULL) = $3)
     ORDER BY id DESC LIMIT $4`,
    [accountId, page.after, filter.status && filter.status === 'archived', page.limit],
  );
  return rows.map(toCampaign);
}

export async function findCampaign(db: Database, accountId: string, id: string): Promise<Campaign | undefined> {
  const { rows } = await db.query(`SELECT ${columns} FROM campaigns WHERE account_id = $1 AND id = $2`, [
    accountId,
    id,
  ]);
  return rows[0] && toCampaign(rows[0]);
}

export async function patchCampaign(
  db: Database,
  accountId: string,
  id: string,
  patch: CampaignPatch,
): Promise<Campaign | 'not_found' | 'agent_not_found'> {
  const { rows } = await db.query(
    `WITH wanted AS (SELECT $5::boolean AND $4::uuid IS NOT NULL AND NOT ${ownAgent} AS agent_missing),
     patched AS (
       UPDATE campaigns SET
         name = coalesce($2, name), country = coalesce($3, country),
         agent_id = CASE WHEN $5 THEN $4::uuid ELSE agent_id END, updated_at = now()
       FROM wanted WHERE account_id = $1 AND id = $6 AND NOT agent_missing RETURNING ${columns})
     SELECT agent_missing, patched.* FROM wanted LEFT JOIN patched ON true`,
    [accountId, patch.name, patch.country, patch.agentId, patch.agentId !== undefined, id],
  );
  if (rows[0].id) return toCampaign(rows[0]);
  const exists = await findCampaign(db, accountId, id);
  return exists ? 'agent_not_found' : 'not_found';
}

export async function archiveCampaign(db: Database, accountId: string, id: string): Promise<Campaign | undefined> {
  const { rows } = await db.query(
    `UPDATE campaigns SET archived_at = coalesce(archived_at, now()), updated_at = now()
     WHERE account_id = $1 AND id = $2 RETURNING ${columns}`,
    [accountId, id],
  );
  return rows[0] && toCampaign(rows[0]);
}

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
function toCampaign(row: any): Campaign {
  return {
    campaignId: row.id,
    name: row.name,
    country: row.country,
    agentId: row.agent_id,
    status: row.archived_at ? 'archived' : 'active',
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    archivedAt: row.archived_at?.toISOString() ?? null,
  };
}

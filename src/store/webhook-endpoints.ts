import { v7 as newId } from 'uuid';
import { mostWebhooks, type Webhook, type WebhookInput, type WebhookPatch } from '../domain/webhook.ts';
import type { Database } from './database.ts';
import { deliveriesChannel } from './deliveries.ts';
import type { Page } from './page.ts';
import { seal, sealingKey } from './sealed.ts';

const columns = 'id, url, description, events, disabled_reason, created_at, updated_at';

/** The new webhook, or undefined when the account has as many as it may. */
export async function createWebhook(
  db: Database,
  accountId: string,
  webhook: WebhookInput,
  secret: string,
): Promise<Webhook | undefined> {
  const id = newId();
  const { rows } = await db.query(
    `INSERT INTO webhook_endpoints (id, account_id, url, description, events, sealed_secret)
     SELECT $1, $2, $3, $4, $5, $6
     WHERE (SELECT count(*) FROM webhook_endpoints WHERE account_id = $2) < ${mostWebhooks} RETURNING ${columns}`,
    [
      id,
      accountId,
      new URL(webhook.url).href,
      webhook.description,
      [...new Set(webhook.events)],
      seal(await sealingKey(db), secret, id),
    ],
  );
  return rows[0] && toWebhook(rows[0]);
}

export async function listWebhooks(db: Database, accountId: string, page: Page): Promise<Webhook[]> {
  const { rows } = await db.query(
    `SELECT ${columns} FROM webhook_endpoints
     WHERE account_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [accountId, page.after, page.limit],
  );
  return rows.map(toWebhook);
}

export async function findWebhook(db: Database, accountId: string, id: string): Promise<Webhook | undefined> {
  const { rows } = await db.query(`SELECT ${columns} FROM webhook_endpoints WHERE account_id = $1 AND id = $2`, [
    accountId,
    id,
  ]);
  return rows[0] && toWebhook(rows[0]);
}

/** What waits for a disabled webhook goes out once it is enabled again. */
export async function patchWebhook(
  db: Database,
  accountId: string,
  id: string,
  patch: WebhookPatch,
): Promise<Webhook | undefined> {
  const { rows } = await db.query(
    `WITH patched AS (
       UPDATE webhook_endpoints SET
         url = coalesce($3, url), description = coalesce($4, description), events = coalesce($5, events),
         disabled_at = CASE WHEN $6 THEN NULL WHEN NOT $6 THEN coalesce(disabled_at, now()) ELSE disabled_at END,
         disabled_reason = CASE WHEN $6 THEN NULL WHEN NOT $6 THEN coalesce(disabled_reason, 'paused')
           ELSE disabled_reason END,
         updated_at = now()
       WHERE account_id = $1 AND id = $2 RETURNING ${columns})
     SELECT patched.*, CASE WHEN $6 THEN pg_notify('${deliveriesChannel}', '') END FROM patched`,
    [
      accountId,
      id,
      patch.url && new URL(patch.url).href,
      patch.description,
      patch.events && [...new Set(patch.events)],
      patch.enabled,
    ],
  );
  return rows[0] && toWebhook(rows[0]);
}

/** Its deliveries go with it: they hold what was said about people. */
export async function deleteWebhook(db: Database, accountId: string, id: string): Promise<boolean> {
  const { rows } = await db.query(
    `WITH deleted AS (DELETE FROM webhook_endpoints WHERE account_id = $1 AND id = $2 RETURNING id),
     emptied AS (DELETE FROM deliveries USING deleted WHERE endpoint_id = deleted.id)
     SELECT FROM deleted`,
    [accountId, id],
  );
  return rows.length === 1;
}

/** From now on `secret` signs; the one before it signs too for another day. */
export async function rotateWebhookSecret(
  db: Database,
  accountId: string,
  id: string,
  secret: string,
): Promise<Webhook | undefined> {
  const { rows } = await db.query(
    `UPDATE webhook_endpoints SET sealed_previous_secret = sealed_secret,
       previous_secret_until = now() + interval '24 hours', sealed_secret = $3, updated_at = now()
     WHERE account_id = $1 AND id = $2 RETURNING ${columns}`,
    [accountId, id, seal(await sealingKey(db), secret, id)],
  );
  return rows[0] && toWebhook(rows[0]);
}

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
function toWebhook(row: any): Webhook {
  return {
    webhookId: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    enabled: row.disabled_reason === null,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

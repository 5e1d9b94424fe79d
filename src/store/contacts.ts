import type { Contact, ContactInput, ContactReference } from '../domain/contact.ts';
import type { Database } from './database.ts';
import type { Page } from './page.ts';

export type StoredContact = { phone: string; email: string };
export type UpsertedContact = StoredContact & { created: boolean };

/**
 * Adds or updates all contacts in one statement. They must be in phone order and each phone once:
 * then requests over the same numbers wait for each other and never in a circle.
 */
export async function upsertContacts(
  db: Database,
  accountId: string,
  campaignId: string,
  contacts: ContactInput[],
): Promise<UpsertedContact[] | 'not_found' | 'archived'> {
  const { rows } = await db.query({
    name: 'upsert-contacts',
    text: upsertStatement,
    values: [accountId, campaignId, JSON.stringify(contacts)],
  });
  if (!rows[0]) return 'not_found';
  if (rows[0].archived) return 'archived';
  return contacts.length === 0 ? [] : rows;
}

export const upsertStatement = `
  WITH campaign AS (
    SELECT id, archived_at IS NOT NULL AS archived FROM campaigns WHERE account_id = $1 AND id = $2
  ), upserted AS (
    INSERT INTO contacts AS old (campaign_id, phone, first_name, last_name, email, metadata)
    SELECT campaign.id, new.phone, new."firstName", new."lastName", new.email, new."contactMetadata"
    FROM campaign, json_to_recordset($3::json) AS new
      (phone text, "firstName" text, "lastName" text, email text, "contactMetadata" jsonb)
    WHERE NOT campaign.archived
    ON CONFLICT (campaign_id, phone) DO UPDATE SET
      first_name = coalesce(excluded.first_name, old.first_name),
      last_name = coalesce(excluded.last_name, old.last_name),
      email = coalesce(excluded.email, old.email),
      metadata = coalesce(excluded.metadata, old.metadata),
      updated_at = now()
    RETURNING phone, email, xmax = 0 AS created
  )
  SELECT archived, phone, coalesce(email, '') AS email, created FROM campaign LEFT JOIN upserted ON true`;

export type RemovedContact = StoredContact & { reference: number };

/**
 * Removes by phone, or by e-mail (whatever its case; several contacts can share one). Each removed
 * contact names the position of the first reference that found it.
 */
export async function removeContacts(
  db: Database,
  accountId: string,
  campaignId: string,
  references: ContactReference[],
): Promise<RemovedContact[] | 'not_found'> {
  const phones = references.map((reference) => ('phone' in reference ? reference.phone : null));
  const emails = references.map((reference) => ('email' in reference ? reference.email : null));
  const { rows } = await db.query(
    `WITH campaign AS (SELECT id FROM campaigns WHERE account_id = $1 AND id = $2),
     wanted AS (SELECT * FROM campaign, unnest($3::text[], $4::text[]) WITH ORDINALITY AS w (phone, email, position)),
     found AS (
       SELECT campaign_id, phone, min(position) AS position FROM (
         SELECT c.campaign_id, c.phone, w.position FROM wanted w
           JOIN contacts c ON c.campaign_id = w.id AND c.phone = w.phone
         UNION ALL
         SELECT c.campaign_id, c.phone, w.position FROM wanted w
           JOIN contacts c ON c.campaign_id = w.id AND c.email <> '' AND lower(c.email) = lower(w.email)
       ) matches GROUP BY campaign_id, phone
     ),
     locked AS (
       SELECT c.campaign_id, c.phone, f.position FROM contacts c JOIN found f USING (campaign_id, phone)
       ORDER BY c.phone FOR UPDATE OF c
     ),
     removed AS (
       DELETE FROM contacts c USING locked l WHERE c.campaign_id = l.campaign_id AND c.phone = l.phone
       RETURNING c.phone, coalesce(c.email, '') AS email, l.position::integer - 1 AS reference
     )
     SELECT removed.* FROM campaign LEFT JOIN removed ON true ORDER BY reference, phone`,
    [accountId, campaignId, phones, emails],
  );
  if (!rows[0]) return 'not_found';
  return rows[0].phone === null ? [] : rows;
}

export async function listContacts(
  db: Database,
  accountId: string,
  campaignId: string,
  filter: { search: string | undefined },
  page: Page,
): Promise<Contact[] | 'not_found'> {
  const { rows } = await db.query(
    `SELECT c.* FROM campaigns m LEFT JOIN LATERAL (
       SELECT phone, first_name, last_name, email, metadata, created_at, updated_at FROM contacts
       WHERE campaign_id = m.id AND ($3::text IS NULL OR phone > $3)
         AND ($4::text IS NULL OR position(lower($4) IN lower(concat_ws(' ', first_name, last_name, email, phone))) > 0)
       ORDER BY phone LIMIT $5
     ) c ON true
     WHERE m.account_id = $1 AND m.id = $2 ORDER BY c.phone`,
    [accountId, campaignId, page.after, filter.search, page.limit],
  );
  if (!rows[0]) return 'not_found';
  return rows[0].phone === null ? [] : rows.map(toContact);
}

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
function toContact(row: any): Contact {
  return {
    phone: row.phone,
    email: row.email ?? '',
    firstName: row.first_name ?? '',
    lastName: row.last_name ?? '',
    contactMetadata: row.metadata ?? {},
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

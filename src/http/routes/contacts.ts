import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type ContactBatchResult,
  contactBatchResultSchema,
  contactInput,
  contactSchema,
} from '../../domain/contact.ts';
import {
  batchResult,
  foldByPhone,
  readContactInputs,
  readContactReferences,
  removedItems,
  upsertedItems,
} from '../../domain/contact-batch.ts';
import { Problem } from '../../domain/problem.ts';
import { listContacts, removeContacts, upsertContacts } from '../../store/contacts.ts';
import { type Database, inTransaction } from '../../store/database.ts';
import { claimKey, rememberResponse } from '../../store/idempotency.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { answerEarlier, idempotencyHeaders, idempotentRequest } from '../idempotency-key.ts';
import { askFor, pageOf, phonePaging, toPage } from '../paging.ts';
import { problemResponses } from '../problem-responses.ts';
import { campaignNotFound, campaignParams } from './campaigns.ts';

// Each element is judged by itself, so that a bad one does not fail the others.
const { $schema, ...contactJsonSchema } = z.toJSONSchema(contactInput, { io: 'input', target: 'draft-2020-12' });

const batchSchema = z
  .object({
    contacts: z.array(z.unknown()).meta({ items: contactJsonSchema }),
    action: z.literal('remove').optional().describe('Without it the contacts are added or updated'),
  })
  .meta({ id: 'ContactBatch' });

export function contactRoutes(app: App, deps: AppDeps): void {
  const { db, config, metrics } = deps;

  app.post(
    '/api/v1/campaigns/:campaignId/contacts',
    {
      onRequest: requireApiKey(deps),
      bodyLimit: config.maxContactsBytes,
      schema: {
        operationId: 'writeContacts',
        summary: 'Add, update or remove campaign contacts',
        description: `Up to ${config.maxContacts} contacts at once. What is listed in \`success\` is stored when the answer is sent.`,
        tags: ['Campaigns'],
        params: campaignParams,
        headers: idempotencyHeaders,
        body: batchSchema,
        response: { 200: contactBatchResultSchema, ...problemResponses },
      },
    },
    async (request, reply): Promise<ContactBatchResult> => {
      const { contacts, action } = request.body;
      if (contacts.length > config.maxContacts) {
        throw new Problem('payload_too_large', `One request takes up to ${config.maxContacts} contacts.`);
      }
      const write = action === 'remove' ? remove : upsert;
      const { accountId } = request;
      const { campaignId } = request.params;
      const result = await once(request, reply, (store) => write(store, accountId, campaignId, contacts));
      for (const [action, items] of Map.groupBy(result.success, (item) => item.action)) {
        metrics.contactsProcessed.inc({ action }, items.length);
      }
      metrics.contactsProcessed.inc({ action: 'failed' }, result.errors.length);
      return result;
    },
  );

  /** With an Idempotency-Key the work and its remembered answer are one transaction. */
  async function once(
    request: FastifyRequest<{ Params: { campaignId: string } }>,
    reply: FastifyReply,
    work: (store: Database) => Promise<ContactBatchResult>,
  ): Promise<ContactBatchResult> {
    const idempotent = idempotentRequest(request, `POST /api/v1/campaigns/${request.params.campaignId}/contacts`);
    if (!idempotent) return work(db);
    return inTransaction(db, async (transaction) => {
      const earlier = await claimKey<ContactBatchResult>(transaction, request.accountId, idempotent);
      if (earlier) return answerEarlier(earlier, reply);
      const result = await work(transaction);
      await rememberResponse(transaction, request.accountId, idempotent, result);
      return result;
    });
  }

  app.get(
    '/api/v1/campaigns/:campaignId/contacts',
    {
      onRequest: requireApiKey(deps),
      schema: {
        operationId: 'listContacts',
        summary: 'List the contacts of a campaign, in order of their phone numbers',
        tags: ['Campaigns'],
        params: campaignParams,
        querystring: z.strictObject({
          search: z.string().min(1).max(200).optional().describe('Part of a name, e-mail address or phone number'),
          ...phonePaging,
        }),
        response: { 200: pageOf(contactSchema), ...problemResponses },
      },
    },
    async ({ accountId, params, query }) => {
      const search = query.search?.replaceAll('\0', '');
      const contacts = await listContacts(db, accountId, params.campaignId, { search }, askFor(query));
      if (contacts === 'not_found') throw campaignNotFound();
      return toPage(contacts, query.limit, (contact) => contact.phone);
    },
  );
}

async function upsert(
  db: Database,
  accountId: string,
  campaignId: string,
  elements: unknown[],
): Promise<ContactBatchResult> {
  const read = readContactInputs(elements);
  const contacts = foldByPhone(read.valid.map(({ contact }) => contact));
  const stored = await upsertContacts(db, accountId, campaignId, contacts);
  if (stored === 'not_found') throw campaignNotFound();
  if (stored === 'archived') throw new Problem('campaign_archived', 'An archived campaign takes no contacts.');
  return batchResult(elements, upsertedItems(read, stored), read.errors);
}

async function remove(
  db: Database,
  accountId: string,
  campaignId: string,
  elements: unknown[],
): Promise<ContactBatchResult> {
  const read = readContactReferences(elements);
  const references = read.valid.map(({ contact }) => contact);
  const removed = await removeContacts(db, accountId, campaignId, references);
  if (removed === 'not_found') throw campaignNotFound();
  const { success, errors } = removedItems(elements, read, removed);
  return batchResult(elements, success, [...read.errors, ...errors]);
}

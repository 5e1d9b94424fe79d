import { z } from 'zod';
import { newWebhookSecret } from '../../auth/secret.ts';
import { Problem } from '../../domain/problem.ts';
import { namesPrivateHost } from '../../domain/public-address.ts';
import {
  type Delivery,
  deliverySchema,
  deliveryStates,
  mostWebhooks,
  webhookInput,
  webhookPatch,
  webhookSchema,
  webhookWithSecretSchema,
} from '../../domain/webhook.ts';
import { enqueueTest, listDeliveries, replayDelivery } from '../../store/deliveries.ts';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  patchWebhook,
  rotateWebhookSecret,
} from '../../store/webhook-endpoints.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { askFor, idPaging, pageOf, toPage } from '../paging.ts';
import { problemResponses } from '../problem-responses.ts';

const webhookParams = z.object({ webhookId: z.uuid() });
const deliveryParams = webhookParams.extend({ deliveryId: z.uuid() });
const deliveriesQuery = z.strictObject({ state: z.enum(deliveryStates).optional(), ...idPaging });

export function webhookRoutes(app: App, deps: AppDeps): void {
  const { db } = deps;
  const onRequest = requireApiKey(deps);
  const tags = ['Webhooks'];

  app.post(
    '/api/v1/webhooks',
    {
      onRequest,
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook; its secret is shown this once',
        tags,
        body: webhookInput,
        response: { 201: webhookWithSecretSchema, ...problemResponses },
      },
    },
    async ({ accountId, body }, reply) => {
      checkUrl(body.url, deps);
      const secret = newWebhookSecret();
      const webhook = await createWebhook(db, accountId, body, secret);
      if (!webhook) throw new Problem('too_many_webhooks', `An account has ${mostWebhooks} webhooks at most.`);
      reply.code(201).header('location', `/api/v1/webhooks/${webhook.webhookId}`);
      return { ...webhook, secret };
    },
  );

  app.get(
    '/api/v1/webhooks',
    {
      onRequest,
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks, newest first',
        tags,
        querystring: z.strictObject(idPaging),
        response: { 200: pageOf(webhookSchema), ...problemResponses },
      },
    },
    async ({ accountId, query }) =>
      toPage(await listWebhooks(db, accountId, askFor(query)), query.limit, (webhook) => webhook.webhookId),
  );

  app.get(
    '/api/v1/webhooks/:webhookId',
    {
      onRequest,
      schema: {
        operationId: 'getWebhook',
        summary: 'Show a webhook',
        tags,
        params: webhookParams,
        response: { 200: webhookSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }) => orNotFound(await findWebhook(db, accountId, params.webhookId)),
  );

  app.patch(
    '/api/v1/webhooks/:webhookId',
    {
      onRequest,
      schema: {
        operationId: 'patchWebhook',
        summary: 'Change a webhook; what is left out stays',
        description:
          'While a webhook is disabled, new events are not kept for it; what waited already goes out once it is enabled.',
        tags,
        params: webhookParams,
        body: webhookPatch,
        response: { 200: webhookSchema, ...problemResponses },
      },
    },
    async ({ accountId, params, body }) => {
      if (body.url !== undefined) checkUrl(body.url, deps);
      return orNotFound(await patchWebhook(db, accountId, params.webhookId, body));
    },
  );

  app.delete(
    '/api/v1/webhooks/:webhookId',
    {
      onRequest,
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook and its deliveries',
        tags,
        params: webhookParams,
        response: { 200: z.object({ webhookId: z.uuid(), deleted: z.literal(true) }), ...problemResponses },
      },
    },
    async ({ accountId, params: { webhookId } }) => {
      if (!(await deleteWebhook(db, accountId, webhookId))) throw webhookNotFound();
      return { webhookId, deleted: true as const };
    },
  );

  app.post(
    '/api/v1/webhooks/:webhookId/rotate-secret',
    {
      onRequest,
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Sign with a new secret, shown this once',
        description: 'For 24 hours the old secret signs too, so that the receiver can change over at its own time.',
        tags,
        params: webhookParams,
        response: { 200: webhookWithSecretSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }) => {
      const secret = newWebhookSecret();
      return { ...orNotFound(await rotateWebhookSecret(db, accountId, params.webhookId, secret)), secret };
    },
  );

  app.post(
    '/api/v1/webhooks/:webhookId/test',
    {
      onRequest,
      schema: {
        operationId: 'testWebhook',
        summary: 'Send the event webhook.test',
        tags,
        params: webhookParams,
        response: { 202: deliverySchema, ...problemResponses },
      },
    },
    async ({ accountId, params }, reply) => {
      reply.code(202);
      return written(await enqueueTest(db, accountId, params.webhookId), 'There is no such webhook.');
    },
  );

  app.get(
    '/api/v1/webhooks/:webhookId/deliveries',
    {
      onRequest,
      schema: {
        operationId: 'listDeliveries',
        summary: 'List what was sent or is to be sent, newest first',
        description: 'Delivered ones are kept for 7 days, dead ones for 30.',
        tags,
        params: webhookParams,
        querystring: deliveriesQuery,
        response: { 200: pageOf(deliverySchema), ...problemResponses },
      },
    },
    async ({ accountId, params, query }) => {
      const deliveries = await listDeliveries(db, accountId, params.webhookId, { state: query.state }, askFor(query));
      if (deliveries === 'not_found') throw webhookNotFound();
      return toPage(deliveries, query.limit, (delivery) => delivery.deliveryId);
    },
  );

  app.post(
    '/api/v1/webhooks/:webhookId/deliveries/:deliveryId/replay',
    {
      onRequest,
      schema: {
        operationId: 'replayDelivery',
        summary: 'Send a delivery again, with all its attempts',
        tags,
        params: deliveryParams,
        response: { 202: deliverySchema, ...problemResponses },
      },
    },
    async ({ accountId, params }, reply) => {
      reply.code(202);
      const replayed = await replayDelivery(db, accountId, params.webhookId, params.deliveryId);
      return written(replayed, 'There is no such delivery.');
    },
  );
}

/** Says at once what would fail at every delivery. */
function checkUrl(url: string, { allowPrivateWebhooks }: AppDeps): void {
  if (allowPrivateWebhooks || !namesPrivateHost(new URL(url))) return;
  throw new Problem('invalid_request', 'The body is not valid: see url.', {
    errors: [{ path: 'url', message: 'must lead to a public address' }],
  });
}

function written(delivery: Delivery | 'not_found' | 'disabled', notFound: string): Delivery {
  if (delivery === 'not_found') throw new Problem('not_found', notFound);
  if (delivery === 'disabled') throw new Problem('webhook_disabled', 'Enable the webhook first.');
  return delivery;
}

function orNotFound<T>(webhook: T | undefined): T {
  if (!webhook) throw webhookNotFound();
  return webhook;
}

function webhookNotFound(): Problem {
  return new Problem('not_found', 'There is no such webhook.');
}

import { z } from 'zod';
import { type Campaign, campaignInput, campaignPatch, campaignSchema } from '../../domain/campaign.ts';
import { Problem } from '../../domain/problem.ts';
import { archiveCampaign, createCampaign, findCampaign, listCampaigns, patchCampaign } from '../../store/campaigns.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { askFor, idPaging, pageOf, toPage } from '../paging.ts';
import { problemResponses } from '../problem-responses.ts';

export const campaignParams = z.object({ campaignId: z.uuid() });

export function campaignNotFound(): Problem {
  return new Problem('not_found', 'There is no such campaign.');
}

function agentNotFound(): Problem {
  return new Problem('invalid_request', 'The body is not valid: see agentId.', {
    errors: [{ path: 'agentId', message: 'is not one of your agents' }],
  });
}

export function campaignRoutes(app: App, deps: AppDeps): void {
  const { db } = deps;
  const onRequest = requireApiKey(deps);
  const tags = ['Campaigns'];

  app.post(
    '/api/v1/campaigns',
    {
      onRequest,
      schema: {
        operationId: 'createCampaign',
        summary: 'Create a campaign',
        tags,
        body: campaignInput,
        response: { 201: campaignSchema, ...problemResponses },
      },
    },
    async ({ accountId, body }, reply) => {
      const campaign = await createCampaign(db, accountId, body);
      if (!campaign) throw agentNotFound();
      reply.code(201).header('location', `/api/v1/campaigns/${campaign.campaignId}`);
      return campaign;
    },
  );

  app.get(
    '/api/v1/campaigns',
    {
      onRequest,
      schema: {
        operationId: 'listCampaigns',
        summary: 'List campaigns, newest first',
        tags,
        querystring: z.strictObject({ status: z.enum(['active', 'archived']).optional(), ...idPaging }),
        response: { 200: pageOf(campaignSchema), ...problemResponses },
      },
    },
    async ({ accountId, query }) => {
      const campaigns = await listCampaigns(db, accountId, { status: query.status }, askFor(query));
      return toPage(campaigns, query.limit, (campaign) => campaign.campaignId);
    },
  );

  app.get(
    '/api/v1/campaigns/:campaignId',
    {
      onRequest,
      schema: {
        operationId: 'getCampaign',
        summary: 'Show a campaign',
        tags,
        params: campaignParams,
        response: { 200: campaignSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }) => orNotFound(await findCampaign(db, accountId, params.campaignId)),
  );

  app.patch(
    '/api/v1/campaigns/:campaignId',
    {
      onRequest,
      schema: {
        operationId: 'patchCampaign',
        summary: 'Change a campaign; what is left out stays',
        tags,
        params: campaignParams,
        body: campaignPatch,
        response: { 200: campaignSchema, ...problemResponses },
      },
    },
    async ({ accountId, params, body }) => {
      const campaign = await patchCampaign(db, accountId, params.campaignId, body);
      if (campaign === 'agent_not_found') throw agentNotFound();
      return orNotFound(campaign === 'not_found' ? undefined : campaign);
    },
  );

  app.post(
    '/api/v1/campaigns/:campaignId/archive',
    {
      onRequest,
      schema: {
        operationId: 'archiveCampaign',
        summary: 'Archive a campaign: it stays readable and takes no more contacts',
        tags,
        params: campaignParams,
        response: { 200: campaignSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }) => orNotFound(await archiveCampaign(db, accountId, params.campaignId)),
  );
}

function orNotFound(campaign: Campaign | undefined): Campaign {
  if (!campaign) throw campaignNotFound();
  return campaign;
}

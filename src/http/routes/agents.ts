import { z } from 'zod';
import { type Agent, agentInput, agentPatch, agentSchema } from '../../domain/agent.ts';
import { Problem } from '../../domain/problem.ts';
import { createAgent, findAgent, listAgents, patchAgent } from '../../store/agents.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { askFor, idPaging, pageOf, toPage } from '../paging.ts';
import { problemResponses } from '../problem-responses.ts';

const agentParams = z.object({ agentId: z.uuid() });

export function agentRoutes(app: App, deps: AppDeps): void {
  const { db } = deps;
  const onRequest = requireApiKey(deps);
  const tags = ['Agents'];

  app.post(
    '/api/v1/agents',
    {
      onRequest,
      schema: {
        operationId: 'createAgent',
        summary: 'Create an agent',
        tags,
        body: agentInput,
        response: { 201: agentSchema, ...problemResponses },
      },
    },
    async ({ accountId, body }, reply) => {
      const agent = await createAgent(db, accountId, body);
      if (!agent) throw numberTaken();
      reply.code(201).header('location', `/api/v1/agents/${agent.agentId}`);
      return agent;
    },
  );

  app.get(
    '/api/v1/agents',
    {
      onRequest,
      schema: {
        operationId: 'listAgents',
        summary: 'List agents, newest first',
        tags,
        querystring: z.strictObject(idPaging),
        response: { 200: pageOf(agentSchema), ...problemResponses },
      },
    },
    async ({ accountId, query }) =>
      toPage(await listAgents(db, accountId, askFor(query)), query.limit, (agent) => agent.agentId),
  );

  app.get(
    '/api/v1/agents/:agentId',
    {
      onRequest,
      schema: {
        operationId: 'getAgent',
        summary: 'Show an agent',
        tags,
        params: agentParams,
        response: { 200: agentSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }) => orNotFound(await findAgent(db, accountId, params.agentId)),
  );

  app.patch(
    '/api/v1/agents/:agentId',
    {
      onRequest,
      schema: {
        operationId: 'patchAgent',
        summary: 'Change an agent; what is left out stays',
        tags,
        params: agentParams,
        body: agentPatch,
        response: { 200: agentSchema, ...problemResponses },
      },
    },
    async ({ accountId, params, body }) => {
      const agent = await patchAgent(db, accountId, params.agentId, body);
      if (agent === 'phone_number_taken') throw numberTaken();
      return orNotFound(agent === 'not_found' ? undefined : agent);
    },
  );
}

function numberTaken(): Problem {
  return new Problem('phone_number_taken', 'Another of your agents has this phone number.');
}

function orNotFound(agent: Agent | undefined): Agent {
  if (!agent) throw new Problem('not_found', 'There is no such agent.');
  return agent;
}

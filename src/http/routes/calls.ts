import { z } from 'zod';
import { type CallResource, callResourceSchema, callStatuses, toCallResource } from '../../domain/call.ts';
import { outcomeKinds } from '../../domain/outcome.ts';
import { e164Number } from '../../domain/phone-number.ts';
import { Problem } from '../../domain/problem.ts';
import { callEventData } from '../../domain/webhook.ts';
import { cancelQueuedCall, findCall, listCalls } from '../../store/calls.ts';
import { inTransaction } from '../../store/database.ts';
import { type EventToSend, enqueueEvent } from '../../store/deliveries.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { askFor, idPaging, pageOf, toPage } from '../paging.ts';
import { problemResponses } from '../problem-responses.ts';

const callParams = z.object({ callId: z.uuid() });

// In a query string + stands for a space, and people forget to write it as %2B.
const numberInQuery = z
  .preprocess((value) => (typeof value === 'string' ? value.replace(/^ /, '+') : value), e164Number)
  .meta({ type: 'string' });

const time = z.iso.datetime({ offset: true });

const callsQuery = z.strictObject({
  status: z.enum(callStatuses).optional(),
  outcome: z.enum(outcomeKinds).optional(),
  toPhoneNumber: numberInQuery.optional(),
  fromPhoneNumber: numberInQuery.optional(),
  campaignId: z.uuid().optional(),
  createdAfter: time.optional().describe('This moment or later'),
  createdBefore: time.optional().describe('Earlier than this moment'),
  ...idPaging,
});

export function callRoutes(app: App, deps: AppDeps): void {
  const { db } = deps;
  const onRequest = requireApiKey(deps);
  const tags = ['Calls'];

  app.get(
    '/api/v1/calls',
    {
      onRequest,
      schema: {
        operationId: 'listCalls',
        summary: 'List calls, newest first',
        tags,
        querystring: callsQuery,
        response: { 200: pageOf(callResourceSchema), ...problemResponses },
      },
    },
    async ({ accountId, query }) => {
      const calls = await listCalls(db, accountId, query, askFor(query));
      return toPage(calls.map(toCallResource), query.limit, (call) => call.callId);
    },
  );

  app.get(
    '/api/v1/calls/:callId',
    {
      onRequest,
      schema: {
        operationId: 'getCall',
        summary: 'Show a call',
        tags,
        params: callParams,
        response: { 200: callResourceSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }) => {
      const call = await findCall(db, accountId, params.callId);
      if (!call) throw callNotFound();
      return toCallResource(call);
    },
  );

  app.post(
    '/api/v1/calls/:callId/cancel',
    {
      onRequest,
      schema: {
        operationId: 'cancelCall',
        summary: 'Cancel a call that was not dialled yet',
        description: 'Cancelling a call that is already cancelled changes nothing and succeeds.',
        tags,
        params: callParams,
        response: { 200: callResourceSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }) => {
      return inTransaction(db, async (transaction) => {
        const cancelled = await cancelQueuedCall(transaction, accountId, params.callId);
        const call = await findCall(transaction, accountId, params.callId);
        if (!call) throw callNotFound();
        if (!cancelled && call.outcome?.kind !== 'cancelled') {
          throw new Problem(
            'call_not_cancellable',
            `The call is ${call.status.replace('_', ' ')} and can no longer be cancelled.`,
          );
        }
        const resource = toCallResource(call);
        if (cancelled) await enqueueEvent(transaction, callEnded(accountId, resource));
        return resource;
      });
    },
  );
}

function callEnded(accountId: string, call: CallResource): EventToSend {
  return { accountId, type: 'call.ended', data: callEventData(call), id: `${call.callId}-ended` };
}

function callNotFound(): Problem {
  return new Problem('not_found', 'There is no such call.');
}

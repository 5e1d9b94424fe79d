import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type CallResource, callResourceSchema, callStatuses, toCallResource } from '../../domain/call.ts';
import { transcriptTurn } from '../../domain/call-result.ts';
import { outcomeKinds } from '../../domain/outcome.ts';
import { e164Number } from '../../domain/phone-number.ts';
import { Problem } from '../../domain/problem.ts';
import { text } from '../../domain/text.ts';
import { transcriptLine } from '../../domain/transcript-text.ts';
import { callEventData } from '../../domain/webhook.ts';
import { type CallCommand, sendCommand } from '../../store/call-commands.ts';
import { writeCallEvent } from '../../store/call-events.ts';
import { cancelQueuedCall, findCall, listCalls } from '../../store/calls.ts';
import { inTransaction } from '../../store/database.ts';
import { enqueueEvent } from '../../store/deliveries.ts';
import { eraseCall } from '../../store/erase-call.ts';
import { deleteRecording } from '../../store/recordings.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { askFor, idPaging, pageOf, toPage } from '../paging.ts';
import { problemResponses } from '../problem-responses.ts';

export const callParams = z.object({ callId: z.uuid() });

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

const transcriptSchema = z.object({ callId: z.uuid(), transcript: z.array(transcriptTurn) }).meta({ id: 'Transcript' });

export function callRoutes(app: App, deps: AppDeps): void {
  const { db, recordingsFolder } = deps;
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
      const { call, cancelled } = await cancel(accountId, params.callId);
      if (!cancelled && call.outcome?.kind !== 'cancelled') {
        throw new Problem(
          'call_not_cancellable',
          `The call is ${inWords(call.status)} and can no longer be cancelled.`,
        );
      }
      return call;
    },
  );

  app.get(
    '/api/v1/calls/:callId/transcript',
    {
      onRequest,
      schema: {
        operationId: 'getTranscript',
        summary: 'Read what was said in a call',
        description: 'Empty until the call has ended. `Accept: text/plain` gives it as lines of text.',
        tags,
        params: callParams,
        response: {
          200: {
            description: 'What was said, in order',
            content: { 'application/json': { schema: transcriptSchema }, 'text/plain': { schema: z.string() } },
          },
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const call = await findCall(db, request.accountId, request.params.callId);
      if (!call) throw callNotFound();
      const transcript = call.result.transcript ?? [];
      reply.header('vary', 'accept');
      if (!wantsText(request)) return { callId: call.id, transcript };
      reply.type('text/plain; charset=utf-8');
      return transcript.map((turn) => `${transcriptLine(turn)}\n`).join('');
    },
  );

  app.post(
    '/api/v1/calls/:callId/hangup',
    {
      onRequest,
      schema: {
        operationId: 'hangUpCall',
        summary: 'End a call, whether it waits, rings or talks',
        description:
          'A call that was not dialled yet is cancelled at once: 200. One under way is told to end: 202, and `ended` among its events says that it has.',
        tags,
        params: callParams,
        response: { 200: callResourceSchema, 202: callResourceSchema, ...problemResponses },
      },
    },
    async ({ accountId, params }, reply) => {
      const { call, cancelled } = await cancel(accountId, params.callId);
      if (cancelled) return call;
      if ((await sendCommand(db, accountId, call.callId, { kind: 'hang-up' })) !== 'sent') {
        throw new Problem('call_not_live', 'The call has already ended.');
      }
      reply.code(202);
      return call;
    },
  );

  app.post(
    '/api/v1/calls/:callId/say',
    {
      onRequest,
      schema: {
        operationId: 'sayInCall',
        summary: 'Let the assistant say something in a conversation',
        description: 'Word for word, as soon as nobody else speaks. 202: it was passed on.',
        tags,
        params: callParams,
        body: z.strictObject({ text: text(1, 1_000) }),
        response: { 202: callResourceSchema, ...problemResponses },
      },
    },
    async ({ accountId, params, body }, reply) => {
      const command: CallCommand = { kind: 'say', text: body.text };
      const sent = await sendCommand(db, accountId, params.callId, command);
      const call = await findCall(db, accountId, params.callId);
      if (!call) throw callNotFound();
      if (sent !== 'sent') {
        throw new Problem('call_not_in_progress', `The call is ${inWords(call.status)}: nobody would hear it.`);
      }
      reply.code(202);
      return toCallResource(call);
    },
  );

  app.delete(
    '/api/v1/calls/:callId/data',
    {
      onRequest,
      schema: {
        operationId: 'eraseCall',
        summary: 'Erase the personal data of a call that has ended',
        description:
          'Name, number, form info, texts, questions, rules, transcript, answers, summary, recording, events and what webhooks were sent. That there was a call, when and how it ended stays, and so does the wish not to be called again. Erasing twice changes nothing and succeeds.',
        tags,
        params: callParams,
        response: { 204: z.undefined().describe('Erased'), ...problemResponses },
      },
    },
    async ({ accountId, params: { callId } }, reply) => {
      const erased = await eraseCall(db, accountId, callId);
      if (erased === 'not_found') throw callNotFound();
      if (erased === 'not_ended') {
        throw new Problem('call_not_ended', 'Only the data of a call that has ended can be erased. Hang it up first.');
      }
      await deleteRecording(db, recordingsFolder, callId.toLowerCase());
      reply.code(204);
    },
  );

  /** Ends the call if it was not dialled yet, and tells those who are to know; shows it either way. */
  async function cancel(accountId: string, callId: string): Promise<{ call: CallResource; cancelled: boolean }> {
    return inTransaction(db, async (transaction) => {
      const cancelled = await cancelQueuedCall(transaction, accountId, callId);
      const found = await findCall(transaction, accountId, callId);
      if (!found) throw callNotFound();
      const call = toCallResource(found);
      if (cancelled && call.outcome) {
        const data = callEventData(call);
        await enqueueEvent(transaction, { accountId, type: 'call.ended', data, id: `${call.callId}-ended` });
        const event = { type: 'ended', outcome: call.outcome } as const;
        await writeCallEvent(transaction, { accountId, callId: call.callId, event });
      }
      return { call, cancelled };
    });
  }
}

/** Whether plain text is wanted more than JSON, which is what those get who do not care. */
function wantsText({ headers }: FastifyRequest): boolean {
  const wanted = (headers.accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
  const weightOf = (name: string) => wanted.find(({ type }) => type === name)?.weight ?? 0;
  return weightOf('text/plain') > weightOf('application/json');
}

function inWords(status: CallResource['status']): string {
  return status.replace('_', ' ');
}

export function callNotFound(): Problem {
  return new Problem('not_found', 'There is no such call.');
}

import { finished, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callEventSchema, type StoredCallEvent } from '../../domain/call-event.ts';
import { callEventsAfter, lastCallEventId } from '../../store/call-events.ts';
import { findCall } from '../../store/calls.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { EventStreams, mostStreams, type Watcher } from '../event-streams.ts';
import { problemResponses } from '../problem-responses.ts';
import { callNotFound, callParams } from './calls.ts';

const heartbeatMs = 15_000; // proxies close what is silent for a minute, some for half of one
const unreadMs = 1_000;
const pageSize = 100;

const toldEvent = callEventSchema.and(z.object({ callId: z.uuid(), at: z.iso.datetime() })).meta({ id: 'CallEvent' });

const streamResponse = {
  description: 'Server-sent events; the data of each is JSON',
  content: { 'text/event-stream': { schema: toldEvent } },
};

const resumeHeaders = z.object({
  'last-event-id': z
    .string()
    .regex(/^\d{1,18}$/, 'must be the id of an event')
    .optional()
    .describe('Go on after this event'),
});

/** What a stream tells. */
type Source = {
  /** The id of the last event that the reader knows. */
  after: string;
  /** The call has ended: what is stored is all that there is. */
  isOver: boolean;
};

export function callEventRoutes(app: App, deps: AppDeps): void {
  const { db, clock, log } = deps;
  const onRequest = requireApiKey(deps);
  const tags = ['Calls'];
  const streams = new EventStreams({ db, clock, onError: (err) => log.warn({ err }, 'no longer told of call events') });
  app.addHook('preClose', () => streams.closeAll());

  app.get(
    '/api/v1/calls/:callId/events',
    {
      onRequest,
      schema: {
        operationId: 'watchCall',
        summary: 'Watch a call as it happens',
        description:
          'From its first event to `ended`, which is the last. 204 where there is nothing more to tell: events are kept for 7 days.',
        tags,
        params: callParams,
        headers: resumeHeaders,
        response: {
          200: streamResponse,
          204: z.undefined().describe('There is nothing more to tell'),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { accountId } = request;
      const call = await findCall(db, accountId, request.params.callId);
      if (!call) throw callNotFound();
      const after = request.headers['last-event-id'] ?? '0';
      const isOver = call.status === 'ended';
      if (isOver && !(await callEventsAfter(db, { accountId, callId: call.id, after, limit: 1 }))[0]) {
        return reply.code(204).send();
      }
      return stream(request, reply, call.id, { after, isOver });
    },
  );

  app.get(
    '/api/v1/events',
    {
      onRequest,
      schema: {
        operationId: 'watchCalls',
        summary: 'Watch all calls as they happen',
        description: `From now on, or after \`Last-Event-ID\`. An account has ${mostStreams} streams at once at most.`,
        tags,
        headers: resumeHeaders,
        response: { 200: streamResponse, ...problemResponses },
      },
    },
    async (request, reply) => {
      const after = request.headers['last-event-id'] ?? (await lastCallEventId(db, request.accountId));
      return stream(request, reply, undefined, { after, isOver: false });
    },
  );

  function stream(request: FastifyRequest, reply: FastifyReply, callId: string | undefined, source: Source) {
    reply.type('text/event-stream').headers({
      'cache-control': 'no-store',
      'x-accel-buffering': 'no', // nginx would hold events back
      connection: 'close', // else it would idle for another minute when the service stops
    });
    if (request.method === 'HEAD') return reply.send('');
    const watcher = streams.open(request.accountId, callId);
    finished(reply.raw, () => streams.close(watcher));
    // Whoever does not read would keep the service from stopping.
    watcher.closed.addEventListener('abort', () => reply.raw.setTimeout(unreadMs, () => reply.raw.destroy()));
    return reply.send(
      Readable.from(
        tell(watcher, source, (err) => request.log.warn({ err }, 'a stream of call events broke')),
        { objectMode: false },
      ),
    );
  }

  async function* tell(watcher: Watcher, { after, isOver }: Source, onError: (error: unknown) => void) {
    const { accountId, callId } = watcher;
    yield ':\n\n'; // the headers go out with the first byte
    try {
      while (!watcher.closed.aborted) {
        watcher.settle();
        const events = await callEventsAfter(db, { accountId, callId, after, limit: pageSize });
        for (const stored of events) {
          yield toMessage(stored);
          after = stored.id;
          if (watcher.closed.aborted || (callId !== undefined && stored.event.type === 'ended')) return;
        }
        if (events.length === pageSize) continue;
        if (isOver) return;
        if (await watcher.wait(heartbeatMs)) continue;
        yield ':\n\n';
        // Erased meanwhile, or ended without a word: nothing will come.
        isOver = callId !== undefined && (await findCall(db, accountId, callId))?.status === 'ended';
      }
    } catch (error) {
      onError(error); // the reader comes back with the id of the last event
    }
  }
}

function toMessage({ id, callId, at, event }: StoredCallEvent): string {
  const data: z.infer<typeof toldEvent> = { callId, ...event, at: at.toISOString() };
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

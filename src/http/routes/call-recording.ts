import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Call } from '../../domain/call.ts';
import { Problem } from '../../domain/problem.ts';
import { findCall } from '../../store/calls.ts';
import { recordingPath } from '../../store/recordings.ts';
import type { App, AppDeps } from '../app-types.ts';
import { requireApiKey } from '../authenticate.ts';
import { readByteRange } from '../byte-range.ts';
import { problemResponses } from '../problem-responses.ts';
import { callNotFound, callParams } from './calls.ts';

const wav = { content: { 'audio/wav': { schema: z.string().meta({ format: 'binary' }) } } };

export function callRecordingRoutes(app: App, deps: AppDeps): void {
  const { db, recordingsFolder } = deps;

  app.get(
    '/api/v1/calls/:callId/recording',
    {
      onRequest: requireApiKey(deps),
      schema: {
        operationId: 'getRecording',
        summary: 'Listen to a call that has ended',
        description: 'The assistant is on the left, the person on the right. `Range` asks for a part of it.',
        tags: ['Calls'],
        params: callParams,
        headers: z.object({
          range: z.string().optional().describe('Such as `bytes=0-65535`; one range at a time'),
          'if-range': z.string().optional().describe('The part only if the recording is still this one, else all'),
          'if-none-match': z.string().optional(),
        }),
        response: {
          200: { description: 'The recording', ...wav },
          206: { description: 'The part that was asked for', ...wav },
          304: z.undefined().describe('It is the one that you have'),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const call = await findCall(db, request.accountId, request.params.callId);
      if (!call) throw callNotFound();
      if (!call.result.hasRecording) throw noRecording(call);
      return sendRecording(request, reply, recordingPath(recordingsFolder, call.id));
    },
  );
}

async function sendRecording(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  const file = await openRecording(path);
  let body: Readable | undefined;
  try {
    const part = choosePart(request, reply, await file.stat());
    body = part && file.createReadStream(part); // which closes the file at its end
  } finally {
    if (!body) await file.close();
  }
  return reply.send(body ?? Readable.from([]));
}

/** Writes the headers; gives the bytes to send, none where the headers are all. */
function choosePart(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, mtime }: Stats,
): { start: number; end: number } | undefined {
  const etag = `"${size.toString(16)}-${mtime.getTime().toString(16)}"`;
  const lastModified = mtime.toUTCString();
  reply.type('audio/wav').headers({
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache', // it may be erased at any time
    etag,
    'last-modified': lastModified,
  });
  const { 'if-none-match': known, 'if-range': ifRange, range: asked } = request.headers;
  if (known !== undefined && isAmong(known, etag)) {
    reply.code(304);
    return undefined;
  }
  const isGet = request.method === 'GET'; // RFC 9110 §14.2: a range means nothing to other methods
  const holds = isGet && (ifRange === undefined || ifRange === etag || ifRange === lastModified);
  const range = readByteRange(holds ? asked : undefined, size);
  if (range === 'not_satisfiable') {
    throw new Problem('range_not_satisfiable', `The recording has ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  const part = range === 'whole' ? { start: 0, end: size - 1 } : range;
  reply.header('content-length', part.end - part.start + 1);
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`);
  return isGet && size > 0 ? part : undefined;
}

function isAmong(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

async function openRecording(path: string): Promise<FileHandle> {
  return open(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Problem(
      'recording_elsewhere',
      'The recording is not on this machine: another process made it, or it was removed. With several machines, all of them need the same PARLEY_RECORDINGS_DIR.',
    );
  });
}

function noRecording({ status, erasedAt }: Call): Problem {
  if (erasedAt) return new Problem('no_recording', 'The data of the call was erased, and its recording with it.');
  if (status === 'ended') return new Problem('no_recording', 'The call has no recording.');
  return new Problem('no_recording', 'The call has not ended; there is no recording yet.');
}

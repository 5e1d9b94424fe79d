import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import pg from 'pg';
import { Problem } from '../domain/problem.ts';

export const problemType = 'application/problem+json';

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.code(problem.status).headers(problem.headers).type(problemType).send(JSON.stringify(problem.toJSON()));
}

/** The one error handler: what is not the caller's fault is logged and says nothing of itself. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (problem.status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed');
  return sendProblem(reply, problem);
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', 'The request body is larger than allowed.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new Problem('unsupported_media_type', 'Send the body as application/json.');
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The path is not a valid URL path.');
  }
  if (isDatabaseUnavailable(error)) {
    return new Problem('unavailable', 'The database cannot be reached. Please try again.', {
      headers: { 'retry-after': '1' },
    });
  }
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', 'The request is not valid.');
  }
  return new Problem('internal_error', 'Something went wrong on our side. The request id helps us to find it.');
}

function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(57P0[1-3]|57014|08|53)/.test(error.code ?? '');
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code ?? '') ||
    /^(timeout exceeded when trying to connect|Connection terminated)/.test(message ?? '')
  );
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem } from '../domain/problem.ts';
import type { Earlier, IdempotentRequest } from '../store/idempotency.ts';

/** For the documentation; `idempotentRequest` judges the value. */
export const idempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .optional()
    .describe('The same key and body within 24 hours is answered the same and done only once'),
});

/** The request's Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), if it carries one. */
export function idempotentRequest(request: FastifyRequest, operation: string): IdempotentRequest | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  // The draft writes it as a quoted string; many clients leave the quotes out.
  const key = String(header).replace(/^"(.*)"$/, '$1');
  if (!/^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(key) || !request.bodyHash) {
    throw new Problem('invalid_request', 'The Idempotency-Key is not valid.', {
      errors: [{ path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' }],
    });
  }
  return { operation, key, bodyHash: request.bodyHash };
}

/** The stored answer of an earlier request with the same key and body, else the problem there is. */
export function answerEarlier<T>(earlier: Earlier<T>, reply: FastifyReply): T {
  switch (earlier.kind) {
    case 'replay':
      reply.header('idempotency-replayed', 'true');
      return earlier.response;
    case 'key_reused':
      throw new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
    case 'in_progress':
      throw new Problem('idempotency_in_progress', 'A request with this Idempotency-Key is being processed.', {
        headers: { 'retry-after': '1' },
      });
  }
}

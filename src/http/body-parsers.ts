import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../domain/problem.ts';
import type { App } from './app-types.ts';

/** JSON and nothing else; the token endpoint brings its own parser. */
export function addJsonParser(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (request.headers['idempotency-key'] !== undefined) {
      request.bodyHash = createHash('sha256').update(body).digest();
    }
    return parseJson(body);
  });
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new Problem('malformed_json', 'The body is empty; it must be a JSON object.');
  if (!isUtf8(body)) throw new Problem('malformed_json', 'The body is not valid UTF-8.');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Problem('malformed_json', 'The body is not valid JSON.');
  }
}

import type { FastifyRequest } from 'fastify';
import { hashSecret } from '../auth/secret.ts';
import { callScope } from '../domain/account.ts';
import { Problem } from '../domain/problem.ts';
import { findAccountByApiKey } from '../store/api-keys.ts';
import type { AppDeps } from './app-types.ts';

/** Lets a request through only with an access token that carries the scope for calls (RFC 6750). */
export function requireCallToken({ verifyToken }: AppDeps) {
  return async (request: FastifyRequest): Promise<void> => {
    const token = bearerToken(request.headers.authorization);
    if (token === undefined)
      throw tokenProblem('missing_token', 'Send an access token: Authorization: Bearer <token>.');
    const grant = await verifyToken(token).catch((error) => {
      request.log.error({ err: error }, 'access token could not be verified');
      throw new Problem('unavailable', 'The access token cannot be verified right now. Please try again.', {
        headers: { 'retry-after': '1' },
      });
    });
    if (!grant) throw tokenProblem('invalid_token', 'The access token is malformed, expired or not ours.');
    if (!grant.scopes.includes(callScope)) {
      throw tokenProblem('insufficient_scope', `The access token lacks the scope ${callScope}.`);
    }
    request.clientId = grant.clientId;
    request.rateKey = `client ${grant.clientId}`;
  };
}

function bearerToken(authorization: string | undefined): string | undefined {
  const [, token] = /^Bearer(?: +(.*))?$/i.exec(authorization ?? '') ?? [];
  return token === undefined && !/^Bearer/i.test(authorization ?? '') ? undefined : (token ?? '');
}

export function tokenProblem(code: 'missing_token' | 'invalid_token' | 'insufficient_scope', detail: string): Problem {
  // RFC 6750 §3.1: without a token there is nothing to call wrong, so no error is named.
  const parameters = ['realm="parley"'];
  if (code !== 'missing_token') parameters.push(`error="${code}"`, `error_description="${detail}"`);
  if (code === 'insufficient_scope') parameters.push(`scope="${callScope}"`);
  return new Problem(code, detail, { headers: { 'www-authenticate': `Bearer ${parameters.join(', ')}` } });
}

/** Lets a request through only with an API key; the request then belongs to the key's account. */
export function requireApiKey({ db }: AppDeps) {
  return async (request: FastifyRequest): Promise<void> => {
    const key = request.headers['x-api-key'];
    const found = typeof key === 'string' && key !== '' && (await findAccountByApiKey(db, hashSecret(key)));
    if (!found) throw new Problem('invalid_api_key', 'Send a valid API key in the header x-api-key.');
    request.accountId = found.accountId;
    request.rateKey = `key ${found.keyId}`;
  };
}

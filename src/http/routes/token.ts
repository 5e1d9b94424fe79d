import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { issueAccessToken } from '../../auth/access-token.ts';
import { xsrfCookieName, xsrfCookieSeconds } from '../../auth/xsrf-cookie.ts';
import { callScope, knownScopes } from '../../domain/account.ts';
import type { ClientCredentials } from '../../store/oauth-clients.ts';
import type { App, AppDeps } from '../app-types.ts';
import { toProblem } from '../errors.ts';

const required = z.string().min(1);

const tokenRequestSchema = z
  .object({
    grant_type: required.describe('client_credentials'),
    client_id: required.optional().describe('Required unless HTTP Basic is used'),
    client_secret: required.optional().describe('Required unless HTTP Basic is used'),
    scope: required.meta({ examples: [callScope] }),
  })
  .meta({ id: 'TokenRequest' });

const tokenResponseSchema = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int(),
    scope: z.string(),
  })
  .meta({ id: 'TokenResponse' });

const tokenErrorSchema = z.object({ error: z.string(), error_description: z.string() }).meta({ id: 'TokenError' });

type TokenResponse = z.infer<typeof tokenResponseSchema>;

/** RFC 6749 §5.2 */
class TokenError extends Error {
  readonly error: string;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(error: string, description: string, status = 400, headers: Record<string, string> = {}) {
    super(description);
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

export function tokenRoutes(parent: App, deps: AppDeps): void {
  parent.register(async (scope) => {
    const app = scope as App;
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, body: string) => body,
    );
    app.addContentTypeParser('*', async () => {
      throw new TokenError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.');
    });
    app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
    app.setValidatorCompiler(() => (data) => ({ value: data })); // the steps below name their own errors
    app.addHook('onRequest', async (request, reply) => {
      reply.headers({
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'set-cookie': newXsrfCookie(request, deps),
      });
    });

    app.post(
      '/oauth2/token',
      {
        bodyLimit: 64 * 1024,
        schema: {
          operationId: 'obtainToken',
          summary: 'Obtain an access token',
          description: 'OAuth 2.0 client credentials grant (RFC 6749 §4.4).',
          tags: ['Tokens'],
          security: [{}, { clientBasic: [] }],
          consumes: ['application/x-www-form-urlencoded'],
          body: tokenRequestSchema,
          response: { 200: tokenResponseSchema, 400: tokenErrorSchema, 401: tokenErrorSchema },
        },
      },
      async (request): Promise<TokenResponse> => {
        checkXsrfCookie(request, deps);
        const parameters = readParameters(request.body as unknown as string | undefined);
        const credentials = readCredentials(request.headers.authorization, parameters);
        checkPresence(parameters, credentials);
        checkGrantType(parameters);
        const client = await authenticate(credentials, request, deps);
        const scopes = grantScopes(parameters, client);
        return issueToken(credentials.clientId, scopes, deps);
      },
    );
  });
}

function newXsrfCookie(request: FastifyRequest, { xsrf, clock, publicUrl }: AppDeps): string {
  const secure = request.protocol === 'https' || publicUrl.startsWith('https:');
  const attributes = `Max-Age=${xsrfCookieSeconds}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return `${xsrfCookieName}=${xsrf.issue(clock.now())}; ${attributes}`;
}

/** The cookie is optional; one that is sent must be ours and fresh. */
function checkXsrfCookie(request: FastifyRequest, { xsrf, clock }: AppDeps): void {
  for (const cookie of (request.headers.cookie ?? '').split(';')) {
    const [name, ...value] = cookie.trim().split('=');
    if (name !== xsrfCookieName) continue;
    if (!xsrf.accepts(value.join('=').replace(/^"(.*)"$/, '$1'), clock.now())) {
      throw new TokenError('invalid_request', `The ${xsrfCookieName} cookie is not valid or has expired.`);
    }
  }
}

function readParameters(body: string | undefined): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body ?? '')) {
    if (parameters.has(name))
      throw new TokenError('invalid_request', `The parameter ${printable(name)} is given twice.`);
    parameters.set(name, value);
  }
  return parameters;
}

type Credentials = { clientId: string; clientSecret: string; way: 'body' | 'basic' };

function readCredentials(authorization: string | undefined, parameters: Map<string, string>): Credentials {
  const bodyId = parameters.get('client_id') ?? '';
  const bodySecret = parameters.get('client_secret') ?? '';
  const isBasic = /^Basic(?: |$)/i.test(authorization ?? '');
  if (!isBasic) return { clientId: bodyId, clientSecret: bodySecret, way: 'body' };
  const basic = readBasic(authorization as string);
  if (bodySecret || (bodyId && bodyId !== basic?.clientId)) {
    throw new TokenError(
      'invalid_request',
      'Send the client credentials in one way only, not both in header and body.',
    );
  }
  return { clientId: '', clientSecret: '', ...basic, way: 'basic' };
}

// RFC 6749 §2.3.1: both halves are form-encoded before they are joined.
function readBasic(authorization: string): { clientId: string; clientSecret: string } | undefined {
  const joined = Buffer.from(authorization.replace(/^Basic */i, ''), 'base64').toString();
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(joined) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { clientId: decode(id), clientSecret: decode(secret) };
  } catch {
    return undefined;
  }
}

function checkPresence(parameters: Map<string, string>, credentials: Credentials): void {
  const needed = ['grant_type', ...(credentials.way === 'body' ? ['client_id', 'client_secret'] : []), 'scope'];
  const missing = needed.filter((name) => !parameters.get(name)?.trim());
  if (missing.length > 0) throw new TokenError('invalid_request', `Missing: ${missing.join(', ')}.`);
}

function checkGrantType(parameters: Map<string, string>): void {
  if (parameters.get('grant_type') === 'client_credentials') return;
  throw new TokenError('unsupported_grant_type', 'The only grant_type is client_credentials.');
}

async function authenticate(
  credentials: Credentials,
  request: FastifyRequest,
  { authenticateClient, failedAttempts, metrics }: AppDeps,
): Promise<ClientCredentials> {
  const client = await authenticateClient(credentials.clientId, credentials.clientSecret);
  if (!client) {
    metrics.tokensRefused.inc();
    const delayed = await failedAttempts.delay(credentials.clientId, request.ip);
    if (delayed === 'refused') {
      throw new TokenError('invalid_client', 'Too many failed attempts. Please wait.', 429, { 'retry-after': '5' });
    }
    const challenge = credentials.way === 'basic';
    throw new TokenError(
      'invalid_client',
      'The client_id or client_secret is wrong.',
      challenge ? 401 : 400,
      challenge ? { 'www-authenticate': 'Basic realm="parley", charset="UTF-8"' } : {},
    );
  }
  if (client.accountDeleted) throw new TokenError('unauthorized_client', 'The account of this client is closed.');
  return client;
}

function grantScopes(parameters: Map<string, string>, client: ClientCredentials): string[] {
  const asked = [...new Set((parameters.get('scope') ?? '').split(' ').filter(Boolean))];
  const refused = asked.filter((scope) => !knownScopes.includes(scope) || !client.scopes.includes(scope));
  if (refused.length === 0) return asked;
  throw new TokenError('invalid_scope', `Unknown or not granted to this client: ${refused.map(printable).join(', ')}.`);
}

async function issueToken(clientId: string, scopes: string[], deps: AppDeps): Promise<TokenResponse> {
  const seconds = deps.config.tokenSeconds;
  const token = { issuer: deps.publicUrl, clientId, scopes, seconds, now: deps.clock.now() };
  const access_token = await issueAccessToken(deps.signingKeys, token);
  deps.metrics.tokensIssued.inc();
  return { access_token, token_type: 'Bearer', expires_in: seconds, scope: scopes.join(' ') };
}

// RFC 6749 §5.2 allows only some of ASCII in an error_description.
function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof TokenError) {
    return reply
      .code(error.status)
      .headers(error.headers)
      .send({ error: error.error, error_description: error.message });
  }
  const problem = toProblem(error);
  if (problem.status >= 500) {
    request.log.error({ err: error, route: request.routeOptions.url }, 'request failed');
    return reply
      .code(problem.status)
      .headers(problem.headers)
      .send({
        error: problem.status === 503 ? 'temporarily_unavailable' : 'server_error',
        error_description: problem.message,
      });
  }
  const status = problem.status === 413 || problem.status === 429 ? problem.status : 400;
  return reply
    .code(status)
    .headers(problem.headers)
    .send({ error: 'invalid_request', error_description: problem.message });
}

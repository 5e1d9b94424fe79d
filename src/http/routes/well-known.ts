import { z } from 'zod';
import { knownScopes } from '../../domain/account.ts';
import type { App, AppDeps } from '../app-types.ts';

const jwksSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'JsonWebKeySet' });

/** What other programs need to verify our tokens and to find the token endpoint. */
export function wellKnownRoutes(app: App, { publicUrl, signingKeys }: AppDeps): void {
  app.get(
    '/.well-known/jwks.json',
    {
      schema: {
        operationId: 'publicKeys',
        summary: 'Public keys that verify access tokens',
        tags: ['Tokens'],
        security: [],
        response: { 200: jwksSchema },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=60');
      return { keys: (await signingKeys.publicJwks()) as Record<string, unknown>[] };
    },
  );

  app.get(
    '/.well-known/oauth-authorization-server',
    {
      schema: {
        operationId: 'authorizationServer',
        summary: 'Authorization server metadata (RFC 8414)',
        tags: ['Tokens'],
        security: [],
        response: { 200: z.record(z.string(), z.unknown()) },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=60');
      return {
        issuer: publicUrl,
        token_endpoint: `${publicUrl}/oauth2/token`,
        jwks_uri: `${publicUrl}/.well-known/jwks.json`,
        scopes_supported: knownScopes,
        response_types_supported: [],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
        service_documentation: `${publicUrl}/docs`,
      };
    },
  );
}

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { App, AppDeps } from '../app-types.ts';

/** Must be registered before the routes it describes. */
export async function describeApi(app: App, { publicUrl, config }: AppDeps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version: '1',
        description:
          'Outbound AI phone calls, and the contacts of campaigns. Errors are RFC 9457 problems with a stable `code`; every answer carries `x-request-id`.',
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: 'Calls', description: 'Place calls and read how they went' },
        { name: 'Tokens', description: 'Access tokens for placing calls' },
        { name: 'Campaigns', description: 'Campaigns and their contacts' },
        { name: 'Agents', description: 'The numbers that call, and what they say by default' },
        { name: 'Operations' },
      ],
      security: [{ apiKey: [] }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          accessToken: config.authIssuer
            ? { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: `A token of ${config.authIssuer}` }
            : {
                type: 'oauth2',
                flows: {
                  clientCredentials: {
                    tokenUrl: `${publicUrl}/oauth2/token`,
                    scopes: { 'external-api-resource-server-1/call.out': 'Place outbound calls' },
                  },
                },
              },
          clientBasic: { type: 'http', scheme: 'basic' },
          adminToken: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
}

export async function docsRoutes(app: App): Promise<void> {
  app.get('/openapi.json', { config: { rateLimit: false }, schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { validatorUrl: null, docExpansion: 'list', tryItOutEnabled: true },
    theme: { title: 'Parley API' },
  });
}

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { App, AppDeps } from '../app-types.ts';

/** The zod registry gives each schema twice, as input and as output; only what is referred to stays. */
function withoutUnused(document: OpenAPIV3_1.Document): OpenAPIV3_1.Document {
  const schemas = document.components?.schemas ?? {};
  const used = new Set<string>();
  const visit = (part: unknown) => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit({ ...document, components: {} });
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { ...document, components: { ...document.components, schemas: kept } };
}

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
        { name: 'Webhooks', description: 'Where events are sent, and what became of them' },
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
    transformObject: (document) => withoutUnused(jsonSchemaTransformObject(document) as OpenAPIV3_1.Document),
  });
}

export async function docsRoutes(app: App): Promise<void> {
  app.get('/openapi.json', { config: { rateLimit: false }, schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // The reference sets styles from its scripts, and needs nothing from other hosts.
    transformStaticCSP: (header) =>
      header.replaceAll(' https:', '').replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
    uiConfig: { validatorUrl: null, docExpansion: 'list', tryItOutEnabled: true },
    theme: { title: 'Parley API', css: [{ filename: 'parley.css', content: '.topbar { display: none; }' }] },
  });
}

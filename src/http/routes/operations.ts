import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hashSecret } from '../../auth/secret.ts';
import { Problem } from '../../domain/problem.ts';
import { isAdminToken } from '../../store/admin-tokens.ts';
import type { App, AppDeps } from '../app-types.ts';

const databaseTimeoutMs = 2_000;

/** For load balancers, supervisors and Prometheus. */
export function operationRoutes(app: App, { db, metrics, missing }: AppDeps): void {
  const tags = ['Operations'];
  const config = { rateLimit: false };

  async function allMissing(): Promise<string[]> {
    const databaseAnswers = await Promise.race([
      db.query('SELECT 1').then(
        () => true,
        () => false,
      ),
      new Promise<false>((resolve) => setTimeout(resolve, databaseTimeoutMs, false).unref()),
    ]);
    return [...(databaseAnswers ? [] : ['database']), ...missing()];
  }

  app.get(
    '/health',
    {
      config,
      schema: {
        operationId: 'health',
        summary: 'Whether calls can be placed',
        tags,
        security: [],
        response: { 200: z.object({ status: z.literal('ok') }), 503: z.object({ status: z.literal('unavailable') }) },
      },
    },
    async (_request, reply) => {
      if ((await allMissing()).length === 0) return { status: 'ok' as const };
      reply.code(503);
      return { status: 'unavailable' as const };
    },
  );

  app.get(
    '/ready',
    {
      config,
      schema: {
        operationId: 'ready',
        summary: 'What is missing before calls can be placed',
        tags,
        security: [],
        response: {
          200: z.object({ status: z.literal('ready'), missing: z.array(z.string()) }),
          503: z.object({ status: z.literal('not_ready'), missing: z.array(z.string()) }),
        },
      },
    },
    async (_request, reply) => {
      const needs = await allMissing();
      if (needs.length === 0) return { status: 'ready' as const, missing: needs };
      reply.code(503);
      return { status: 'not_ready' as const, missing: needs };
    },
  );

  app.get(
    '/metrics',
    {
      config,
      schema: {
        operationId: 'metrics',
        summary: 'Figures for Prometheus',
        description: 'Open to this machine itself; from elsewhere it needs the admin token as a bearer token.',
        tags,
        security: [{}, { adminToken: [] }],
      },
    },
    async (request, reply) => {
      if (!isLocal(request) && !(await isAdmin(request))) {
        throw new Problem('forbidden', 'Send the admin token: Authorization: Bearer <adminToken>.');
      }
      reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    },
  );

  async function isAdmin(request: FastifyRequest): Promise<boolean> {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    return token !== undefined && isAdminToken(db, hashSecret(token));
  }
}

function isLocal(request: FastifyRequest): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(request.ip) && request.headers['x-forwarded-for'] === undefined;
}

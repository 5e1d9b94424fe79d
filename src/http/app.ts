import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Problem, type ProblemCode } from '../domain/problem.ts';
import type { App, AppDeps } from './app-types.ts';
import { addJsonParser } from './body-parsers.ts';
import { handleError, problemType, sendProblem } from './errors.ts';
import { agentRoutes } from './routes/agents.ts';
import { callEventRoutes } from './routes/call-events.ts';
import { callRecordingRoutes } from './routes/call-recording.ts';
import { callRoutes } from './routes/calls.ts';
import { campaignRoutes } from './routes/campaigns.ts';
import { contactRoutes } from './routes/contacts.ts';
import { describeApi, docsRoutes } from './routes/docs.ts';
import { operationRoutes } from './routes/operations.ts';
import { outboundRoutes } from './routes/outbound.ts';
import { tokenRoutes } from './routes/token.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { wellKnownRoutes } from './routes/well-known.ts';
import { securityHeaders } from './security-headers.ts';
import { validatorCompiler } from './validation.ts';

/** The HTTP API, ready to listen. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const app: App = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    // Fastify's own lines hold the whole URL, and so telephone numbers.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: deps.config.trustProxy,
    bodyLimit: 1024 * 1024,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000, // longer than load balancers keep theirs
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1_000, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      handleError(error, request as FastifyRequest, reply as FastifyReply);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  app.decorateRequest('accountId', '');
  app.decorateRequest('clientId', '');
  app.decorateRequest('rateKey', undefined);
  app.decorateRequest('bodyHash', undefined);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler<FastifyError>(handleError);
  addJsonParser(app);
  observeRequests(app, deps);
  closeUnusedConnections(app);
  answerUnknownRoutes(app);
  await limitRates(app, deps);
  await describeApi(app, deps);

  if (!deps.config.authIssuer) {
    tokenRoutes(app, deps);
    wellKnownRoutes(app, deps);
  }
  outboundRoutes(app, deps);
  contactRoutes(app, deps);
  callRoutes(app, deps);
  callRecordingRoutes(app, deps);
  callEventRoutes(app, deps);
  campaignRoutes(app, deps);
  agentRoutes(app, deps);
  webhookRoutes(app, deps);
  operationRoutes(app, deps);
  await docsRoutes(app);
  return app;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// A caller's own id is taken over only if it is a UUID: anything else could carry personal data into the log.
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && uuid.test(given) ? given : randomUUID();
}

function observeRequests(app: App, { metrics, publicUrl }: AppDeps): void {
  const headers = securityHeaders(publicUrl);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(unknown)';
    const { method } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    metrics.requestSeconds.observe({ method, route, status }, ms / 1000);
    request.log.info({ method, route, status, ms: Math.round(ms * 10) / 10 }, 'request');
    done();
  });
}

/** One over which nothing was asked yet is not idle to Node: browsers open such, and would hold up the stop. */
function closeUnusedConnections(app: App): void {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy();
  });
}

/** 404, or 405 with `Allow` where the path exists with other methods. */
function answerUnknownRoutes(app: App): void {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*')}/?$`);
    const route = routes.get(url) ?? { pattern, methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = [...routes.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((route) => [...route.methods]);
    if (methods.length === 0) return sendProblem(reply, new Problem('not_found', 'There is nothing at this path.'));
    const allow = [...new Set(methods)].sort().join(', ');
    return sendProblem(
      reply,
      new Problem('method_not_allowed', `This path takes ${allow} only.`, { headers: { allow } }),
    );
  });
}

async function limitRates(app: App, { config }: AppDeps): Promise<void> {
  if (config.rateLimit === 0) return;
  await app.register(rateLimit, {
    max: config.rateLimit,
    timeWindow: 60_000,
    hook: 'preValidation', // after authentication: each key has its own count
    keyGenerator: (request) => request.rateKey ?? request.ip,
    enableDraftSpec: true,
    errorResponseBuilder: () => new Problem('too_many_requests', 'Too many requests in this minute.'),
  });
}

const brokenRequests: Record<string, [number, string, ProblemCode]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'request_timeout'],
};

/** What is not HTTP never becomes a request; it still gets a proper answer. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const [status, phrase, code] = brokenRequests[error.code ?? ''] ?? [400, 'Bad Request', 'invalid_request'];
  const body = JSON.stringify(new Problem(code, 'The request is not proper HTTP.').toJSON());
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: ${problemType}\r\nx-request-id: ${randomUUID()}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

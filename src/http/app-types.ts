import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { TokenVerifier } from '../auth/access-token.ts';
import type { ClientAuthentication } from '../auth/client-authentication.ts';
import type { FailedAttempts } from '../auth/failed-attempts.ts';
import type { SigningKeys } from '../auth/signing-keys.ts';
import type { XsrfCookies } from '../auth/xsrf-cookie.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { DatabasePool } from '../store/database.ts';
import type { Metrics } from './metrics.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Everything the routes stand on. */
export type AppDeps = {
  config: Config;
  db: DatabasePool;
  clock: Clock;
  log: Log;
  /** Where clients reach us; the issuer of our tokens. */
  publicUrl: string;
  signingKeys: SigningKeys;
  verifyToken: TokenVerifier;
  authenticateClient: ClientAuthentication;
  xsrf: XsrfCookies;
  failedAttempts: FailedAttempts;
  metrics: Metrics;
  /** Whether webhooks may lead into the operator's own network; not unless said. */
  allowPrivateWebhooks: boolean;
  /** Where the recordings of calls are, as `<callId>.wav`. */
  recordingsFolder: string;
  /** One for each rule that nobody here can follow. */
  ruleWarnings: (rules: readonly string[]) => string[];
  /** What calls cannot be placed without, and is not there. */
  missing: () => string[];
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The account behind the API key; only on routes that require one. */
    accountId: string;
    /** The OAuth client behind the access token; only on routes that require one. */
    clientId: string;
    /** Whose requests are counted together against the rate limit. */
    rateKey: string | undefined;
    /** SHA-256 of the raw body, when the request carries an Idempotency-Key. */
    bodyHash: Buffer | undefined;
  }
}

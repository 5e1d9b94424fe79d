import { randomUUID } from 'node:crypto';
import { CompactSign, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock } from '../clock.ts';
import { tokenAudience } from '../domain/account.ts';
import { type SigningKeys, signingAlgorithm } from './signing-keys.ts';

/** What a valid access token says. */
export type Grant = { clientId: string; scopes: string[] };

export type TokenVerifier = (token: string) => Promise<Grant | undefined>;

/** A JWT access token as RFC 9068 profiles it. */
export async function issueAccessToken(
  keys: SigningKeys,
  token: { issuer: string; clientId: string; scopes: string[]; seconds: number; now: Date },
): Promise<string> {
  const { kid, privateKey } = await keys.current();
  const issuedAt = Math.floor(token.now.getTime() / 1000);
  const claims = {
    iss: token.issuer,
    aud: tokenAudience,
    sub: token.clientId,
    client_id: token.clientId,
    scope: token.scopes.join(' '),
    iat: issuedAt,
    exp: issuedAt + token.seconds,
    jti: randomUUID(),
  };
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: signingAlgorithm, typ: 'at+jwt', kid })
    .sign(privateKey);
}

/** Accepts the tokens that `issueAccessToken` makes, on this process or another of this database. */
export function ownTokenVerifier(keys: SigningKeys, issuer: string, clock: Clock): TokenVerifier {
  const findKey: JWTVerifyGetKey = async ({ kid }) => {
    const key = kid === undefined ? undefined : await keys.findPublic(kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  return remember(clock, async (token) => {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: [signingAlgorithm],
      typ: 'at+jwt',
      issuer,
      audience: tokenAudience,
      requiredClaims: ['exp', 'client_id', 'scope'],
      currentDate: clock.now(),
    });
    return payload;
  });
}

const externalAlgorithms = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];

/** Accepts the tokens of another identity provider, whose keys are found through its metadata. */
export function externalTokenVerifier(issuer: string, audience: string | undefined, clock: Clock): TokenVerifier {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const findKey: JWTVerifyGetKey = async (header, token) => {
    keys ??= discoverKeys(issuer);
    const found = await keys.catch((error) => {
      keys = undefined; // asked again with the next token
      throw error;
    });
    return found(header, token);
  };
  return remember(clock, async (token) => {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: externalAlgorithms,
      issuer,
      ...(audience !== undefined && { audience }),
      requiredClaims: ['exp'],
      clockTolerance: 5,
      currentDate: clock.now(),
    });
    return payload;
  });
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  // OpenID Connect Discovery, then RFC 8414.
  for (const name of ['openid-configuration', 'oauth-authorization-server']) {
    const response = await fetch(`${issuer}/.well-known/${name}`, { signal: AbortSignal.timeout(5_000) });
    if (!response.ok) continue;
    const metadata = (await response.json()) as { jwks_uri?: string };
    if (metadata.jwks_uri) return createRemoteJWKSet(new URL(metadata.jwks_uri), { timeoutDuration: 5_000 });
  }
  throw new Error(`The issuer ${issuer} publishes no metadata with a jwks_uri`);
}

// A signature takes about a third of a millisecond to check, and the same token comes with many requests.
const rememberedTokens = 10_000;

function remember(clock: Clock, verify: (token: string) => Promise<JWTPayload>): TokenVerifier {
  const known = new Map<string, Grant & { expiresAt: number }>();
  return async (token) => {
    const nowSeconds = clock.now().getTime() / 1000;
    const grant = known.get(token);
    if (grant && nowSeconds < grant.expiresAt) return grant;
    known.delete(token);
    if (!isCanonical(token)) return undefined;
    const payload = await verify(token).catch((error) => {
      if (error instanceof errors.JOSEError && !isUnavailable(error)) return undefined;
      throw error;
    });
    const fresh = payload && toGrant(payload);
    if (!fresh) return undefined;
    if (known.size >= rememberedTokens) known.delete(known.keys().next().value as string);
    known.set(token, { ...fresh, expiresAt: payload.exp as number });
    return fresh;
  };
}

// The last character of a signature has spare bits, which decoders ignore: one token, one spelling.
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function isUnavailable(error: errors.JOSEError): boolean {
  return error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC';
}

// Providers differ: client_id (RFC 9068, Cognito), azp (Keycloak, Google), scp as a list (Entra, Okta).
function toGrant(payload: JWTPayload): Grant | undefined {
  const clientId = payload['client_id'] ?? payload['azp'] ?? payload.sub;
  const scope = payload['scope'] ?? payload['scp'];
  if (typeof clientId !== 'string') return undefined;
  const scopes = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope.map(String) : [];
  return { clientId, scopes };
}

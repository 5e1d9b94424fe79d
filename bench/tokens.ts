import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { callScope } from '../src/domain/account.ts';
import { freePort } from '../src/free-port.ts';
import { compare, type Measure } from './figure.ts';
import { startProcess } from './harness/child-process.ts';
import { during, loadHttp, postRequest } from './harness/http-load.ts';
import { interleave } from './harness/interleave.ts';
import { fetchToken, tokenForm, withService } from './harness/service.ts';

const connections = 32;
const rounds = 5;
const roundMs = 3_000;
// Node goes on compiling for that long: it served 1,130 tokens/s in its first seconds, 1,750 later.
const warmUpMs = 10_000;

type Issuer = { port: number; path: string; form: URLSearchParams };

/** Tokens a second of the token endpoint, beside oidc-provider doing the same grant. */
export const measureTokens: Measure = ({ signal }) =>
  withService({ signal }, async ({ port, credentials }) => {
    const ours = { port, path: '/oauth2/token', form: tokenForm(credentials) };
    return withOidcProvider('ES256', signal, (es256) =>
      withOidcProvider('default', signal, async (rs256) => {
        await expectAlgorithm(ours, 'ES256');
        await expectAlgorithm(es256, 'ES256');
        await expectAlgorithm(rs256, 'RS256');
        const rate = (issuer: Issuer, ms: number) => () => tokensPerSecond(issuer, ms, signal);
        for (const issuer of [ours, es256, rs256]) await rate(issuer, warmUpMs)();
        const rates = await interleave(
          rounds,
          { ours: rate(ours, roundMs), es256: rate(es256, roundMs), rs256: rate(rs256, roundMs) },
          signal,
        );
        const figure = { name: 'POST /oauth2/token', unit: 'tokens/s' };
        return [
          compare({ ...figure, goal: 2 }, rates.ours, { name: 'oidc-provider, ES256', rounds: rates.es256 }),
          compare({ ...figure, goal: 15 }, rates.ours, { name: 'oidc-provider, RS256', rounds: rates.rs256 }),
        ];
      }),
    );
  });

function tokensPerSecond({ port, path, form }: Issuer, ms: number, signal: AbortSignal): Promise<number> {
  const request = postRequest(path, { 'content-type': 'application/x-www-form-urlencoded' }, String(form));
  return loadHttp({ port, connections, next: during(ms, () => request), signal });
}

async function withOidcProvider<T>(
  algorithm: 'ES256' | 'default',
  signal: AbortSignal,
  work: (issuer: Issuer) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const clientId = randomBytes(13).toString('hex');
  const clientSecret = randomBytes(32).toString('base64url');
  const provider = await startProcess({
    script: 'bench/harness/oidc-server.ts',
    args: [String(port), clientId, clientSecret, algorithm],
    env: { NODE_ENV: 'production' },
    readyUrl: `http://127.0.0.1:${port}/.well-known/openid-configuration`,
    signal,
  });
  try {
    return await work({ port, path: '/token', form: tokenForm({ clientId, clientSecret }) });
  } finally {
    await provider.stop();
  }
}

async function expectAlgorithm({ port, path, form }: Issuer, algorithm: string): Promise<void> {
  const token = await fetchToken(port, path, form);
  const { alg } = decodeProtectedHeader(token);
  const { scope } = decodeJwt(token);
  if (alg !== algorithm || scope !== callScope) throw new Error(`Unexpected token: ${alg}, ${scope}`);
}

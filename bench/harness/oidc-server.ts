import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { callScope, tokenAudience } from '../../src/domain/account.ts';

/**
 * The reference of bench/tokens.ts in a process of its own: client credentials in memory, JWT access
 * tokens for one resource server, its adapter in memory too. Arguments: port, client id, client
 * secret, and `ES256` or `default`, which leaves the algorithm to oidc-provider (RS256).
 */
const [port, clientId, clientSecret, algorithm] = process.argv.slice(2);

const resource = 'urn:parley:bench';

const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks: { keys: [await newKey('RS256'), await newKey('ES256')] },
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_post',
      scope: callScope,
    },
  ],
  scopes: [callScope],
  ttl: { ClientCredentials: 3600 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({
        scope: callScope,
        audience: tokenAudience,
        accessTokenFormat: 'jwt',
        ...(algorithm === 'ES256' && { jwt: { sign: { alg: 'ES256' } } }),
      }),
    },
  },
});

const server = createServer(provider.callback()).listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

async function newKey(alg: string): Promise<object> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig' };
}

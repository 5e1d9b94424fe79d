import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { callScope } from '../../src/domain/account.ts';
import { callBody, send, startService } from '../harness/service.ts';

const service = await startService();
const { tenant, url } = service;

async function placesCall(token: string): Promise<void> {
  const { status } = await send('POST', `${url}/outbound`, {
    headers: { authorization: `Bearer ${token}` },
    json: callBody(tenant),
  });
  assert.equal(status, 200);
}

describe('oauth4webapi', () => {
  const issuer = new URL(url);
  const options = { [oauth.allowInsecureRequests]: true };

  async function discover(): Promise<oauth.AuthorizationServer> {
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  for (const [way, authentication] of [
    ['client_secret_post', oauth.ClientSecretPost(tenant.clientSecret)],
    ['client_secret_basic', oauth.ClientSecretBasic(tenant.clientSecret)],
  ] as const) {
    it(`discovers the server and fetches a token with ${way}`, async () => {
      const server = await discover();
      const client = { client_id: tenant.clientId };
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        authentication,
        new URLSearchParams({ scope: callScope }),
        options,
      );
      const token = await oauth.processClientCredentialsResponse(server, client, response);
      assert.equal(token.token_type, 'bearer');
      await placesCall(token.access_token);
    });
  }

  it('validates our token as a resource server (RFC 9068)', async () => {
    const server = await discover();
    const request = new Request(`${url}/outbound`, { headers: { authorization: `Bearer ${await service.token()}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, 'external-api-resource-server-1', options);
    assert.equal(claims.client_id, tenant.clientId);
  });

  it('understands our errors', async () => {
    const server = await discover();
    const client = { client_id: tenant.clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretPost('wrong'),
      new URLSearchParams({ scope: callScope }),
      options,
    );
    await assert.rejects(oauth.processClientCredentialsResponse(server, client, response), (error) => {
      assert.ok(error instanceof oauth.ResponseBodyError);
      assert.equal(error.error, 'invalid_client');
      return true;
    });
  });
});

describe('openid-client', () => {
  for (const [way, authentication] of [
    ['client_secret_post', openid.ClientSecretPost(tenant.clientSecret)],
    ['client_secret_basic', openid.ClientSecretBasic(tenant.clientSecret)],
  ] as const) {
    it(`discovers the server and fetches a token with ${way}`, async () => {
      const config = await openid.discovery(new URL(url), tenant.clientId, undefined, authentication, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
      const token = await openid.clientCredentialsGrant(config, { scope: callScope });
      assert.equal(token.expires_in, 3600);
      await placesCall(token.access_token);
    });
  }
});

import { callScope } from '../domain/account.ts';
import { ask, refusal } from './ask-service.ts';
import { exitCode, Failure } from './failure.ts';
import { need, type Service } from './find-service.ts';

export type TokenResponse = { access_token: string; token_type: string; expires_in: number; scope: string };

export async function fetchToken(service: Service, scope: string = callScope): Promise<TokenResponse> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: need(service.clientId, '--client-id or PARLEY_CLIENT_ID', service),
    client_secret: need(service.clientSecret, '--client-secret or PARLEY_CLIENT_SECRET', service),
    scope,
  });
  const answer = await ask(service.url, {
    method: 'POST',
    path: '/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  if (answer.status === 200) return answer.body as TokenResponse;
  if (answer.status === 404) {
    throw new Failure(
      exitCode.refused,
      `${service.url} issues no tokens: it may use an external issuer. Fetch the token there.`,
    );
  }
  throw refusal(service.url, answer);
}

import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../../src/credentials-file.ts';
import { callScope } from '../../src/domain/account.ts';
import type { CallResource } from '../../src/domain/call.ts';
import type { CallEvent } from '../../src/domain/call-event.ts';
import { readWav, type Wav } from '../../src/rtp/wav.ts';
import { type Running, readCredentialsOf, startParley, temporaryDataDir } from './process.ts';
import { send } from './service.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

export type CallCentre = {
  parley: Running;
  credentials: Credentials;
  hooks: Receiver;
  /** Places a call through the API. */
  place(toPhoneNumber: string, changes?: Record<string, unknown>): Promise<string>;
  /** The call as the API shows it. */
  show(callId: string): Promise<CallResource>;
  /** Waits for its end. */
  ended(callId: string): Promise<CallResource>;
  /** What happens in it, as it happens, until it ends. */
  events(callId: string): AsyncIterable<CallEvent>;
  recording(call: CallResource): Promise<Wav>;
  /** The types of the webhooks that told of it, in their order. */
  told(callId: string): string[];
  api(method: string, path: string, json?: unknown): ReturnType<typeof send>;
};

/** The whole service as a user starts it, with the simulated phone network and a receiver of its webhooks. */
export async function startCallCentre(env: Record<string, string> = {}): Promise<CallCentre> {
  let running: Running | undefined;
  after(() => running?.stop()); // before its data directory is removed
  const dataDir = await temporaryDataDir();
  const parley = await startParley(dataDir, {
    PARLEY_MAX_CALLS: '30',
    PARLEY_RING_SECONDS: '6',
    PARLEY_WEBHOOK_PRIVATE: 'yes',
    ...env,
  });
  running = parley;
  const credentials = await readCredentialsOf(dataDir);
  const hooks = await startReceiver();
  const api = (method: string, path: string, json?: unknown) =>
    send(method, `${parley.url}${path}`, {
      headers: { 'x-api-key': credentials.apiKey },
      ...(json !== undefined && { json }),
    });
  await api('POST', '/api/v1/webhooks', { url: hooks.url });
  const { clientId: client_id, clientSecret: client_secret, fromPhoneNumber } = credentials;
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope: callScope };
  const granted = await fetch(`${parley.url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const show = async (callId: string) => (await api('GET', `/api/v1/calls/${callId}`)).body as CallResource;
  return {
    parley,
    credentials,
    hooks,
    api,
    show,
    async place(toPhoneNumber, changes = {}) {
      const { status, body } = await send('POST', `${parley.url}/outbound`, {
        headers: { authorization: `Bearer ${token}` },
        json: { name: 'Ada Lovelace', toPhoneNumber, fromPhoneNumber, formInfo: [], ...changes },
      });
      if (status !== 200) throw new Error(`Not accepted: ${JSON.stringify(body)}`);
      return body.callId;
    },
    async ended(callId) {
      for (;;) {
        const call = await show(callId);
        if (call.status === 'ended') return call;
        await sleep(200);
      }
    },
    async *events(callId) {
      const response = await fetch(`${parley.url}/api/v1/calls/${callId}/events`, {
        headers: { 'x-api-key': credentials.apiKey },
      });
      let rest = '';
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = `${rest}${part}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6));
      }
    },
    async recording({ recordingUrl }) {
      const response = await fetch(`${parley.url}${recordingUrl}`, { headers: { 'x-api-key': credentials.apiKey } });
      return readWav(Buffer.from(await response.arrayBuffer()));
    },
    told: (callId) =>
      hooks.received
        .map(({ body }) => JSON.parse(body))
        .filter(({ data }) => data.callId === callId)
        .map(({ type }) => type),
  };
}

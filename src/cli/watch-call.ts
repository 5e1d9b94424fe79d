import { systemClock } from '../clock.ts';
import type { CallEvent } from '../domain/call-event.ts';
import { refusal, Unreachable } from './ask-service.ts';
import { readEventStream } from './event-stream.ts';
import { exitCode } from './failure.ts';

const tries = 10;
const retryAfterMs = 1_000;

type Options = {
  url: string;
  apiKey: string;
  callId: string;
  signal: AbortSignal;
  onEvent: (event: CallEvent) => void;
};

/** Follows a call until it has ended, over broken connections too. */
export async function watchCall(options: Options): Promise<'ended' | 'stopped'> {
  const { url, signal } = options;
  const seen = { lastEventId: '0' };
  for (let failures = 0; failures < tries; ) {
    const followed = await follow(options, seen);
    if (followed === 'ended') return 'ended';
    failures = followed === 'cut' ? 0 : failures + 1;
    await systemClock.sleep(retryAfterMs, { signal }).catch(() => {});
    if (signal.aborted) return 'stopped';
  }
  throw new Unreachable(exitCode.failed, `The service at ${url} cannot be reached any more. The call goes on.`);
}

async function follow(
  { url, apiKey, callId, signal, onEvent }: Options,
  seen: { lastEventId: string },
): Promise<'ended' | 'cut' | 'unreachable'> {
  const headers = { 'x-api-key': apiKey, 'last-event-id': seen.lastEventId };
  const path = `/api/v1/calls/${callId}/events`;
  const response = await fetch(url + path, { headers, signal, redirect: 'manual' }).catch(() => undefined);
  if (response?.status === 204) return 'ended';
  if (!response || response.status === 429 || response.status >= 500) return 'unreachable';
  if (response.status !== 200 || !response.body) {
    const body = await response.json().catch(() => undefined);
    throw refusal(url, { status: response.status, headers: response.headers, body });
  }
  try {
    for await (const { id, data } of readEventStream(response.body)) {
      const event = JSON.parse(data) as CallEvent;
      onEvent(event);
      seen.lastEventId = id;
      if (event.type === 'ended') return 'ended';
    }
  } catch {
    // The connection broke, or somebody stopped us.
  }
  return 'cut';
}

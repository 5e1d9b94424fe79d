import { newCallId, newTag } from './dialog.ts';
import { newRequest, type SipResponse } from './message.ts';
import type { CallingPhone } from './outgoing-call.ts';
import type { Target } from './resolve.ts';
import type { TransactionLayer } from './transaction-layer.ts';

export type Question = {
  method: 'OPTIONS' | 'REGISTER';
  uri: string;
  /** Our own address, and in a REGISTER whose bindings are asked for. */
  from: string;
  to?: string;
};

/** Puts one question to one place, outside of any call. A challenge is answered when we have credentials. */
export async function ask(
  phone: CallingPhone,
  layer: TransactionLayer,
  { method, uri, from, to = uri }: Question,
  target: Target,
): Promise<{ response: SipResponse | 'timeout' | 'unreachable'; wasChallenged: boolean }> {
  const [callId, tag] = [newCallId(), newTag()];
  let wasChallenged = false;
  for (let cseq = 1; ; cseq++) {
    const request = newRequest(method, uri);
    request.headers
      .set('route', ...phone.routes)
      .set('max-forwards', '70')
      .set('from', `<${from}>;tag=${tag}`)
      .set('to', `<${to}>`)
      .set('call-id', callId)
      .set('cseq', `${cseq} ${method}`)
      .set('accept', 'application/sdp');
    // Without a Contact a REGISTER changes nothing; it only asks (RFC 3261 §10.2.3).
    if (method !== 'REGISTER') request.headers.set('contact', phone.contact(target));
    phone.dress(request);
    const response = await new Promise<SipResponse | 'timeout' | 'unreachable'>((resolve) => {
      layer.request(request, target, {
        serverName: target.serverName,
        onResponse: (received) => received.status >= 200 && resolve(received),
        onFailure: resolve,
      });
    });
    const isChallenge = typeof response !== 'string' && (response.status === 401 || response.status === 407);
    wasChallenged ||= isChallenge;
    if (!isChallenge || !phone.authentication?.learn(response, request)) return { response, wasChallenged };
  }
}

import { type CSeq, type NameAddress, parseCSeq, parseNameAddress, parseVia, type Via } from './header-values.ts';
import { type HeaderName, Headers } from './headers.ts';

export type SipRequest = { kind: 'request'; method: string; uri: string; headers: Headers; body: Buffer };
export type SipResponse = { kind: 'response'; status: number; reason: string; headers: Headers; body: Buffer };
export type SipMessage = SipRequest | SipResponse;

export const noBody = Buffer.alloc(0);

export function newRequest(method: string, uri: string): SipRequest {
  if (/[\s<>]/.test(uri) || uri === '') throw new Error('A Request-URI is one word');
  return { kind: 'request', method, uri, headers: new Headers(), body: noBody };
}

/** A response with what RFC 3261 §8.2.6 copies from the request. */
export function newResponse(request: SipRequest, status: number, reason: string): SipResponse {
  const headers = new Headers();
  for (const name of ['via', 'from', 'to', 'call-id', 'cseq'] satisfies HeaderName[]) {
    headers.set(name, ...request.headers.all(name));
  }
  return { kind: 'response', status, reason, headers, body: noBody };
}

export function writeMessage(message: SipMessage): Buffer {
  const start =
    message.kind === 'request'
      ? `${message.method} ${message.uri} SIP/2.0`
      : `SIP/2.0 ${message.status} ${message.reason.replace(/[\r\n\0]/g, ' ')}`;
  const { headers, body } = message;
  const head = Buffer.from(`${start}\r\n${headers}Content-Length: ${body.length}\r\n\r\n`);
  return body.length === 0 ? head : Buffer.concat([head, body]);
}

/** The topmost Via of a message that was checked when it was read. */
export function topVia(message: SipMessage): Via {
  return must(parseVia(message.headers.all('via')[0] ?? ''), 'Via');
}

export function cseqOf(message: SipMessage): CSeq {
  return must(parseCSeq(message.headers.get('cseq') ?? ''), 'CSeq');
}

export function fromOf(message: SipMessage): NameAddress {
  return must(parseNameAddress(message.headers.get('from') ?? ''), 'From');
}

export function toOf(message: SipMessage): NameAddress {
  return must(parseNameAddress(message.headers.get('to') ?? ''), 'To');
}

export function callIdOf(message: SipMessage): string {
  return must(message.headers.get('call-id'), 'Call-ID');
}

/** The session description that a message carries. */
export function sdpOf(message: SipMessage): string | undefined {
  const isSdp = /^application\/sdp\b/i.test(message.headers.get('content-type') ?? '');
  return isSdp && message.body.length > 0 ? message.body.toString() : undefined;
}

function must<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`The message has no proper ${name}`);
  return value;
}

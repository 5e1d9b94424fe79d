import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Resolve } from './resolve.ts';

export const postTimeoutMs = 15_000;
const keptBytes = 1024;

/** What the receiver answered, or why it did not. */
export type PostResult =
  | { status: number; retryAfter: string | undefined; response: string }
  | { status: null; error: string };

export type PostOptions = {
  resolve: Resolve;
  isAllowed: (address: string) => boolean;
  timeoutMs?: number;
};

class AddressRefused extends Error {}

// Agents of our own: those of the process may go through a proxy, and would then not connect to what was checked.
const agents = { 'http:': new http.Agent(), 'https:': new https.Agent() };

/**
 * Posts JSON to an address that is allowed, or to none. The address that was judged is the one that is
 * connected to: the name is resolved once for each connection. Redirects are not followed.
 */
export async function post(
  target: string,
  headers: Record<string, string>,
  body: string,
  options: PostOptions,
): Promise<PostResult> {
  const timeoutMs = options.timeoutMs ?? postTimeoutMs;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(new URL(target), headers, body, options, signal);
    return {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      response: await readBeginning(response),
    };
  } catch (error) {
    return { status: null, error: signal.aborted ? `No answer within ${timeoutMs / 1000} s.` : reasonOf(error) };
  }
}

async function send(
  url: URL,
  headers: Record<string, string>,
  body: string,
  { resolve, isAllowed }: PostOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A literal address is connected to without a lookup.
  if (isIP(host) && !isAllowed(host)) throw new AddressRefused();
  const { promise, resolve: succeed, reject: fail } = Promise.withResolvers<IncomingMessage>();
  const request = (protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    agent: agents[protocol],
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Parley',
      ...headers,
    },
    lookup: checkedLookup(resolve, isAllowed),
    signal,
  });
  request.on('response', succeed).on('error', fail).end(body);
  return promise;
}

function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    const checked = resolve(host).then((addresses) => {
      const [first] = addresses;
      if (!first) throw Object.assign(new Error(), { code: 'ENOTFOUND' });
      // One that is not allowed among several would be reached as soon as the others fail.
      if (!addresses.every(({ address }) => isAllowed(address))) throw new AddressRefused();
      return { addresses, first };
    });
    checked.then(
      ({ addresses, first }) => (options.all ? callback(null, addresses) : callback(null, first.address, first.family)),
      (error) => callback(error, ''),
    );
  };
}

/** The first of the body as text that can be stored; the status counts even if the rest never comes. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= keptBytes) break;
    }
  } catch {
    // What has come is kept.
  }
  return Buffer.concat(chunks)
    .subarray(0, keptBytes)
    .toString('utf8')
    .replace(/[^\P{Cc}\t\n\r]/gu, '�');
}

/** A code only: where an address is private, not even the account may learn it. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return 'The host has an address that is not public.';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'The host has no address.';
  return `The connection failed (${typeof code === 'string' ? code : 'no reason given'}).`;
}

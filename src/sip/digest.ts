import { createHash, randomBytes } from 'node:crypto';
import { isToken, quote, unquote } from './header-values.ts';
import { splitList } from './headers.ts';
import type { SipRequest, SipResponse } from './message.ts';

export type Credentials = { username: string; password: string };

/** One challenge of a server or proxy (RFC 3261 §22.4, RFC 8760). */
type Challenge = {
  header: 'authorization' | 'proxy-authorization';
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: string;
  hash: string;
  session: boolean;
  qop: 'auth' | undefined;
  stale: boolean;
};

const hashes: Record<string, string> = { md5: 'md5', 'sha-256': 'sha256', 'sha-512-256': 'sha512-256' };

// A server whose nonces run out before they can be used would have us ask for ever.
const mostStaleInARow = 3;

/** Answers digest challenges for one account, and goes on using their nonces. */
export class DigestAuthentication {
  readonly #credentials: Credentials;
  /** By header and realm: a proxy and the server behind it may both ask. */
  readonly #known = new Map<string, { challenge: Challenge; uses: number; staleInARow: number }>();
  /** The challenges that a request is the first to answer. */
  readonly #firstAnswers = new WeakMap<SipRequest, Set<string>>();

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** Takes in the challenges of a 401 or 407. False means: we cannot answer, or our answer was wrong. */
  learn(response: SipResponse, request: SipRequest): boolean {
    const challenges = readChallenges(response);
    let learnt = false;
    for (const challenge of firstOfEachRealm(challenges)) {
      const key = keyOf(challenge);
      // The same nonce again, or a new one in place of one that was new itself, refuses the password. One that
      // had been used before has run out; Kamailio, for one, does not call it stale.
      const wasNew = this.#firstAnswers.get(request)?.has(key) === true;
      const staleInARow = wasNew ? (this.#known.get(key)?.staleInARow ?? 0) + 1 : 0;
      const isRefused = wasNew && (!challenge.stale || staleInARow > mostStaleInARow);
      // A proxy and a registrar may make their nonces alike: only the header for this challenge answers it.
      const isRepeated = request.headers.all(challenge.header).some((line) => nonceOf(line) === challenge.nonce);
      if (isRepeated || isRefused) return false;
      this.#known.set(key, { challenge, uses: 0, staleInARow });
      learnt = true;
    }
    return learnt;
  }

  /** Puts our answer to every challenge known so far into the request. */
  sign(request: SipRequest): void {
    request.headers.delete('authorization').delete('proxy-authorization');
    const first = new Set<string>();
    this.#firstAnswers.set(request, first);
    for (const [key, known] of this.#known) {
      if (known.uses++ === 0) first.add(key);
      request.headers.append(known.challenge.header, answer(known.challenge, known.uses, this.#credentials, request));
    }
  }
}

function readChallenges(response: SipResponse): Challenge[] {
  const lines = [
    ...response.headers.all('www-authenticate').map((line) => ['authorization', line] as const),
    ...response.headers.all('proxy-authenticate').map((line) => ['proxy-authorization', line] as const),
  ];
  return lines.flatMap(([header, line]) => readChallenge(header, line) ?? []);
}

function readChallenge(header: Challenge['header'], line: string): Challenge | undefined {
  const [, rest] = /^Digest\s+(.*)$/is.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const fields = readFields(rest);
  const realm = fields.get('realm');
  const nonce = fields.get('nonce');
  const algorithm = fields.get('algorithm') ?? 'MD5';
  const session = /-sess$/i.test(algorithm);
  const hash = hashes[algorithm.toLowerCase().replace(/-sess$/, '')];
  const offered = fields
    .get('qop')
    ?.split(',')
    .map((option) => option.trim().toLowerCase());
  if (realm === undefined || nonce === undefined || hash === undefined) return undefined;
  if (offered && !offered.includes('auth')) return undefined;
  const qop = offered ? 'auth' : undefined;
  const stale = fields.get('stale')?.toLowerCase() === 'true';
  return { header, realm, nonce, opaque: fields.get('opaque'), algorithm, hash, session, qop, stale };
}

function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of splitList(text)) {
    const at = part.indexOf('=');
    if (at > 0) fields.set(part.slice(0, at).trim().toLowerCase(), unquote(part.slice(at + 1).trim()));
  }
  return fields;
}

/** RFC 8760 §2.4: of several challenges the topmost that we understand. */
function firstOfEachRealm(challenges: Challenge[]): Challenge[] {
  const first = new Map<string, Challenge>();
  for (const challenge of challenges) {
    const key = keyOf(challenge);
    if (!first.has(key)) first.set(key, challenge);
  }
  return [...first.values()];
}

function nonceOf(authorization: string): string | undefined {
  return readFields(authorization.replace(/^Digest\s+/i, '')).get('nonce');
}

function keyOf({ header, realm }: Challenge): string {
  return `${header} ${realm}`;
}

function answer(challenge: Challenge, uses: number, credentials: Credentials, request: SipRequest): string {
  const { realm, nonce, opaque, algorithm, hash, session, qop } = challenge;
  const digest = (text: string) => createHash(hash).update(text).digest('hex');
  const cnonce = randomBytes(8).toString('hex');
  const nc = uses.toString(16).padStart(8, '0');
  const account = digest(`${credentials.username}:${realm}:${credentials.password}`);
  const a1 = session ? digest(`${account}:${nonce}:${cnonce}`) : account;
  const a2 = digest(`${request.method}:${request.uri}`);
  const response = qop ? digest(`${a1}:${nonce}:${nc}:${cnonce}:${qop}:${a2}`) : digest(`${a1}:${nonce}:${a2}`);
  const fields = [
    `username=${quote(credentials.username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(request.uri)}`,
    `response="${response}"`,
    `algorithm=${isToken(algorithm) ? algorithm : 'MD5'}`,
    ...(qop ? [`qop=${qop}`, `nc=${nc}`] : []),
    ...(qop || session ? [`cnonce="${cnonce}"`] : []),
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
  ];
  return `Digest ${fields.join(', ')}`;
}

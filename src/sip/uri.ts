import { isIPv6 } from 'node:net';

/** A SIP or SIPS URI (RFC 3261 §19.1); names of parameters in lower case, values unescaped. */
export type SipUri = {
  scheme: 'sip' | 'sips';
  /** As it was written, escapes and all; undefined when there is none. */
  user: string | undefined;
  host: string;
  port: number | undefined;
  parameters: Map<string, string>;
  /** What follows the question mark, as it was written. */
  headers: string | undefined;
};

const schemes = /^(sips?):/i;
const hostAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9.])?)(?::(\d{1,5}))?$/i;
// RFC 3261 §25.1: unreserved, escaped, user-unreserved; the colon begins a password.
const userInfo = /^(?:[a-z0-9\-_.!~*'()&=+$,;?/:#]|%[0-9a-f]{2})+$/i;
const parameterToken = /^(?:[a-z0-9\-_.!~*'()[\]/:&+$]|%[0-9a-f]{2})+$/i;

/** The URI, or undefined when it is not a proper SIP URI. */
export function parseSipUri(text: string): SipUri | undefined {
  const scheme = schemes.exec(text)?.[1]?.toLowerCase() as SipUri['scheme'] | undefined;
  if (!scheme || /[\s<>"]/.test(text)) return undefined;
  const rest = text.slice(scheme.length + 1);
  const at = rest.lastIndexOf('@');
  const user = at === -1 ? undefined : rest.slice(0, at);
  if (user !== undefined && !userInfo.test(user)) return undefined;
  const [beforeHeaders, headers] = splitOnce(rest.slice(at + 1), '?');
  const [location, ...parameterTexts] = beforeHeaders.split(';');
  const [, host, port] = hostAndPort.exec(location ?? '') ?? [];
  if (!host || (port !== undefined && Number(port) > 65_535)) return undefined;
  if (host.startsWith('[') && !isIPv6(host.slice(1, -1))) return undefined;
  const parameters = parseParameters(parameterTexts);
  if (!parameters) return undefined;
  return {
    scheme,
    user,
    host: host.toLowerCase(),
    port: port === undefined ? undefined : Number(port),
    parameters,
    headers,
  };
}

function parseParameters(texts: string[]): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (const text of texts) {
    const [name, value = ''] = splitOnce(text, '=');
    if (!parameterToken.test(name) || (value !== '' && !parameterToken.test(value))) return undefined;
    parameters.set(unescapeUri(name).toLowerCase(), unescapeUri(value));
  }
  return parameters;
}

export function writeSipUri({ scheme, user, host, port, parameters, headers }: SipUri): string {
  const written = [...parameters].map(([name, value]) => `;${escapeUri(name)}${value && `=${escapeUri(value)}`}`);
  return [
    `${scheme}:`,
    user === undefined ? '' : `${user}@`,
    host,
    port === undefined ? '' : `:${port}`,
    ...written,
    headers === undefined ? '' : `?${headers}`,
  ].join('');
}

function escapeUri(text: string): string {
  return text.replace(/[^a-z0-9\-_.!~*'()[\]/:&+$]/gi, escapeCharacters);
}

function escapeCharacters(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function unescapeUri(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

import { splitList } from './headers.ts';

/** `"Ada" <sip:ada@example.com>;tag=1`: From, To, Contact, Route, Refer-To and the like. */
export type NameAddress = Readonly<{ displayName: string; uri: string; parameters: ReadonlyMap<string, string> }>;

export type Via = Readonly<{
  transport: string;
  host: string;
  port: number | undefined;
  parameters: ReadonlyMap<string, string>;
}>;

export type CSeq = { number: number; method: string };

/**
 * The same values come again with every message of a call, so what they mean is remembered for a while.
 * A copy is: a part of a string keeps the whole message in memory.
 */
function remembering<T>(parse: (value: string) => T | undefined): (value: string) => T | undefined {
  const known = new Map<string, T>();
  return (value) => {
    const remembered = known.get(value);
    if (remembered !== undefined) return remembered;
    const copy = Buffer.from(value).toString();
    const parsed = parse(copy);
    if (known.size >= 1_000) known.clear();
    if (parsed !== undefined) known.set(copy, parsed);
    return parsed;
  };
}

const token = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

export function isToken(text: string): boolean {
  return token.test(text);
}

/** `;name=value;flag`: names in lower case, quotes taken off. */
export function parseParameters(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (const part of splitList(text, ';')) {
    const at = part.indexOf('=');
    const name = (at === -1 ? part : part.slice(0, at)).trim();
    const value = at === -1 ? '' : part.slice(at + 1).trim();
    if (!isToken(name)) return undefined;
    if (value.startsWith('"') && !/^"(?:[^"\\]|\\.)*"$/.test(value)) return undefined;
    parameters.set(name.toLowerCase(), unquote(value));
  }
  return parameters;
}

export function unquote(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

export const parseNameAddress = remembering((value: string): NameAddress | undefined => {
  const bracketed = /^\s*("(?:[^"\\]|\\.)*"|[^"<]*?)\s*<([^<>]*)>\s*(?:;(.*))?$/s.exec(value);
  if (bracketed) {
    const [, display = '', uri = '', rest = ''] = bracketed;
    const isQuoted = display.startsWith('"');
    // Without quotes only tokens may stand there (RFC 3261 §25.1, display-name).
    if (!isQuoted && display && !display.split(/\s+/).every(isToken)) return undefined;
    if (!isUri(uri)) return undefined;
    const parameters = parseParameters(rest);
    return parameters && { displayName: unquote(display), uri, parameters };
  }
  // RFC 3261 §20.10: without brackets everything behind the first semicolon belongs to the header.
  const [first = '', ...rest] = value.split(';');
  const uri = first.trim();
  if (!isUri(uri) || /[?,]/.test(uri)) return undefined;
  const parameters = parseParameters(rest.join(';'));
  return parameters && { displayName: '', uri, parameters };
});

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+\-.]*:[^\s<>"]+$/i.test(text);
}

export function writeNameAddress({ displayName, uri, parameters }: NameAddress): string {
  const written = [...parameters].map(
    ([name, value]) => `;${name}${value && `=${isToken(value) ? value : quote(value)}`}`,
  );
  return `${displayName ? `${quote(displayName)} ` : ''}<${uri}>${written.join('')}`;
}

export const parseVia = remembering((value: string): Via | undefined => {
  const parts =
    /^SIP\s*\/\s*2\.0\s*\/\s*([A-Za-z0-9\-.!%*_+`'~]+)\s+(\[[0-9a-fA-F:.]+\]|[^\s:;[\]]+)\s*(?::\s*(\d{1,5}))?\s*(?:;(.*))?$/s.exec(
      value.trim(),
    );
  if (!parts) return undefined;
  const [, transport = '', host = '', port, rest = ''] = parts;
  const parameters = parseParameters(rest);
  if (!parameters || Number(port ?? 0) > 65_535) return undefined;
  return { transport: transport.toUpperCase(), host, port: port === undefined ? undefined : Number(port), parameters };
});

export function writeVia({ transport, host, port, parameters }: Via): string {
  const written = [...parameters].map(([name, value]) => `;${name}${value && `=${value}`}`);
  return `SIP/2.0/${transport} ${host}${port === undefined ? '' : `:${port}`}${written.join('')}`;
}

export function parseCSeq(value: string): CSeq | undefined {
  const [, number, method] = /^(\d{1,10})\s+(\S+)$/.exec(value.trim()) ?? [];
  if (number === undefined || method === undefined || !isToken(method)) return undefined;
  // RFC 3261 §8.1.1.5: less than 2^31.
  return Number(number) < 2 ** 31 ? { number: Number(number), method } : undefined;
}

/** Whole numbers such as Expires and Max-Forwards; undefined when there is none or it is none. */
export function parseNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,10}\s*$/.test(value) ? Number(value) : undefined;
}

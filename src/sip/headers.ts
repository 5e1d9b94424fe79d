const none: readonly string[] = [];

/** Header fields of one message: names in lower case and long form, values in the order they came. */
export class Headers {
  readonly #fields = new Map<string, string[]>();

  /** The first value, or undefined. */
  get(name: HeaderName): string | undefined {
    return this.#fields.get(name)?.[0];
  }

  /** All values; of list headers each element by itself. */
  all(name: HeaderName): readonly string[] {
    const lines = this.#fields.get(name);
    if (!lines) return none;
    const isList = listHeaders.has(name) && lines.some((line) => line === '' || line.includes(','));
    return isList ? lines.flatMap((line) => splitList(line)) : lines;
  }

  has(name: HeaderName): boolean {
    return this.#fields.has(name);
  }

  /** How many lines carry the name, before lists are split. */
  count(name: HeaderName): number {
    return this.#fields.get(name)?.length ?? 0;
  }

  set(name: HeaderName, ...values: string[]): this {
    for (const value of values) refuseLineBreaks(name, value);
    if (values.length === 0) this.#fields.delete(name);
    else this.#fields.set(name, values);
    return this;
  }

  append(name: HeaderName, value: string): this {
    refuseLineBreaks(name, value);
    const lines = this.#fields.get(name);
    if (lines) lines.push(value);
    else this.#fields.set(name, [value]);
    return this;
  }

  /** A new first line, as Via wants it. */
  prepend(name: HeaderName, value: string): this {
    return this.set(name, value, ...(this.#fields.get(name) ?? []));
  }

  delete(name: HeaderName): this {
    this.#fields.delete(name);
    return this;
  }

  *lines(): Generator<[name: string, value: string]> {
    for (const [name, values] of this.#fields) for (const value of values) yield [name, value];
  }

  /** All lines as they go over the wire, but for the Content-Length, which the body decides. */
  toString(): string {
    let text = '';
    for (const [name, values] of this.#fields) {
      if (name !== 'content-length') for (const value of values) text += `${spell(name)}: ${value}\r\n`;
    }
    return text;
  }
}

/** Lower case, long form. */
export type HeaderName = Lowercase<string>;

// Whatever else a value holds, it cannot begin another header line.
function refuseLineBreaks(name: string, value: string): void {
  if (/[\r\n\0]/.test(value)) throw new Error(`The value of the SIP header ${name} must be one line`);
}

const compactForms: Record<string, HeaderName> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
};

// The same few names come and go with every message; others may send any name.
const mostNames = 500;
const names = new Map<string, HeaderName | undefined>();
const spellings = new Map<string, string>();

function remember<T>(known: Map<string, T>, name: string, value: T): T {
  if (known.size < mostNames) known.set(name, value);
  return value;
}

/** Undefined: a header cannot be called so. */
export function toHeaderName(written: string): HeaderName | undefined {
  if (names.has(written)) return names.get(written);
  const name = written.toLowerCase();
  const isName = /^[a-z0-9\-.!%*_+`'~]+$/.test(name);
  return remember(names, written, isName ? (compactForms[name] ?? (name as HeaderName)) : undefined);
}

// Only these may be joined by commas; others, such as Date or Authorization, hold commas of their own.
const listHeaders = new Set<HeaderName>([
  'accept',
  'accept-encoding',
  'accept-language',
  'allow',
  'allow-events',
  'contact',
  'in-reply-to',
  'path',
  'proxy-require',
  'reason',
  'record-route',
  'require',
  'route',
  'service-route',
  'supported',
  'unsupported',
  'via',
  'p-asserted-identity',
]);

const ordinarySpelling: Record<string, string> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'www-authenticate': 'WWW-Authenticate',
  'mime-version': 'MIME-Version',
  rack: 'RAck',
  rseq: 'RSeq',
  'min-se': 'Min-SE',
};

/** The name as most implementations write it. */
function spell(name: string): string {
  return spellings.get(name) ?? remember(spellings, name, capitalize(name));
}

function capitalize(name: string): string {
  return ordinarySpelling[name] ?? name.replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase());
}

/** Splits at commas outside of quotes and angle brackets. */
export function splitList(line: string, separator = ','): string[] {
  if (!line.includes(separator)) return line.trim() ? [line.trim()] : [];
  if (!line.includes('"') && !line.includes('<')) return trimmed(line.split(separator));
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  let depth = 0;
  for (let i = 0; i < line.length; i++) {
    const character = line[i];
    if (quoted) {
      if (character === '\\') i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '<') depth++;
    else if (character === '>') depth = Math.max(0, depth - 1);
    else if (character === separator && depth === 0) {
      parts.push(line.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(line.slice(start));
  return trimmed(parts);
}

function trimmed(parts: string[]): string[] {
  return parts.map((part) => part.trim()).filter(Boolean);
}

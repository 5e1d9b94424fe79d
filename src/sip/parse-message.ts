import { isToken, parseCSeq, parseNameAddress, parseNumber, parseVia } from './header-values.ts';
import { Headers, toHeaderName } from './headers.ts';
import { noBody, type SipMessage, type SipRequest } from './message.ts';

/**
 * What came over the wire: a message, or what is wrong with it. A faulty request whose sender can
 * still be answered carries what was understood of it.
 */
export type Parsed =
  | { kind: 'message'; message: SipMessage }
  | { kind: 'faulty'; status: 400 | 505 | 416; fault: string; request?: SipRequest };

type StartLine =
  | { kind: 'request'; method: string; uri: string }
  | { kind: 'response'; status: number; reason: string };

/** A whole message: one datagram, or what a stream's framing cut out. */
export function parseMessage(data: Buffer): Parsed {
  const head = headOf(data);
  if (!head) return faulty('there is no empty line behind the headers');
  const [startLine = '', ...headerLines] = unfold(head.text);
  const start = parseStartLine(startLine);
  if (!start) return faulty('the start line is not SIP');
  const headers = new Headers();
  const faults: string[] = [];
  for (const line of headerLines) readHeaderLine(line, headers, faults);
  const body = readBody(data.subarray(head.end), headers, faults);
  const message: SipMessage =
    start.kind === 'request' ? { ...start, uri: start.uri, headers, body } : { ...start, headers, body };
  const versionFault = /SIP\/(?!2\.0(?:\s|$))\S*/i.exec(startLine);
  if (versionFault) return faultyRequest(message, 505, 'the version is not SIP/2.0');
  faults.push(...startFaults(start), ...headerFaults(message));
  return faults[0] === undefined ? { kind: 'message', message } : faultyRequest(message, 400, faults.join('; '));
}

function faulty(fault: string): Parsed {
  return { kind: 'faulty', status: 400, fault };
}

function faultyRequest(message: SipMessage, status: 400 | 505, fault: string): Parsed {
  const answerable =
    message.kind === 'request' &&
    message.method !== 'ACK' &&
    (['via', 'from', 'to', 'call-id', 'cseq'] as const).every((name) => message.headers.has(name)) &&
    parseVia(message.headers.all('via')[0] ?? '') !== undefined;
  return { kind: 'faulty', status, fault, ...(answerable && { request: message }) };
}

const doubleLineBreak = /\r?\n\r?\n/;

function headOf(data: Buffer): { text: string; end: number } | undefined {
  let end = data.indexOf('\r\n\r\n');
  let length = 4;
  if (end === -1) {
    const found = doubleLineBreak.exec(data.toString('latin1'));
    if (!found) return undefined;
    end = found.index;
    length = found[0].length;
  }
  return { text: data.toString('utf8', 0, end), end: end + length };
}

/** RFC 3261 §7.3.1: a line that begins with white space goes on with the one before. */
function unfold(head: string): string[] {
  const text = /^[\r\n]/.test(head) ? head.replace(/^(?:\r?\n)+/, '') : head;
  const unfolded = /\n[ \t]/.test(text) ? text.replace(/[ \t]*\r?\n[ \t]+/g, ' ') : text;
  return unfolded.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function parseStartLine(line: string): StartLine | undefined {
  const [, status, reason = ''] = /^SIP\/\d+\.\d+ (\d+)(?: (.*))?$/i.exec(line) ?? [];
  if (status !== undefined) return { kind: 'response', status: Number(status), reason };
  const [, method, uri] = /^(\S+)\s+(.*\S)\s+SIP\/\d+\.\d+\s*$/i.exec(line) ?? [];
  return method === undefined || uri === undefined ? undefined : { kind: 'request', method, uri };
}

function startFaults(start: StartLine): string[] {
  if (start.kind === 'response')
    return start.status >= 100 && start.status <= 699 ? [] : ['the status code is out of range'];
  const faults: string[] = [];
  if (!isToken(start.method)) faults.push('the method is not a token');
  if (/[\s<>"]/.test(start.uri)) faults.push('the Request-URI is not one URI');
  return faults;
}

function readHeaderLine(line: string, headers: Headers, faults: string[]): void {
  const colon = line.indexOf(':');
  const name = colon < 1 ? undefined : toHeaderName(line.slice(0, colon).trimEnd());
  if (name === undefined) {
    faults.push('a header line has no name');
    return;
  }
  const value = line.slice(colon + 1).trim();
  if (value.includes('\0') || value.includes('\r'))
    faults.push(`the header ${name.slice(0, 40)} holds control characters`);
  else headers.append(name, value);
}

function readBody(rest: Buffer, headers: Headers, faults: string[]): Buffer {
  if (!headers.has('content-length')) return rest;
  const [length, ...others] = headers.all('content-length').map(parseNumber);
  if (length === undefined || others.some((other) => other !== length)) {
    faults.push('the Content-Length is not one number');
    return noBody;
  }
  if (length > rest.length) {
    faults.push('the body is shorter than its Content-Length');
    return noBody;
  }
  return rest.subarray(0, length);
}

const single = ['from', 'to', 'call-id', 'cseq', 'max-forwards', 'content-length', 'content-type', 'expires'] as const;

/** What the layers above rely on without looking again. */
function headerFaults(message: SipMessage): string[] {
  const { headers } = message;
  const faults: string[] = [];
  for (const name of ['via', 'from', 'to', 'call-id', 'cseq'] as const) {
    if (!headers.has(name)) faults.push(`there is no ${name}`);
  }
  for (const name of single) if (headers.count(name) > 1) faults.push(`there are several ${name}`);
  if (faults.length > 0) return faults;
  if (!headers.all('via').every((via) => parseVia(via))) faults.push('a Via is not proper');
  for (const name of ['from', 'to'] as const) {
    if (!parseNameAddress(headers.get(name) ?? '')) faults.push(`the ${name} is not proper`);
  }
  for (const contact of headers.all('contact')) {
    if (contact !== '*' && !parseNameAddress(contact)) faults.push('a Contact is not proper');
  }
  const cseq = parseCSeq(headers.get('cseq') ?? '');
  if (!cseq) faults.push('the CSeq is not proper');
  else if (message.kind === 'request' && cseq.method !== message.method) faults.push('the CSeq names another method');
  if (/\s/.test(headers.get('call-id') ?? ' ')) faults.push('the Call-ID is not one word');
  const maxForwards = headers.get('max-forwards');
  if (maxForwards !== undefined && (parseNumber(maxForwards) ?? 256) > 255)
    faults.push('the Max-Forwards is not proper');
  const expires = headers.get('expires');
  if (expires !== undefined && (parseNumber(expires) ?? 2 ** 32) >= 2 ** 32) faults.push('the Expires is not proper');
  return faults;
}

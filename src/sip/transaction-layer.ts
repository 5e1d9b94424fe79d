import { randomUUID } from 'node:crypto';
import { ClientTransaction, clientTransactionKey } from './client-transaction.ts';
import { type Via, writeVia } from './header-values.ts';
import { cseqOf, newRequest, newResponse, type SipRequest, type SipResponse, topVia, writeMessage } from './message.ts';
import { parseMessage } from './parse-message.ts';
import { ServerTransaction, serverTransactionKey } from './server-transaction.ts';
import { standardTimers, type TimerValues } from './timers.ts';
import { type Address, type Protocol, Transport, type TransportOptions } from './transport.ts';

export type TransactionLayerOptions = Omit<TransportOptions, 'onData'> & {
  timers?: TimerValues;
  /** The host that our Via names; without it the one that we listen at. */
  sentBy?: string;
  /** The topmost Via of a response, our own with what the peer added, and who sent it. */
  onVia?: (via: Via, from: Address) => void;
  /** A new request; it is answered through its transaction. */
  onRequest: (transaction: ServerTransaction, from: Address) => void;
  /** The ACK of a 2xx, which has no transaction (RFC 3261 §17). */
  onAck: (ack: SipRequest) => void;
  onError?: (error: unknown) => void;
  /** The caller of an INVITE gives up; the CANCEL itself is answered already. */
  onCancel: (invite: ServerTransaction) => void;
};

export type RequestHandlers = {
  onResponse: (response: SipResponse) => void;
  onFailure: (failure: 'timeout' | 'unreachable') => void;
  /** Whom a TLS certificate must name. */
  serverName?: string;
};

/** Matches what arrives to the transactions under way, and repeats what gets lost (RFC 3261 §17, §18). */
export class TransactionLayer {
  readonly #options: TransactionLayerOptions;
  readonly #timers: TimerValues;
  readonly #transport: Transport;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();

  constructor(options: TransactionLayerOptions) {
    this.#options = options;
    this.#timers = options.timers ?? standardTimers;
    this.#transport = new Transport({ ...options, onData: (data, from, answer) => this.#receive(data, from, answer) });
  }

  listen(): Promise<void> {
    return this.#transport.listen();
  }

  localPort(protocol: Protocol): number {
    return this.#transport.localPort(protocol);
  }

  portTowards(peer: Address): number {
    return this.#transport.portTowards(peer);
  }

  connect(to: Address, serverName: string): Promise<void> {
    return this.#transport.connect(to, serverName);
  }

  /** How many transactions are under way. */
  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** Sends a request in a transaction of its own; the Via is ours to add. */
  request(request: SipRequest, to: Address, handlers: RequestHandlers): ClientTransaction {
    request.headers.set('via', this.#newVia(to.protocol));
    return this.#start(request, to, handlers);
  }

  #start(request: SipRequest, to: Address, handlers: RequestHandlers): ClientTransaction {
    const key = clientTransactionKey(request);
    const transaction = new ClientTransaction({
      request,
      reliable: to.protocol !== 'udp',
      timers: this.#timers,
      send: (message) => this.#transport.send(writeMessage(message), to, handlers.serverName),
      onResponse: handlers.onResponse,
      onFailure: handlers.onFailure,
      onTerminated: () => this.#clients.delete(key),
    });
    this.#clients.set(key, transaction);
    transaction.start();
    return transaction;
  }

  /** RFC 3261 §9.1: a CANCEL goes the way of its INVITE, with the same branch. */
  cancel(invite: ClientTransaction, to: Address, handlers: RequestHandlers): void {
    const { headers, uri } = invite.request;
    const cancel = newRequest('CANCEL', uri);
    cancel.headers.set('via', headers.all('via')[0] ?? '').set('max-forwards', '70');
    for (const name of ['route', 'from', 'to', 'call-id'] as const) cancel.headers.set(name, ...headers.all(name));
    cancel.headers.set('cseq', `${cseqOf(invite.request).number} CANCEL`);
    this.#start(cancel, to, handlers);
  }

  /** An ACK of a 2xx goes out once for each 2xx that comes in, outside of any transaction. */
  async sendAck(ack: SipRequest, to: Address, serverName?: string): Promise<void> {
    ack.headers.set('via', this.#newVia(to.protocol));
    await this.#transport.send(writeMessage(ack), to, serverName);
  }

  ping(to: Address): void {
    this.#transport.ping(to);
  }

  async close(): Promise<void> {
    for (const transaction of [...this.#clients.values(), ...this.#servers.values()]) transaction.terminate();
    await this.#transport.close();
  }

  // RFC 3581: rport asks for the answer to come to where the request came from.
  #newVia(protocol: Protocol): string {
    const host = bracketed(this.#options.sentBy ?? this.#transport.host);
    const sentBy = `${host}:${this.localPort(protocol)}`;
    return `SIP/2.0/${protocol.toUpperCase()} ${sentBy};rport;branch=z9hG4bK${randomUUID()}`;
  }

  #receive(data: Buffer, from: Address, answer: (data: Buffer) => void): void {
    try {
      this.#read(data, from, answer);
    } catch (error) {
      if (!this.#options.onError) throw error;
      this.#options.onError(error);
    }
  }

  #read(data: Buffer, from: Address, answer: (data: Buffer) => void): void {
    const parsed = parseMessage(data);
    if (parsed.kind === 'faulty') {
      if (parsed.request) answer(writeMessage(newResponse(parsed.request, parsed.status, 'Bad Request')));
      return;
    }
    const { message } = parsed;
    if (message.kind === 'response') this.#receiveResponse(message, from);
    else this.#receiveRequest(message, from, answer);
  }

  #receiveResponse(response: SipResponse, from: Address): void {
    const client = this.#clients.get(clientTransactionKey(response));
    if (!client) return;
    this.#options.onVia?.(topVia(response), from);
    client.receive(response);
  }

  #receiveRequest(request: SipRequest, from: Address, answer: (data: Buffer) => void): void {
    noteSource(request, from);
    const key = serverTransactionKey(request);
    const known = this.#servers.get(key);
    if (request.method === 'ACK') {
      if (known?.state === 'completed' || known?.state === 'confirmed') known.receiveAck();
      else this.#options.onAck(request);
      return;
    }
    if (known) {
      known.receiveRepeated();
      return;
    }
    const transaction = this.#serve(request, key, from, answer);
    if (request.method === 'CANCEL') this.#receiveCancel(transaction, key);
    else this.#options.onRequest(transaction, from);
  }

  #serve(request: SipRequest, key: string, from: Address, answer: (data: Buffer) => void): ServerTransaction {
    const send = this.#wayBack(request, from, answer);
    const transaction = new ServerTransaction({
      request,
      reliable: from.protocol !== 'udp',
      timers: this.#timers,
      send: (response) => send(writeMessage(response)),
      onTerminated: () => this.#servers.delete(key),
    });
    this.#servers.set(key, transaction);
    return transaction;
  }

  /** RFC 3261 §18.2.2, RFC 3581 §4: back to the source, at the port of the Via unless rport was asked for. */
  #wayBack(request: SipRequest, from: Address, answer: (data: Buffer) => void): (data: Buffer) => void {
    const via = topVia(request);
    if (from.protocol !== 'udp' || via.parameters.has('rport')) return answer;
    const to: Address = { ...from, port: via.port ?? 5060 };
    return (data) => void this.#transport.send(data, to).catch(() => {});
  }

  #receiveCancel(cancel: ServerTransaction, key: string): void {
    const invite = this.#servers.get(key.replace(/ CANCEL$/, ' INVITE'));
    if (!invite) return cancel.respondAndForget(newResponse(cancel.request, 481, 'Call/Transaction Does Not Exist'));
    cancel.respond(newResponse(cancel.request, 200, 'OK'));
    if (invite.state === 'proceeding') this.#options.onCancel(invite);
  }
}

/** RFC 3261 §18.2.1: where a request really came from is written into its Via. */
function noteSource(request: SipRequest, from: Address): void {
  const [first = '', ...others] = request.headers.all('via');
  const via = topVia(request);
  const asked = via.parameters.has('rport');
  if (via.host === bracketed(from.host) && !asked) {
    request.headers.set('via', first, ...others);
    return;
  }
  const parameters = new Map([...via.parameters, ['received', from.host]]);
  if (asked) parameters.set('rport', String(from.port));
  request.headers.set('via', writeVia({ ...via, parameters }), ...others);
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

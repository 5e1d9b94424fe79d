import { type Dialog, dialogKeyOf } from './dialog.ts';
import { type Credentials, DigestAuthentication } from './digest.ts';
import { newResponse, type SipRequest, type SipResponse } from './message.ts';
import { type CallingPhone, OutgoingCall, type OutgoingCallOptions } from './outgoing-call.ts';
import type { InDialog } from './phone.ts';
import { type Resolver, resolveTargets, systemResolver, type Target } from './resolve.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { standardTimers, type TimerValues } from './timers.ts';
import { TransactionLayer } from './transaction-layer.ts';
import type { Protocol, TransportOptions } from './transport.ts';
import { parseSipUri } from './uri.ts';

export type UserAgentOptions = Omit<TransportOptions, 'onData'> & {
  credentials?: Credentials;
  timers?: TimerValues;
  resolver?: Resolver;
  /** What the User-Agent header says. */
  product?: string;
};

const extensions = ['100rel', 'timer'];

/** A SIP telephone that calls out (RFC 3261 and friends). */
export class UserAgent implements CallingPhone {
  readonly allow = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, NOTIFY';
  readonly supported = extensions.join(', ');
  readonly sessionExpires = '1800';
  readonly timers: TimerValues;
  readonly authentication: DigestAuthentication | undefined;
  readonly #options: UserAgentOptions;
  readonly #layer: TransactionLayer;
  readonly #dialogs = new Map<string, InDialog>();

  constructor(options: UserAgentOptions) {
    this.#options = options;
    this.timers = options.timers ?? standardTimers;
    this.authentication = options.credentials && new DigestAuthentication(options.credentials);
    this.#layer = new TransactionLayer({
      ...options,
      onRequest: (transaction) => this.#serve(transaction),
      onAck: (ack) => this.#dialogs.get(dialogKeyOf(ack))?.onAck(ack),
      onCancel: (invite) => invite.respond(this.response(invite.request, 487, 'Request Terminated')),
    });
  }

  listen(): Promise<void> {
    return this.#layer.listen();
  }

  /** Calls a SIP URI; how it goes is told through the options' handlers and the call's `ended`. */
  invite(target: string, options: OutgoingCallOptions): OutgoingCall {
    const call = new OutgoingCall(this, this.#layer, target, options);
    call.start();
    return call;
  }

  /** What is under way: all zero once the last call has ended and its transactions have run out. */
  get counts(): { dialogs: number; transactions: number } {
    return { dialogs: this.#dialogs.size, transactions: this.#layer.size };
  }

  async close(): Promise<void> {
    await this.#layer.close();
  }

  async resolve(uri: string): Promise<Target[]> {
    const parsed = parseSipUri(uri);
    return parsed ? resolveTargets(parsed, this.#options.resolver ?? systemResolver) : [];
  }

  /** Our Contact, as the peer reaches us over the given protocol. */
  contact(protocol: Protocol): string {
    const host = this.#options.host.includes(':') ? `[${this.#options.host}]` : this.#options.host;
    const transport = protocol === 'udp' ? '' : `;transport=${protocol}`;
    return `<sip:parley@${host}:${this.#layer.localPort(protocol)}${transport}>`;
  }

  contactOf(dialog: Dialog): string {
    const named = parseSipUri(dialog.nextHop)?.parameters.get('transport')?.toLowerCase();
    return this.contact(named === 'tcp' || named === 'tls' ? named : 'udp');
  }

  /** Adds what every request of ours carries. */
  dress(request: SipRequest): SipRequest {
    request.headers.set('user-agent', this.#options.product ?? 'Parley');
    this.authentication?.sign(request);
    return request;
  }

  response(request: SipRequest, status: number, reason: string): SipResponse {
    const response = newResponse(request, status, reason);
    response.headers.set('server', this.#options.product ?? 'Parley');
    return response;
  }

  capabilities(request: SipRequest): SipResponse {
    const response = this.response(request, 200, 'OK');
    response.headers.set('allow', this.allow).set('supported', this.supported).set('accept', 'application/sdp');
    return response;
  }

  notAllowed(request: SipRequest): SipResponse {
    const response = this.response(request, 405, 'Method Not Allowed');
    response.headers.set('allow', this.allow);
    return response;
  }

  addDialog(key: string, handlers: InDialog): void {
    this.#dialogs.set(key, handlers);
  }

  removeDialog(key: string): void {
    this.#dialogs.delete(key);
  }

  sendInDialog(
    request: SipRequest,
    dialog: Dialog,
    onFinal: (response: SipResponse | 'timeout' | 'unreachable') => void,
  ): void {
    this.resolve(dialog.nextHop).then(([to]) => {
      if (!to) return onFinal('unreachable');
      this.#layer.request(this.dress(request), to, {
        serverName: to.serverName,
        onResponse: (response) => {
          if (response.status < 200) return;
          const challenged = response.status === 401 || response.status === 407;
          if (challenged && this.authentication?.learn(response, request)) {
            this.sendInDialog(repeat(request, dialog), dialog, onFinal);
          } else onFinal(response);
        },
        onFailure: onFinal,
      });
    });
  }

  acknowledge(dialog: Dialog, cseq: number): void {
    const ack = this.dress(dialog.newRequest('ACK', cseq));
    // A lost ACK is asked for again by the repeated 2xx.
    this.resolve(dialog.nextHop).then(([to]) => to && this.#layer.sendAck(ack, to, to.serverName).catch(() => {}));
  }

  #serve(transaction: ServerTransaction): void {
    const { request } = transaction;
    const refuse = (status: number, reason: string) => transaction.respond(this.response(request, status, reason));
    const unsupported = request.headers.all('require').filter((tag) => !extensions.includes(tag.toLowerCase()));
    if (unsupported.length > 0) {
      const response = this.response(request, 420, 'Bad Extension');
      response.headers.set('unsupported', unsupported.join(', '));
      return transaction.respond(response);
    }
    const dialog = this.#dialogs.get(dialogKeyOf(request));
    if (dialog) return dialog.onRequest(transaction);
    const isInDialog = dialogKeyOf(request).split(' ')[1] !== '';
    if (isInDialog) return refuse(481, 'Call/Transaction Does Not Exist');
    if (request.method === 'OPTIONS') return transaction.respond(this.capabilities(request));
    if (request.method === 'INVITE') return refuse(480, 'Temporarily Unavailable');
    return transaction.respond(this.notAllowed(request));
  }
}

/** The same request with the next number, as an answer to a challenge wants it. */
function repeat(request: SipRequest, dialog: Dialog): SipRequest {
  const again = dialog.newRequest(request.method);
  for (const [name, value] of request.headers.lines()) {
    if (!again.headers.has(name as Lowercase<string>) && name !== 'via')
      again.headers.append(name as Lowercase<string>, value);
  }
  again.body = request.body;
  return again;
}

import { ask, type Question } from './ask.ts';
import { type Dialog, dialogKeyOf, newTag } from './dialog.ts';
import { type Credentials, DigestAuthentication } from './digest.ts';
import type { Via } from './header-values.ts';
import { type IncomingCall, takeCall } from './incoming-call.ts';
import { KeepAlive } from './keep-alive.ts';
import { newResponse, type SipRequest, type SipResponse, toOf } from './message.ts';
import { type CallingPhone, OutgoingCall, type OutgoingCallOptions } from './outgoing-call.ts';
import type { InDialog } from './phone.ts';
import { isUnspecified, seenAs } from './public-address.ts';
import { Registration, type RegistrationOptions } from './registration.ts';
import { addressedTarget, type Resolver, resolveTargets, systemResolver, type Target } from './resolve.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { standardTimers, type TimerValues } from './timers.ts';
import { TransactionLayer } from './transaction-layer.ts';
import type { Address, Protocol, TransportOptions } from './transport.ts';
import { parseSipUri, type SipUri, writeSipUri } from './uri.ts';

export type UserAgentOptions = Omit<TransportOptions, 'onData'> & {
  credentials?: Credentials;
  timers?: TimerValues;
  resolver?: Resolver;
  /** What the User-Agent header says. */
  product?: string;
  /** The name or address under which others reach us, when it is not the one that we listen at. */
  publicHost?: string;
  /** A SIP URI: every request outside of a dialog goes there first. */
  outboundProxy?: string;
  /** How often the ways that calls and registrations depend on are kept open. */
  keepAliveMs?: number;
  /** A fault of ours in what came of one message; without it, it is thrown. */
  onError?: (error: unknown) => void;
  /** Somebody calls us. Absent: nobody can (480). */
  onInvite?: (call: IncomingCall) => void;
  /** RFC 4028: the session timer that we ask for, and the shortest that we take. */
  sessionS?: number;
  minSessionS?: number;
};

const extensions = ['100rel', 'timer'];

const defaultKeepAliveMs = 25_000;

type OpenDialog = { handlers: InDialog; release: (() => void) | undefined };

/** A SIP telephone (RFC 3261 and friends). */
export class UserAgent implements CallingPhone {
  readonly allow = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, NOTIFY';
  readonly supported = extensions.join(', ');
  readonly sessionS: number;
  readonly minSessionS: number;
  readonly timers: TimerValues;
  readonly authentication: DigestAuthentication | undefined;
  readonly #options: UserAgentOptions;
  readonly #layer: TransactionLayer;
  /** RFC 3261 §8.1.2: the outbound proxy as a preloaded route. */
  readonly routes: string[];
  readonly #proxy: SipUri | undefined;
  readonly #keepAlive: KeepAlive;
  /** By the host of the peer: how it sees us. */
  readonly #seenAs = new Map<string, { host: string; port: number | undefined }>();
  readonly #dialogs = new Map<string, OpenDialog>();
  readonly #registrations = new Set<Registration>();
  readonly #calls = new Set<OutgoingCall | IncomingCall>();
  readonly #incoming = new Map<ServerTransaction, IncomingCall>();

  constructor(options: UserAgentOptions) {
    this.#options = options;
    this.timers = options.timers ?? standardTimers;
    this.sessionS = options.sessionS ?? 1800;
    this.minSessionS = options.minSessionS ?? 90;
    this.authentication = options.credentials && new DigestAuthentication(options.credentials);
    this.#proxy = proxyOf(options.outboundProxy);
    this.routes = this.#proxy ? [`<${writeSipUri(this.#proxy)}>`] : [];
    this.#keepAlive = new KeepAlive(options.keepAliveMs ?? defaultKeepAliveMs, (to) => this.#layer.ping(to));
    this.#layer = new TransactionLayer({
      ...options,
      ...(options.publicHost !== undefined && { sentBy: options.publicHost }),
      onVia: (via, from) => this.#learn(via, from),
      onRequest: (transaction) => this.#serve(transaction),
      onAck: (ack) => this.#dialogs.get(dialogKeyOf(ack))?.handlers.onAck(ack),
      onCancel: (invite) => this.#incoming.get(invite)?.cancel(),
    });
  }

  async listen(): Promise<void> {
    const { host, publicHost } = this.#options;
    if (isUnspecified(host) && publicHost === undefined)
      throw new Error(`To listen at ${host}, publicHost must name the address that others are to answer to`);
    await this.#layer.listen();
  }

  /** Where we are reached with a protocol. */
  localPort(protocol: Protocol): number {
    return this.#layer.localPort(protocol);
  }

  /** Calls a SIP URI; how it goes is told through the options' handlers and the call's `ended`. */
  invite(target: string, options: OutgoingCallOptions): OutgoingCall {
    const call = new OutgoingCall(this, this.#layer, target, options);
    this.#keep(call);
    call.start();
    return call;
  }

  /** Lets calls come to us through a registrar. */
  register(registrar: string, options: RegistrationOptions): Registration {
    const registration = new Registration(this, this.#layer, registrar, options);
    this.#registrations.add(registration);
    registration.ended.then(() => this.#registrations.delete(registration));
    registration.start();
    return registration;
  }

  /** Puts a question to one of the places that `wayTo` names. */
  ask(question: Question, target: Target): ReturnType<typeof ask> {
    return ask(this, this.#layer, question, target);
  }

  /** What is under way: all zero once the last call has ended and its transactions have run out. */
  get counts(): { calls: number; dialogs: number; transactions: number } {
    return { calls: this.#calls.size, dialogs: this.#dialogs.size, transactions: this.#layer.size };
  }

  /** Calls that still stand end at once; hang them up before, to let the other side know. */
  async close(): Promise<void> {
    for (const call of this.#calls) call.abandon('The telephone was closed.');
    for (const registration of this.#registrations) registration.abandon();
    this.#keepAlive.close();
    await this.#layer.close();
  }

  async wayTo(uri: string): Promise<Target[]> {
    const first = this.#proxy ?? parseSipUri(uri);
    return first ? resolveTargets(first, this.#options.resolver ?? systemResolver) : [];
  }

  /** Our Contact, as the peer at an address reaches us. */
  contact(peer: Address): string {
    const { protocol } = peer;
    const { host: own, publicHost } = this.#options;
    const seen = this.#seenAs.get(peer.host);
    const host = publicHost ?? seen?.host ?? own;
    const port = (protocol === 'udp' && publicHost === undefined && seen?.port) || this.#layer.portTowards(peer);
    const transport = protocol === 'udp' ? '' : `;transport=${protocol}`;
    return `<sip:parley@${host.includes(':') ? `[${host}]` : host}:${port}${transport}>`;
  }

  reach(to: Target): Promise<void> | undefined {
    // Whoever sends there hears when it fails.
    return to.protocol === 'udp' ? undefined : this.#layer.connect(to, to.serverName).catch(() => {});
  }

  contactOf(dialog: Dialog): string {
    if (dialog.way) return this.contact(dialog.way);
    const named = parseSipUri(dialog.nextHop)?.parameters.get('transport')?.toLowerCase();
    return this.contact({ protocol: named === 'tcp' || named === 'tls' ? named : 'udp', host: '', port: 0 });
  }

  keepOpen(to: Address): () => void {
    return this.#keepAlive.hold(to);
  }

  #learn(via: Via, from: Address): void {
    const seen = seenAs(via, this.#options.host);
    if (seen) this.#seenAs.set(from.host, seen);
  }

  /** Adds what every request of ours carries. */
  dress(request: SipRequest): SipRequest {
    request.headers.set('user-agent', this.#options.product ?? 'Parley');
    this.authentication?.sign(request);
    return request;
  }

  response(request: SipRequest, status: number, reason: string, tag?: string): SipResponse {
    const response = newResponse(request, status, reason);
    // RFC 3261 §8.2.6.2: every response but 100 names its side of the dialog.
    if (!toOf(request).parameters.has('tag'))
      response.headers.set('to', `${request.headers.get('to')};tag=${tag ?? newTag()}`);
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

  tooBrief(request: SipRequest): SipResponse {
    const response = this.response(request, 422, 'Session Interval Too Small');
    response.headers.set('min-se', String(this.minSessionS));
    return response;
  }

  addDialog(dialog: Dialog, handlers: InDialog): void {
    const known = this.#dialogs.get(dialog.key);
    const open: OpenDialog = { handlers, release: known?.release };
    this.#dialogs.set(dialog.key, open);
    if (known) return;
    this.#reach(dialog, (to) => {
      const current = this.#dialogs.get(dialog.key);
      if (to && current) current.release = this.keepOpen(to);
    });
  }

  removeDialog(dialog: Dialog): void {
    this.#dialogs.get(dialog.key)?.release?.();
    this.#dialogs.delete(dialog.key);
  }

  sendInDialog(
    request: SipRequest,
    dialog: Dialog,
    onFinal: (response: SipResponse | 'timeout' | 'unreachable') => void,
  ): void {
    this.#reach(dialog, (to) => {
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
        onFailure: (failure) => {
          dialog.way = undefined;
          onFinal(failure);
        },
      });
    });
  }

  acknowledge(dialog: Dialog, cseq: number): void {
    const ack = this.dress(dialog.newRequest('ACK', cseq));
    // A lost ACK is asked for again by the repeated 2xx.
    this.#reach(dialog, (to) => to && this.#layer.sendAck(ack, to, to.serverName).catch(() => {}));
  }

  /** An IP address is reached at once, so that requests of a dialog leave in their order. */
  #reach(dialog: Dialog, go: (to: Target | undefined) => void): void {
    if (dialog.way) return go(dialog.way);
    const uri = parseSipUri(dialog.nextHop);
    dialog.way = uri && addressedTarget(uri);
    if (dialog.way || !uri) return go(dialog.way);
    const found = resolveTargets(uri, this.#options.resolver ?? systemResolver).catch(() => []);
    found.then(([first]) => {
      dialog.way = first;
      go(first);
    });
  }

  #keep(call: OutgoingCall | IncomingCall): void {
    this.#calls.add(call);
    call.ended.then(() => this.#calls.delete(call));
  }

  #serve(transaction: ServerTransaction): void {
    const { request } = transaction;
    const dialog = this.#dialogs.get(dialogKeyOf(request));
    const answer = (response: SipResponse) =>
      dialog ? transaction.respond(response) : transaction.respondAndForget(response);
    const unsupported = request.headers.all('require').filter((tag) => !extensions.includes(tag.toLowerCase()));
    if (unsupported.length > 0) {
      const response = this.response(request, 420, 'Bad Extension');
      response.headers.set('unsupported', unsupported.join(', '));
      return answer(response);
    }
    if (dialog) return dialog.handlers.onRequest(transaction);
    const isInDialog = dialogKeyOf(request).split(' ')[1] !== '';
    if (isInDialog) return answer(this.response(request, 481, 'Call/Transaction Does Not Exist'));
    if (request.method === 'OPTIONS') return answer(this.capabilities(request));
    if (request.method !== 'INVITE') return answer(this.notAllowed(request));
    if (!this.#options.onInvite) return answer(this.response(request, 480, 'Temporarily Unavailable'));
    const call = takeCall(this, transaction);
    return call && this.#receive(call, transaction);
  }

  #receive(call: IncomingCall, invite: ServerTransaction): void {
    this.#keep(call);
    this.#incoming.set(invite, call);
    call.ended.then(() => this.#incoming.delete(invite));
    this.#options.onInvite?.(call);
  }
}

function proxyOf(uri: string | undefined): SipUri | undefined {
  if (uri === undefined) return undefined;
  const parsed = parseSipUri(uri);
  if (!parsed) throw new Error(`The outbound proxy is not a SIP URI: ${uri}`);
  return { ...parsed, parameters: new Map([...parsed.parameters, ['lr', '']]) };
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

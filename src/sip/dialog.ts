import { randomUUID } from 'node:crypto';
import { type NameAddress, parseNameAddress, writeNameAddress } from './header-values.ts';
import { callIdOf, cseqOf, fromOf, newRequest, type SipRequest, type SipResponse, toOf } from './message.ts';
import type { Target } from './resolve.ts';
import { parseSipUri, writeSipUri } from './uri.ts';

export function newTag(): string {
  return randomUUID();
}

export function newCallId(): string {
  return randomUUID();
}

type DialogState = {
  callId: string;
  local: NameAddress;
  remote: NameAddress;
  /** Where the peer's own requests arrive: its Contact. */
  remoteTarget: string;
  /** The proxies that asked to stay on the way, nearest first. */
  routeSet: readonly string[];
  localCSeq: number;
  remoteCSeq: number | undefined;
};

/** What two sides know of each other during a call (RFC 3261 §12). */
export class Dialog {
  readonly callId: string;
  /** Where its next hop was found, as long as that holds. */
  way: Target | undefined;
  readonly #local: NameAddress;
  readonly #remote: NameAddress;
  readonly #routeSet: readonly string[];
  #remoteTarget: string;
  #localCSeq: number;
  #remoteCSeq: number | undefined;

  private constructor(state: DialogState) {
    this.callId = state.callId;
    this.#local = state.local;
    this.#remote = state.remote;
    this.#remoteTarget = state.remoteTarget;
    this.#routeSet = state.routeSet;
    this.#localCSeq = state.localCSeq;
    this.#remoteCSeq = state.remoteCSeq;
  }

  /** The dialog that a response to our INVITE opened; undefined without a To tag or a Contact. */
  static ofCaller(request: SipRequest, response: SipResponse): Dialog | undefined {
    const contact = parseNameAddress(response.headers.all('contact')[0] ?? '');
    const remote = toOf(response);
    if (!contact || !remote.parameters.has('tag')) return undefined;
    return new Dialog({
      callId: callIdOf(request),
      local: fromOf(request),
      remote,
      remoteTarget: contact.uri,
      routeSet: response.headers.all('record-route').toReversed(),
      localCSeq: cseqOf(request).number,
      remoteCSeq: undefined,
    });
  }

  /** The dialog that we open by answering an INVITE with the given tag. */
  static ofCallee(request: SipRequest, localTag: string): Dialog | undefined {
    const contact = parseNameAddress(request.headers.all('contact')[0] ?? '');
    if (!contact) return undefined;
    const to = toOf(request);
    const local = { ...to, parameters: new Map([...to.parameters, ['tag', localTag]]) };
    return new Dialog({
      callId: callIdOf(request),
      local,
      remote: fromOf(request),
      remoteTarget: contact.uri,
      routeSet: request.headers.all('record-route'),
      localCSeq: 0,
      remoteCSeq: cseqOf(request).number,
    });
  }

  get localTag(): string {
    return this.#local.parameters.get('tag') ?? '';
  }

  get remoteTag(): string {
    return this.#remote.parameters.get('tag') ?? '';
  }

  /** One key for each dialog, as seen from our side. */
  get key(): string {
    return dialogKey(this.callId, this.localTag, this.remoteTag);
  }

  /** The URI that requests of this dialog are sent to: the first proxy, else the peer. */
  get nextHop(): string {
    return parseNameAddress(this.#routeSet[0] ?? '')?.uri ?? this.#remoteTarget;
  }

  /** A request within the dialog (§12.2.1.1). ACK and CANCEL keep the number of their INVITE. */
  newRequest(method: string, cseq?: number): SipRequest {
    if (cseq === undefined) this.#localCSeq++;
    const { uri, routes } = this.#route();
    const request = newRequest(method, uri);
    request.headers
      .set('max-forwards', '70')
      .set('from', writeNameAddress(this.#local))
      .set('to', writeNameAddress(this.#remote))
      .set('call-id', this.callId)
      .set('cseq', `${cseq ?? this.#localCSeq} ${method}`)
      .set('route', ...routes);
    return request;
  }

  // A proxy without lr is one of RFC 2543: it wants itself as Request-URI and the target at the end.
  #route(): { uri: string; routes: readonly string[] } {
    const first = parseSipUri(parseNameAddress(this.#routeSet[0] ?? '')?.uri ?? '');
    if (!first || first.parameters.has('lr')) return { uri: this.#remoteTarget, routes: this.#routeSet };
    const uri = writeSipUri({ ...first, headers: undefined });
    return { uri, routes: [...this.#routeSet.slice(1), `<${this.#remoteTarget}>`] };
  }

  /** Whether a request of the peer comes in order; an old one was overtaken (§12.2.2). */
  accepts(request: SipRequest): boolean {
    const { number } = cseqOf(request);
    if (this.#remoteCSeq !== undefined && number <= this.#remoteCSeq) return false;
    this.#remoteCSeq = number;
    return true;
  }

  /** A re-INVITE or UPDATE may move the peer elsewhere. */
  refreshTarget(message: SipRequest | SipResponse): void {
    const contact = parseNameAddress(message.headers.all('contact')[0] ?? '');
    if (!contact || contact.uri === this.#remoteTarget) return;
    this.#remoteTarget = contact.uri;
    this.way = undefined;
  }
}

export function dialogKey(callId: string, localTag: string, remoteTag: string): string {
  return `${callId} ${localTag} ${remoteTag}`;
}

/** The key of the dialog that a request of the peer belongs to. */
export function dialogKeyOf(request: SipRequest): string {
  const localTag = toOf(request).parameters.get('tag') ?? '';
  return dialogKey(callIdOf(request), localTag, fromOf(request).parameters.get('tag') ?? '');
}

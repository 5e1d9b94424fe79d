import { type CallEnd, describeRefusal } from './call-end.ts';
import { CallSession } from './call-session.ts';
import type { ClientTransaction } from './client-transaction.ts';
import { Dialog, newCallId, newTag } from './dialog.ts';
import type { DigestAuthentication } from './digest.ts';
import { parseNameAddress, parseNumber, quote } from './header-values.ts';
import type { HeaderName } from './headers.ts';
import { cseqOf, newRequest, type SipRequest, type SipResponse, sdpOf, toOf } from './message.ts';
import type { Phone } from './phone.ts';
import type { Target } from './resolve.ts';
import { settledTimer } from './session-timer.ts';
import { Timers } from './timers.ts';
import type { TransactionLayer } from './transaction-layer.ts';
import { parseSipUri } from './uri.ts';

export type OutgoingCallOptions = {
  /** The caller ID: `sip:+12025550000@example.com`. */
  from: string;
  displayName?: string;
  /** The SDP offer. */
  offer: string;
  /** Who calls, for a network that trusts us (RFC 3325): a SIP or tel URI. */
  assertedIdentity?: string;
  /** The network is to keep the identity to itself (RFC 3325 §9.3). */
  privacy?: 'id';
  /** Further headers of the INVITE. */
  headers?: [HeaderName, string][];
  /** Aborting it hangs up, or cancels what still rings. */
  signal?: AbortSignal;
  /** How long it may ring. */
  ringMs?: number;
  onRinging?: (status: number) => void;
  onEarlyMedia?: (sdp: string) => void;
  onAnswered?: (sdp: string) => void;
  onOffer?: (sdp: string) => string | undefined;
  onInfo?: (contentType: string, body: string) => void;
};

/** What placing a call needs beyond what every call needs. */
export type CallingPhone = Phone & {
  /** The session timer that we ask for. */
  readonly sessionS: number;
  readonly authentication: DigestAuthentication | undefined;
  /** What stands between us and everybody: Route headers of requests outside of a dialog. */
  readonly routes: string[];
  /** Where a request outside of a dialog goes, in the order in which to try. */
  wayTo(uri: string): Promise<Target[]>;
  contact(to: Target): string;
  /** Opens the way to a place, so that `contact` knows how it leads back. */
  reach(to: Target): Promise<void> | undefined;
  dress(request: SipRequest): SipRequest;
};

const longestRedirect = 5;
const defaultRingMs = 60_000;

type Final = SipResponse | 'timeout' | 'unreachable';

/** One call that we place, from the INVITE to its end. */
export class OutgoingCall {
  /** How it ended; resolves once, rejects never. */
  readonly ended: Promise<CallEnd>;
  readonly callId = newCallId();
  readonly #phone: CallingPhone;
  readonly #layer: TransactionLayer;
  readonly #target: string;
  readonly #options: OutgoingCallOptions;
  readonly #fromTag = newTag();
  readonly #timers = new Timers();
  readonly #startedAt = new Date();
  readonly #early = new Map<string, EarlyDialog>();
  readonly #resolveEnded: (end: CallEnd) => void;
  #ringingAt: Date | null = null;
  #answeredAt: Date | null = null;
  #cseq = 0;
  #sessionS: number;
  #invite: { transaction: ClientTransaction; to: Target; provisional: boolean; cancelled: boolean } | undefined;
  #session: CallSession | undefined;
  #giveUp: 'cancelled' | 'no-answer' | undefined;
  #isOver = false;

  constructor(phone: CallingPhone, layer: TransactionLayer, target: string, options: OutgoingCallOptions) {
    for (const uri of [options.from, options.assertedIdentity]) {
      if (uri !== undefined && !isCallerUri(uri)) throw new Error(`Not a SIP or tel URI to call from: ${uri}`);
    }
    this.#phone = phone;
    this.#layer = layer;
    this.#target = target;
    this.#options = options;
    this.#sessionS = phone.sessionS;
    const { promise, resolve } = Promise.withResolvers<CallEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
  }

  /** The answered call, for hanging up, transferring and the like. */
  get session(): CallSession | undefined {
    return this.#session;
  }

  start(): void {
    const { signal, ringMs = defaultRingMs } = this.#options;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted) {
      this.#end({
        kind: 'cancelled',
        endedBy: 'us',
        sipStatus: null,
        q850Cause: null,
        reason: 'Cancelled before it began.',
      });
      return;
    }
    this.#timers.set('ring', ringMs, () => this.#cancel('no-answer'));
    this.#place(this.#target, 0).catch((error: Error) => this.#fail('network-failure', error.message));
  }

  /** Ends the call, whatever its state. */
  hangUp(): void {
    if (this.#session) this.#session.hangUp();
    else this.#cancel('cancelled');
  }

  /** Whatever its state, it ends without a word to the other side. */
  abandon(reason: string): void {
    if (this.#session) this.#session.abandon({ endedBy: 'us', reason });
    else this.#end({ kind: 'network-failure', endedBy: 'us', sipStatus: null, q850Cause: null, reason });
  }

  readonly #onAbort = () => this.hangUp();

  /** Tries every place that the URI leads to (RFC 3263 §4.3), and follows where it is sent on to. */
  async #place(uri: string, redirects: number): Promise<void> {
    const targets = await this.#phone.wayTo(uri);
    let last: Final = 'unreachable';
    for (const target of targets) {
      if (this.#isOver || this.#giveUp) break;
      last = await this.#inviteAt(uri, target);
      const goesOn = last === 'timeout' || last === 'unreachable' || last.status === 503;
      if (!goesOn) break;
    }
    if (this.#isOver) return;
    if (this.#giveUp) return this.#endGivenUp(typeof last === 'string' ? null : last.status);
    if (typeof last === 'string') {
      const reason =
        targets.length === 0
          ? 'The address leads nowhere.'
          : last === 'timeout'
            ? 'Nobody answered the INVITE.'
            : 'The address cannot be reached.';
      return this.#fail('network-failure', reason);
    }
    if (last.status >= 300 && last.status < 400 && redirects < longestRedirect) {
      const [next] = redirectTargets(last);
      if (next) return this.#place(next, redirects + 1);
    }
    if (last.status >= 300) this.#end({ ...describeRefusal(last, this.#ringingAt !== null), endedBy: 'them' });
  }

  /** One INVITE and, if it is challenged or its session timer is too short, another one. */
  async #inviteAt(uri: string, target: Target): Promise<Final> {
    await this.#phone.reach(target);
    for (;;) {
      const request = this.#newInvite(uri, target);
      const final = await this.#send(request, target);
      if (typeof final === 'string' || this.#giveUp) return final;
      const challenged = final.status === 401 || final.status === 407;
      if (challenged && this.#phone.authentication?.learn(final, request)) continue;
      if (final.status === 422 && this.#takeLongerInterval(final)) continue;
      return final;
    }
  }

  #newInvite(uri: string, target: Target): SipRequest {
    const { from, displayName, offer, assertedIdentity, privacy, headers = [] } = this.#options;
    const request = newRequest('INVITE', uri);
    request.headers
      .set('route', ...this.#phone.routes)
      .set('max-forwards', '70')
      .set('from', `${displayName ? `${quote(displayName)} ` : ''}<${from}>;tag=${this.#fromTag}`)
      .set('to', `<${uri}>`)
      .set('call-id', this.callId)
      .set('cseq', `${++this.#cseq} INVITE`)
      .set('contact', this.#phone.contact(target))
      .set('allow', this.#phone.allow)
      .set('supported', this.#phone.supported)
      .set('session-expires', String(this.#sessionS))
      .set('min-se', String(this.#phone.minSessionS))
      .set('content-type', 'application/sdp');
    if (assertedIdentity !== undefined) request.headers.set('p-asserted-identity', `<${assertedIdentity}>`);
    if (privacy !== undefined) request.headers.set('privacy', privacy);
    for (const [name, value] of headers) request.headers.append(name, value);
    request.body = Buffer.from(offer);
    return this.#phone.dress(request);
  }

  #send(request: SipRequest, to: Target): Promise<Final> {
    return new Promise((resolve) => {
      const transaction = this.#layer.request(request, to, {
        serverName: to.serverName,
        onResponse: (response) => {
          if (response.status < 200) this.#onProvisional(request, response);
          else {
            if (response.status < 300) this.#onSuccess(request, response);
            resolve(response);
          }
        },
        onFailure: resolve,
      });
      this.#invite = { transaction, to, provisional: false, cancelled: false };
    });
  }

  #onProvisional(request: SipRequest, response: SipResponse): void {
    if (this.#invite) this.#invite.provisional = true;
    if (this.#giveUp) this.#sendCancel();
    if (response.status === 100 || this.#isOver) return;
    if (response.status !== 199) {
      this.#ringingAt ??= new Date();
      this.#options.onRinging?.(response.status);
    }
    const early = this.#earlyDialog(request, response);
    if (early && !this.#acknowledgeProvisional(request, response, early)) return;
    const sdp = sdpOf(response);
    if (!sdp) return;
    if (early) early.sdp = sdp;
    this.#options.onEarlyMedia?.(sdp);
  }

  #earlyDialog(request: SipRequest, response: SipResponse): EarlyDialog | undefined {
    const tag = toOf(response).parameters.get('tag') ?? '';
    const known = this.#early.get(tag);
    if (known) return known;
    const dialog = Dialog.ofCaller(request, response);
    if (!dialog) return undefined;
    const early: EarlyDialog = { dialog, rseq: undefined, sdp: undefined };
    this.#early.set(tag, early);
    return early;
  }

  /** RFC 3262 §4: a reliable one is confirmed by PRACK, in order. False: it is a repetition or came too early. */
  #acknowledgeProvisional(request: SipRequest, response: SipResponse, early: EarlyDialog): boolean {
    const rseq = parseNumber(response.headers.get('rseq'));
    const isReliable =
      rseq !== undefined && response.headers.all('require').some((tag) => tag.toLowerCase() === '100rel');
    if (!isReliable) return true;
    if (early.rseq !== undefined && rseq !== early.rseq + 1) return false;
    early.rseq = rseq;
    const prack = early.dialog.newRequest('PRACK');
    prack.headers.set('rack', `${rseq} ${cseqOf(request).number} INVITE`);
    this.#phone.sendInDialog(prack, early.dialog, () => {});
    return true;
  }

  #onSuccess(request: SipRequest, response: SipResponse): void {
    const cseq = cseqOf(request).number;
    const tag = toOf(response).parameters.get('tag') ?? '';
    if (this.#session?.dialog.remoteTag === tag) {
      this.#phone.acknowledge(this.#session.dialog, cseq); // our ACK was lost
      return;
    }
    const early = this.#early.get(tag);
    const dialog = early?.dialog ?? Dialog.ofCaller(request, response);
    if (!dialog) return this.#fail('carrier-failure', 'The answer names no Contact.');
    dialog.refreshTarget(response);
    this.#phone.acknowledge(dialog, cseq);
    const sdp = sdpOf(response) ?? early?.sdp;
    if (this.#session || this.#isOver || this.#giveUp || !sdp) {
      this.#phone.sendInDialog(dialog.newRequest('BYE'), dialog, () => {}); // another fork, or too late
      if (!sdp && !this.#session && !this.#giveUp) this.#fail('carrier-failure', 'The answer holds no SDP.');
      return;
    }
    this.#answer(dialog, response, sdp);
  }

  #answer(dialog: Dialog, response: SipResponse, sdp: string): void {
    this.#timers.clear();
    this.#answeredAt = new Date();
    this.#session = new CallSession(
      this.#phone,
      {
        dialog,
        peer: response,
        localSdp: this.#options.offer,
        timer: settledTimer(response),
        onEnd: (end) => this.#end({ kind: 'answered', sipStatus: response.status, ...end }),
      },
      {
        onOffer: (offer) => this.#options.onOffer?.(offer),
        onInfo: (type, body) => this.#options.onInfo?.(type, body),
      },
    );
    this.#options.onAnswered?.(sdp);
  }

  /** RFC 4028 §7.4: the other side wants to be refreshed less often. */
  #takeLongerInterval(response: SipResponse): boolean {
    const least = parseNumber(response.headers.get('min-se'));
    if (least === undefined || least <= this.#sessionS) return false;
    this.#sessionS = least;
    return true;
  }

  #cancel(giveUp: 'cancelled' | 'no-answer'): void {
    if (this.#isOver || this.#session || this.#giveUp) return;
    this.#giveUp = giveUp;
    if (!this.#invite) return this.#endGivenUp(null);
    if (this.#invite.provisional) this.#sendCancel();
    // RFC 3261 §9.1: a final response should come now; without one the call is over all the same.
    this.#timers.set('cancel', 64 * this.#phone.timers.t1, () => {
      this.#invite?.transaction.terminate();
      this.#endGivenUp(null);
    });
  }

  #sendCancel(): void {
    if (!this.#invite || this.#invite.cancelled) return;
    this.#invite.cancelled = true;
    const { transaction, to } = this.#invite;
    this.#layer.cancel(transaction, to, { serverName: to.serverName, onResponse: () => {}, onFailure: () => {} });
  }

  #endGivenUp(sipStatus: number | null): void {
    const kind = this.#giveUp ?? 'cancelled';
    const reason = kind === 'cancelled' ? 'We cancelled the call.' : 'It rang, and nobody answered.';
    this.#end({ kind, endedBy: 'us', sipStatus, q850Cause: null, reason });
  }

  #fail(kind: 'network-failure' | 'carrier-failure', reason: string): void {
    this.#end({ kind, endedBy: 'network', sipStatus: null, q850Cause: null, reason });
  }

  #end(end: Omit<CallEnd, 'startedAt' | 'ringingAt' | 'answeredAt' | 'endedAt'>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timers.clear();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    const times = {
      startedAt: this.#startedAt,
      ringingAt: this.#ringingAt,
      answeredAt: this.#answeredAt,
      endedAt: new Date(),
    };
    this.#resolveEnded({ ...end, ...times });
  }
}

/** What a provisional response opened: one for each phone that rings. */
type EarlyDialog = { dialog: Dialog; rseq: number | undefined; sdp: string | undefined };

function isCallerUri(uri: string): boolean {
  return parseSipUri(uri) !== undefined || /^tel:[+0-9a-f*#.()-]+(;[a-z0-9.=+-]+)*$/i.test(uri);
}

/** Where a 3xx sends us, the most wanted first (RFC 3261 §8.1.3.4). */
function redirectTargets(response: SipResponse): string[] {
  return response.headers
    .all('contact')
    .flatMap((contact) => parseNameAddress(contact) ?? [])
    .filter(({ uri }) => /^sips?:/i.test(uri))
    .toSorted((a, b) => Number(b.parameters.get('q') ?? 1) - Number(a.parameters.get('q') ?? 1))
    .map(({ uri }) => uri);
}

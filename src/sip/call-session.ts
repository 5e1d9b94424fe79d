import { reasonOf } from './call-end.ts';
import type { Dialog } from './dialog.ts';
import { parseNameAddress } from './header-values.ts';
import { cseqOf, type SipMessage, type SipRequest, type SipResponse, sdpOf } from './message.ts';
import type { Phone } from './phone.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { grantTimer, isTooBrief, type SessionTimer, settledTimer, writeTimer } from './session-timer.ts';
import { Timers } from './timers.ts';

export type SessionEnd = { endedBy: 'us' | 'them' | 'network'; q850Cause: number | null; reason: string };

export type SessionHandlers = {
  /** A new offer of the peer (hold, another codec): our answer, or undefined to refuse it. */
  onOffer: (sdp: string) => string | undefined;
  onInfo: (contentType: string, body: string) => void;
  /** The peer's answer in its ACK, when it had asked us for an offer. */
  onAnswer?: (sdp: string) => void;
  /** The peer sends us to another number; the status that it ends with. Absent: transfers are not taken. */
  onTransfer?: (target: string) => Promise<number>;
};

export type SessionStart = {
  dialog: Dialog;
  /** The peer's INVITE, or its 2xx to ours. */
  peer: SipMessage;
  localSdp: string;
  timer: SessionTimer | undefined;
  onEnd: (end: SessionEnd) => void;
};

/** An answered call until its end, on either side (RFC 3261 §13 to §15, RFC 4028). */
export class CallSession {
  readonly dialog: Dialog;
  readonly #phone: Phone;
  readonly #handlers: SessionHandlers;
  readonly #onEnd: (end: SessionEnd) => void;
  readonly #isCaller: boolean;
  readonly #peerAllowsUpdate: boolean;
  readonly #timers = new Timers();
  readonly #over = Promise.withResolvers<undefined>();
  /** Our answers to INVITEs, by number, until their ACK comes. */
  readonly #unacknowledged = new Map<number, ServerTransaction>();
  /** What has to wait until no offer is under way in either direction (§14.1). */
  readonly #waiting: (() => void)[] = [];
  /** The SDP that stands, to be offered again when it is asked for. */
  #localSdp: string;
  #standing: { seconds: number; weRefresh: boolean } | undefined;
  #isOffering = false;
  #leave: (() => void) | undefined;
  #onTransferred: ((status: number) => void) | undefined;
  #isEnded = false;

  constructor(phone: Phone, start: SessionStart, handlers: SessionHandlers) {
    this.#phone = phone;
    this.#handlers = handlers;
    this.dialog = start.dialog;
    this.#onEnd = start.onEnd;
    this.#localSdp = start.localSdp;
    this.#isCaller = start.peer.kind === 'response';
    this.#peerAllowsUpdate = start.peer.headers.all('allow').includes('UPDATE');
    phone.addDialog(this.dialog, {
      onRequest: (transaction) => this.#serve(transaction),
      onAck: (ack) => this.#onAck(ack),
    });
    this.#keepAlive(start.timer, this.#isCaller ? 'uac' : 'uas');
  }

  /** Ends the call from our side. */
  hangUp(text?: string, q850Cause?: number): void {
    if (this.#isEnded || this.#leave) return;
    this.#leave = () => {
      this.#sayGoodbye(text, q850Cause);
      this.#end({ endedBy: 'us', q850Cause: null, reason: text ?? 'We hung up.' });
    };
    // §15: not before our answer has been acknowledged or nobody is left to do so.
    if (this.#unacknowledged.size === 0) this.#leave();
  }

  /** Offers the peer another SDP; its answer, or undefined when it keeps to what stands. */
  reinvite(sdp: string): Promise<string | undefined> {
    const answered = new Promise<string | undefined>((resolve) => {
      this.#whenFree(() => this.#propose('INVITE', sdp, (accepted) => resolve(accepted && sdpOf(accepted))));
    });
    return Promise.race([answered, this.#over.promise]);
  }

  /** Hands the peer over to another number (RFC 3515); gives the status that the transfer ended with. */
  async transfer(target: string): Promise<number> {
    if (this.#isEnded) return 481;
    const refer = this.dialog.newRequest('REFER');
    refer.headers.set('refer-to', `<${target}>`).set('contact', this.#phone.contactOf(this.dialog));
    const transferred = new Promise<number>((resolve) => {
      this.#onTransferred = resolve;
      this.#ask(refer, (response) => {
        if (!response || response.status >= 300) resolve(response?.status ?? 408);
      });
    });
    return (await Promise.race([transferred, this.#over.promise])) ?? 487;
  }

  sendInfo(contentType: string, body: string): void {
    if (this.#isEnded) return;
    const info = this.dialog.newRequest('INFO');
    info.headers.set('content-type', contentType);
    info.body = Buffer.from(body);
    this.#ask(info, () => {});
  }

  /** Our 2xx to an INVITE, the first or a later one: repeated until its ACK comes (§13.3.1.4). */
  accept(invite: ServerTransaction, response: SipResponse): void {
    const { number } = cseqOf(invite.request);
    this.#unacknowledged.set(number, invite);
    invite.respond(response, () => {
      this.#unacknowledged.delete(number);
      if (this.#leave) this.#leave();
      else this.#lose('Our answer was never acknowledged.');
    });
  }

  /** Ends at once without a word to the peer. */
  abandon(end: Pick<SessionEnd, 'endedBy' | 'reason'>): void {
    this.#end({ q850Cause: null, ...end });
  }

  #sayGoodbye(text?: string, q850Cause?: number): void {
    const bye = this.dialog.newRequest('BYE');
    const protocol = q850Cause === undefined ? 'SIP;cause=200' : `Q.850;cause=${q850Cause}`;
    const written = text === undefined ? '' : `;text="${text.replace(/["\\\r\n]/g, ' ')}"`;
    if (written || q850Cause !== undefined) bye.headers.set('reason', protocol + written);
    this.#phone.sendInDialog(bye, this.dialog, () => {}); // whatever comes back, it is over
  }

  /** Nothing comes back any more; should the peer hear us all the same, it may go too. */
  #lose(reason: string): void {
    if (this.#isEnded) return;
    this.#sayGoodbye();
    this.#end({ endedBy: 'network', q850Cause: null, reason });
  }

  #end(end: SessionEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timers.clear();
    for (const invite of this.#unacknowledged.values()) invite.acknowledged();
    this.#phone.removeDialog(this.dialog);
    this.#over.resolve(undefined);
    this.#onEnd(end);
  }

  /** A request of ours; §12.2.1.2 tells when its answer, or that there is none, ends the call. */
  #ask(request: SipRequest, onFinal: (response: SipResponse | undefined) => void): void {
    this.#phone.sendInDialog(request, this.dialog, (response) => {
      const status = typeof response === 'string' ? 408 : response.status;
      if (status === 408) this.#lose('The other side is gone.');
      if (status === 481) this.abandon({ endedBy: 'network', reason: 'The other side does not know the call.' });
      onFinal(typeof response === 'string' ? undefined : response);
    });
  }

  #onAck(ack: SipRequest): void {
    const { number } = cseqOf(ack);
    const invite = this.#unacknowledged.get(number);
    if (!invite) return;
    this.#unacknowledged.delete(number);
    invite.acknowledged();
    if (this.#leave) return this.#leave();
    const answer = sdpOf(invite.request) ? undefined : sdpOf(ack);
    if (answer) this.#handlers.onAnswer?.(answer);
    this.#goOn();
  }

  #serve(transaction: ServerTransaction): void {
    const { request } = transaction;
    const respond = (status: number, reason: string) =>
      transaction.respond(this.#phone.response(request, status, reason));
    if (!this.dialog.accepts(request)) return respond(500, 'Request out of order');
    switch (request.method) {
      case 'BYE': {
        respond(200, 'OK');
        const { q850Cause, text } = reasonOf(request);
        return this.#end({ endedBy: 'them', q850Cause, reason: text ?? 'They hung up.' });
      }
      case 'INVITE':
      case 'UPDATE':
        return this.#renegotiate(transaction);
      case 'INFO':
        respond(200, 'OK');
        return this.#handlers.onInfo(request.headers.get('content-type') ?? '', request.body.toString());
      case 'NOTIFY':
        respond(200, 'OK');
        return this.#onNotify(request);
      case 'REFER':
        return this.#onRefer(transaction);
      case 'OPTIONS':
        return transaction.respond(this.#phone.capabilities(request));
      case 'PRACK': // we send no provisional response that would ask for one
        return respond(481, 'Call/Transaction Does Not Exist');
      default:
        return transaction.respond(this.#phone.notAllowed(request));
    }
  }

  #renegotiate(transaction: ServerTransaction): void {
    const { request } = transaction;
    const offer = sdpOf(request);
    const isInvite = request.method === 'INVITE';
    const refuse = (status: number, reason: string) =>
      transaction.respond(this.#phone.response(request, status, reason));
    if (this.#hasOffered() && (isInvite || offer)) return refuse(491, 'Request Pending');
    if (isTooBrief(request, this.#phone.minSessionS)) return transaction.respond(this.#phone.tooBrief(request));
    // A re-INVITE without an offer asks for ours; an UPDATE without one only refreshes the session.
    const answer = offer ? this.#handlers.onOffer(offer) : this.#localSdp;
    if (answer === undefined) return refuse(488, 'Not Acceptable Here');
    this.#localSdp = answer;
    this.dialog.refreshTarget(request);
    const response = this.#phone.response(request, 200, 'OK');
    response.headers
      .set('contact', this.#phone.contactOf(this.dialog))
      .set('allow', this.#phone.allow)
      .set('supported', this.#phone.supported);
    if (offer || isInvite) {
      response.headers.set('content-type', 'application/sdp');
      response.body = Buffer.from(answer);
    }
    const standing = this.#standing;
    const timer = grantTimer(
      request,
      standing && { seconds: standing.seconds, refresher: standing.weRefresh ? 'uas' : 'uac' },
    );
    if (timer) response.headers.set('session-expires', writeTimer(timer));
    if (timer?.refresher === 'uac') response.headers.set('require', 'timer');
    this.#keepAlive(timer, 'uas');
    if (isInvite) this.accept(transaction, response);
    else transaction.respond(response);
  }

  /** Whether an offer of ours still waits for its answer. */
  #hasOffered(): boolean {
    return this.#isOffering || this.#unacknowledged.values().some(({ request }) => !sdpOf(request));
  }

  #whenFree(run: () => void): void {
    if (this.#isOffering || this.#unacknowledged.size > 0) this.#waiting.push(run);
    else run();
  }

  #goOn(): void {
    while (!this.#isOffering && this.#unacknowledged.size === 0 && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  /** A re-INVITE or UPDATE of ours. `done` is told the 2xx, or undefined when it was refused. */
  #propose(
    method: 'INVITE' | 'UPDATE',
    sdp: string | undefined,
    done: (accepted: SipResponse | undefined) => void,
  ): void {
    if (this.#isEnded) return;
    this.#isOffering = sdp !== undefined;
    let isSettled = false;
    this.#ask(this.#newProposal(method, sdp), (response) => {
      const accepted = response && response.status < 300 ? response : undefined;
      if (accepted && method === 'INVITE') this.#phone.acknowledge(this.dialog, cseqOf(accepted).number);
      if (isSettled || this.#isEnded) return; // a 2xx again: our ACK was lost
      isSettled = true;
      this.#isOffering = false;
      if (response?.status === 491) {
        this.#timers.set('glare', this.#glareMs(), () => this.#whenFree(() => this.#propose(method, sdp, done)));
      } else {
        if (accepted) this.#onAccepted(accepted, sdp);
        done(accepted);
      }
      this.#goOn();
    });
  }

  #newProposal(method: 'INVITE' | 'UPDATE', sdp: string | undefined): SipRequest {
    const request = this.dialog.newRequest(method);
    request.headers
      .set('contact', this.#phone.contactOf(this.dialog))
      .set('allow', this.#phone.allow)
      .set('supported', this.#phone.supported);
    if (this.#standing) {
      const { seconds, weRefresh } = this.#standing;
      request.headers.set('session-expires', writeTimer({ seconds, refresher: weRefresh ? 'uac' : 'uas' }));
      request.headers.set('min-se', String(this.#phone.minSessionS));
    }
    if (sdp !== undefined) {
      request.headers.set('content-type', 'application/sdp');
      request.body = Buffer.from(sdp);
    }
    return request;
  }

  #onAccepted(response: SipResponse, sdp: string | undefined): void {
    this.dialog.refreshTarget(response);
    if (sdp !== undefined) this.#localSdp = sdp;
    this.#keepAlive(settledTimer(response), 'uac');
  }

  // §14.1: 2.1 to 4 s for who made the Call-ID, up to 2 s for the other; T1 is half a second.
  #glareMs(): number {
    const { t1 } = this.#phone.timers;
    return this.#isCaller ? t1 * (4.2 + 3.8 * Math.random()) : t1 * 4 * Math.random();
  }

  /** RFC 3515 §2.4.4: how the transfer goes comes as the start line of a SIP response. */
  #onNotify(request: SipRequest): void {
    const [, status] = /^SIP\/2\.0 (\d{3})/.exec(request.body.toString()) ?? [];
    if (status !== undefined && Number(status) >= 200) this.#onTransferred?.(Number(status));
  }

  #onRefer(transaction: ServerTransaction): void {
    const { request } = transaction;
    const { onTransfer } = this.#handlers;
    if (!onTransfer) return transaction.respond(this.#phone.notAllowed(request));
    const target = parseNameAddress(request.headers.get('refer-to') ?? '');
    if (!target) return transaction.respond(this.#phone.response(request, 400, 'Bad Refer-To'));
    const response = this.#phone.response(request, 202, 'Accepted');
    response.headers.set('contact', this.#phone.contactOf(this.dialog));
    transaction.respond(response);
    this.#notify('SIP/2.0 100 Trying', 'active;expires=60');
    onTransfer(target.uri).then(
      (status) => this.#notify(`SIP/2.0 ${status} ${status < 300 ? 'OK' : 'Failed'}`, 'terminated;reason=noresource'),
      () => this.#notify('SIP/2.0 500 Failed', 'terminated;reason=noresource'),
    );
  }

  #notify(fragment: string, subscription: string): void {
    if (this.#isEnded) return;
    const notify = this.dialog.newRequest('NOTIFY');
    notify.headers
      .set('contact', this.#phone.contactOf(this.dialog))
      .set('event', 'refer')
      .set('subscription-state', subscription)
      .set('content-type', 'message/sipfrag;version=2.0');
    notify.body = Buffer.from(`${fragment}\r\n`);
    this.#phone.sendInDialog(notify, this.dialog, () => {});
  }

  /** RFC 4028 §10: whoever refreshes does so at half time; the other hangs up shortly before the end. */
  #keepAlive(timer: SessionTimer | undefined, weWere: 'uac' | 'uas'): void {
    this.#timers.stop('session');
    this.#standing = timer && { seconds: timer.seconds, weRefresh: timer.refresher === weWere };
    if (!this.#standing) return;
    const { seconds, weRefresh } = this.#standing;
    if (weRefresh) this.#refreshAfter(seconds * 500);
    else {
      const grace = Math.min(32, seconds / 3);
      this.#timers.set('session', (seconds - grace) * 1000, () => this.hangUp('session expired'));
    }
  }

  #refreshAfter(ms: number): void {
    const method = this.#peerAllowsUpdate ? 'UPDATE' : 'INVITE';
    const refresh = () =>
      this.#propose(method, method === 'INVITE' ? this.#localSdp : undefined, (accepted) => {
        // It may object and talk on; there is time to ask again before it misses the refresh.
        if (!accepted && ms > 1_000) this.#refreshAfter(ms / 2);
      });
    this.#timers.set('session', ms, () => this.#whenFree(refresh));
  }
}

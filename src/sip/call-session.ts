import { reasonOf } from './call-end.ts';
import type { Dialog } from './dialog.ts';
import { parseNumber } from './header-values.ts';
import { cseqOf, type SipRequest, type SipResponse } from './message.ts';
import type { Phone } from './phone.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { Timers } from './timers.ts';

export type SessionEnd = { endedBy: 'us' | 'them' | 'network'; q850Cause: number | null; reason: string };

export type SessionHandlers = {
  /** A new offer of the peer (hold, another codec): our answer, or undefined to refuse it. */
  onOffer: (sdp: string) => string | undefined;
  /** The SDP that stands, to be offered again when the peer asks without an offer of its own. */
  localSdp: () => string;
  onInfo: (contentType: string, body: string) => void;
  onEnd: (end: SessionEnd) => void;
};

/** An answered call until its end (RFC 3261 §13 to §15, RFC 4028). */
export class CallSession {
  readonly dialog: Dialog;
  readonly #phone: Phone;
  readonly #handlers: SessionHandlers;
  readonly #timers = new Timers();
  /** Our answer to a re-INVITE, until its ACK comes. */
  #unacknowledged: ServerTransaction | undefined;
  #peerAllowsUpdate = false;
  #transfers: ((status: number) => void) | undefined;
  #ended = false;

  constructor(phone: Phone, dialog: Dialog, response: SipResponse, handlers: SessionHandlers) {
    this.#phone = phone;
    this.dialog = dialog;
    this.#handlers = handlers;
    this.#peerAllowsUpdate = response.headers.all('allow').includes('UPDATE');
    phone.addDialog(dialog.key, {
      onRequest: (transaction) => this.#serve(transaction),
      onAck: () => this.#unacknowledged?.acknowledged(),
    });
    this.#keepAlive(response);
  }

  /** Ends the call from our side. */
  hangUp(reason?: string): void {
    if (this.#ended) return;
    const bye = this.dialog.newRequest('BYE');
    if (reason !== undefined) bye.headers.set('reason', `SIP;cause=200;text="${reason.replace(/["\\\r\n]/g, ' ')}"`);
    this.#phone.sendInDialog(bye, this.dialog, () => {}); // whatever comes back, it is over
    this.#end({ endedBy: 'us', q850Cause: null, reason: 'We hung up.' });
  }

  /** Hands the peer over to another number (RFC 3515); gives the status that the transfer ended with. */
  transfer(target: string): Promise<number> {
    const refer = this.dialog.newRequest('REFER');
    refer.headers.set('refer-to', `<${target}>`).set('contact', this.#phone.contactOf(this.dialog));
    return new Promise((resolve) => {
      this.#transfers = resolve;
      this.#phone.sendInDialog(refer, this.dialog, (response) => {
        if (typeof response === 'string') resolve(408);
        else if (response.status >= 300) resolve(response.status);
      });
    });
  }

  sendInfo(contentType: string, body: string): void {
    const info = this.dialog.newRequest('INFO');
    info.headers.set('content-type', contentType);
    info.body = Buffer.from(body);
    this.#phone.sendInDialog(info, this.dialog, () => {});
  }

  /** The way to the peer is gone; there is nobody to say goodbye to. */
  abandon(reason: string): void {
    this.#end({ endedBy: 'network', q850Cause: null, reason });
  }

  #end(end: SessionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timers.clear();
    this.#transfers?.(487);
    this.#phone.removeDialog(this.dialog.key);
    this.#handlers.onEnd(end);
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
      case 'OPTIONS':
        return transaction.respond(this.#phone.capabilities(request));
      default:
        return transaction.respond(this.#phone.notAllowed(request));
    }
  }

  #renegotiate(transaction: ServerTransaction): void {
    const { request } = transaction;
    const offer = request.body.toString();
    const isInvite = request.method === 'INVITE';
    // A re-INVITE without an offer asks for ours; an UPDATE without one only refreshes the session.
    const answer = offer ? this.#handlers.onOffer(offer) : isInvite ? this.#handlers.localSdp() : '';
    if (answer === undefined) {
      transaction.respond(this.#phone.response(request, 488, 'Not Acceptable Here'));
      return;
    }
    this.dialog.refreshTarget(request);
    const response = this.#phone.response(request, 200, 'OK');
    response.headers.set('contact', this.#phone.contactOf(this.dialog)).set('allow', this.#phone.allow);
    if (answer) {
      response.headers.set('content-type', 'application/sdp');
      response.body = Buffer.from(answer);
    }
    const expires = request.headers.get('session-expires');
    if (expires !== undefined) {
      response.headers.set('session-expires', /refresher=/i.test(expires) ? expires : `${expires};refresher=uac`);
      response.headers.set('require', 'timer');
      this.#keepAlive(response, 'uac');
    }
    if (isInvite) this.#unacknowledged = transaction;
    transaction.respond(response);
  }

  /** RFC 3515 §2.4.4: how the transfer goes comes as the start line of a SIP response. */
  #onNotify(request: SipRequest): void {
    const [, status] = /^SIP\/2\.0 (\d{3})/.exec(request.body.toString()) ?? [];
    if (status !== undefined && Number(status) >= 200) this.#transfers?.(Number(status));
  }

  /**
   * RFC 4028: whoever refreshes does so at half time; the other hangs up shortly before the end.
   * `weAre` tells which side of this exchange we were.
   */
  #keepAlive(response: SipResponse, theyAre: 'uac' | 'uas' = 'uas'): void {
    const [interval, ...parameters] = (response.headers.get('session-expires') ?? '').split(';');
    const seconds = parseNumber(interval);
    this.#timers.stop('session');
    if (seconds === undefined || seconds < 1) return;
    const refresher = /refresher\s*=\s*(ua[cs])/i.exec(parameters.join(';'))?.[1]?.toLowerCase() ?? 'uac';
    if (refresher !== theyAre) {
      this.#timers.set('session', seconds * 500, () => this.#refresh());
    } else {
      const grace = Math.min(32, seconds / 3);
      this.#timers.set('session', (seconds - grace) * 1000, () => this.hangUp('session expired'));
    }
  }

  #refresh(): void {
    const refresh = this.dialog.newRequest(this.#peerAllowsUpdate ? 'UPDATE' : 'INVITE');
    refresh.headers
      .set('contact', this.#phone.contactOf(this.dialog))
      .set('supported', 'timer')
      .set('session-expires', this.#phone.sessionExpires);
    if (refresh.method === 'INVITE') {
      refresh.headers.set('content-type', 'application/sdp');
      refresh.body = Buffer.from(this.#handlers.localSdp());
    }
    this.#phone.sendInDialog(refresh, this.dialog, (response) => {
      if (this.#ended) return;
      if (typeof response === 'string' || response.status === 408 || response.status === 481) {
        this.abandon('The other side is gone.');
        return;
      }
      if (response.status >= 300) return; // it may object to the refresh and talk on
      if (refresh.method === 'INVITE') this.#phone.acknowledge(this.dialog, cseqOf(refresh).number);
      this.#keepAlive(response);
    });
  }
}

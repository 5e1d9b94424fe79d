import { reasonOf } from './call-end.ts';
import { CallSession, type SessionEnd, type SessionHandlers } from './call-session.ts';
import { Dialog, newTag } from './dialog.ts';
import { type NameAddress, parseNumber } from './header-values.ts';
import type { HeaderName } from './headers.ts';
import { callIdOf, fromOf, type SipRequest, type SipResponse, sdpOf, toOf } from './message.ts';
import type { Phone } from './phone.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { grantTimer, isTooBrief, writeTimer } from './session-timer.ts';
import { Timers } from './timers.ts';

/** How a call to us ended. */
export type IncomingCallEnd = SessionEnd & {
  kind: 'answered' | 'refused' | 'cancelled' | 'network-failure';
  /** The final status of the INVITE; null when none was given. */
  sipStatus: number | null;
};

const longestRingS = 300;

/** Takes a call, or answers an INVITE that cannot become one. */
export function takeCall(phone: Phone, invite: ServerTransaction): IncomingCall | undefined {
  const { request } = invite;
  const refuse = (status: number, reason: string, header?: [HeaderName, string]) => {
    const response = phone.response(request, status, reason);
    if (header) response.headers.set(...header);
    invite.respond(response);
  };
  // Our provisional responses are not reliable (RFC 3262 §3).
  const wantsReliable = request.headers.all('require').some((tag) => tag.toLowerCase() === '100rel');
  if (wantsReliable) return void refuse(420, 'Bad Extension', ['unsupported', '100rel']);
  if (isTooBrief(request, phone.minSessionS)) return void invite.respond(phone.tooBrief(request));
  const dialog = Dialog.ofCallee(request, newTag());
  if (!dialog) return void refuse(400, 'Missing Contact');
  invite.trying();
  return new IncomingCall(phone, invite, dialog);
}

/** One call to us, from the INVITE to its end. */
export class IncomingCall {
  readonly request: SipRequest;
  readonly callId: string;
  readonly from: NameAddress;
  readonly to: NameAddress;
  /** Its SDP; without one our answer is the offer, and `onAnswer` tells what came back. */
  readonly offer: string | undefined;
  /** How it ended; resolves once, rejects never. */
  readonly ended: Promise<IncomingCallEnd>;
  readonly #phone: Phone;
  readonly #invite: ServerTransaction;
  readonly #dialog: Dialog;
  readonly #timers = new Timers();
  readonly #cancelled = new AbortController();
  readonly #resolveEnded: (end: IncomingCallEnd) => void;
  #session: CallSession | undefined;
  #isOver = false;

  constructor(phone: Phone, invite: ServerTransaction, dialog: Dialog) {
    const { request } = invite;
    this.#phone = phone;
    this.#invite = invite;
    this.#dialog = dialog;
    this.request = request;
    this.callId = callIdOf(request);
    this.from = fromOf(request);
    this.to = toOf(request);
    this.offer = sdpOf(request);
    const { promise, resolve } = Promise.withResolvers<IncomingCallEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    phone.addDialog(dialog, { onRequest: (transaction) => this.#serve(transaction), onAck: () => {} });
    // RFC 3261 §13.3.1: the caller may say how long it wants to wait.
    const ringS = Math.min(parseNumber(request.headers.get('expires')) || longestRingS, longestRingS);
    this.#timers.set('ring', ringS * 1000, () => this.cancel('It rang for too long.'));
  }

  /** The caller gave up before our answer. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** The answered call, for hanging up, transferring and the like. */
  get session(): CallSession | undefined {
    return this.#session;
  }

  /** Tells the caller how it goes; with an SDP it hears us already. */
  ring(status = 180, reason = 'Ringing', sdp?: string): void {
    if (!this.#isOver && !this.#session) this.#invite.respond(this.#response(status, reason, sdp));
  }

  refuse(status: number, reason: string, headers: [HeaderName, string][] = []): void {
    if (this.#isOver || this.#session) return;
    const response = this.#phone.response(this.request, status, reason, this.#dialog.localTag);
    for (const [name, value] of headers) response.headers.append(name, value);
    this.#invite.respond(response);
    const { q850Cause, text } = reasonOf(response);
    this.#end({ kind: 'refused', endedBy: 'us', sipStatus: status, q850Cause, reason: text ?? `${status} ${reason}` });
  }

  /** Accepts the call; undefined when the caller has given up in the meantime. */
  answer(sdp: string, handlers: Partial<SessionHandlers> = {}): CallSession | undefined {
    if (this.#isOver || this.#session) return this.#session;
    this.#timers.clear();
    const response = this.#response(200, 'OK', sdp);
    if (handlers.onTransfer) response.headers.set('allow', `${this.#phone.allow}, REFER`);
    const timer = grantTimer(this.request);
    if (timer) response.headers.set('session-expires', writeTimer(timer));
    if (timer?.refresher === 'uac') response.headers.set('require', 'timer');
    const session = new CallSession(
      this.#phone,
      {
        dialog: this.#dialog,
        peer: this.request,
        localSdp: sdp,
        timer,
        onEnd: (end) => this.#end({ kind: 'answered', sipStatus: 200, ...end }),
      },
      { onOffer: () => undefined, onInfo: () => {}, ...handlers },
    );
    this.#session = session;
    session.accept(this.#invite, response);
    return session;
  }

  /** Whatever its state, it ends without a word to the caller. */
  abandon(reason: string): void {
    if (this.#session) this.#session.abandon({ endedBy: 'us', reason });
    else this.#end({ kind: 'network-failure', endedBy: 'us', sipStatus: null, q850Cause: null, reason });
  }

  /** The caller sent CANCEL. */
  cancel(reason = 'They gave up.'): void {
    if (this.#isOver || this.#session) return;
    this.#invite.respond(this.#phone.response(this.request, 487, 'Request Terminated', this.#dialog.localTag));
    this.#end({ kind: 'cancelled', endedBy: 'them', sipStatus: 487, q850Cause: null, reason });
    this.#cancelled.abort();
  }

  #response(status: number, reason: string, sdp: string | undefined): SipResponse {
    const response = this.#phone.response(this.request, status, reason, this.#dialog.localTag);
    response.headers
      .set('record-route', ...this.request.headers.all('record-route'))
      .set('contact', this.#phone.contactOf(this.#dialog))
      .set('allow', this.#phone.allow)
      .set('supported', this.#phone.supported);
    if (sdp !== undefined) {
      response.headers.set('content-type', 'application/sdp');
      response.body = Buffer.from(sdp);
    }
    return response;
  }

  /** What comes inside of the call before it is answered. */
  #serve(transaction: ServerTransaction): void {
    const { request } = transaction;
    const response = (status: number, reason: string) => this.#phone.response(request, status, reason);
    if (!this.#dialog.accepts(request)) return transaction.respond(response(500, 'Request out of order'));
    switch (request.method) {
      case 'BYE':
        transaction.respond(response(200, 'OK'));
        return this.cancel('They hung up before the answer.');
      case 'INVITE':
      case 'UPDATE': {
        // §14.2, RFC 3311 §5.2: their first offer is not answered yet.
        const wait = response(500, 'The first INVITE is not answered yet');
        wait.headers.set('retry-after', String(Math.floor(Math.random() * 11)));
        return transaction.respond(wait);
      }
      case 'PRACK':
        return transaction.respond(response(481, 'Call/Transaction Does Not Exist'));
      case 'OPTIONS':
        return transaction.respond(this.#phone.capabilities(request));
      default:
        return transaction.respond(this.#phone.notAllowed(request));
    }
  }

  #end(end: IncomingCallEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timers.clear();
    this.#phone.removeDialog(this.#dialog);
    this.#resolveEnded(end);
  }
}

import type { Dialog } from './dialog.ts';
import type { SipRequest, SipResponse } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';
import type { TimerValues } from './timers.ts';

/** Handlers of what arrives inside of one call. */
export type InDialog = {
  onRequest(transaction: ServerTransaction): void;
  onAck(ack: SipRequest): void;
};

/** What a call needs of the user agent that it belongs to. */
export type Phone = {
  readonly allow: string;
  readonly supported: string;
  readonly timers: TimerValues;
  /** The shortest session timer that we take (RFC 4028 §5). */
  readonly minSessionS: number;
  addDialog(dialog: Dialog, handlers: InDialog): void;
  removeDialog(dialog: Dialog): void;
  contactOf(dialog: Dialog): string;
  /** `tag` is ours in the To, where the request has none. */
  response(request: SipRequest, status: number, reason: string, tag?: string): SipResponse;
  capabilities(request: SipRequest): SipResponse;
  notAllowed(request: SipRequest): SipResponse;
  /** RFC 4028 §8: the session timer that a request asks for is below our least. */
  tooBrief(request: SipRequest): SipResponse;
  /** Sends within a dialog, answering a challenge; the final response (of an INVITE every 2xx), or why there is none. */
  sendInDialog(
    request: SipRequest,
    dialog: Dialog,
    onFinal: (response: SipResponse | 'timeout' | 'unreachable') => void,
  ): void;
  /** The ACK of a 2xx. */
  acknowledge(dialog: Dialog, cseq: number): void;
};

import type { Dialog } from './dialog.ts';
import type { SipRequest, SipResponse } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';

/** Handlers of what arrives inside of one call. */
export type InDialog = {
  onRequest(transaction: ServerTransaction): void;
  onAck(ack: SipRequest): void;
};

/** What a call needs of the user agent that it belongs to. */
export type Phone = {
  readonly allow: string;
  readonly sessionExpires: string;
  addDialog(key: string, handlers: InDialog): void;
  removeDialog(key: string): void;
  contactOf(dialog: Dialog): string;
  response(request: SipRequest, status: number, reason: string): SipResponse;
  capabilities(request: SipRequest): SipResponse;
  notAllowed(request: SipRequest): SipResponse;
  /** Sends within a dialog, answering a challenge; the final response, or why there is none. */
  sendInDialog(
    request: SipRequest,
    dialog: Dialog,
    onFinal: (response: SipResponse | 'timeout' | 'unreachable') => void,
  ): void;
  /** The ACK of a 2xx. */
  acknowledge(dialog: Dialog, cseq: number): void;
};

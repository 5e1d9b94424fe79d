/** A stream that is not SIP, or whose message is larger than anyone needs. */
export class FramingError extends Error {}

const maxHeadBytes = 64 * 1024;
const maxBodyBytes = 1024 * 1024;
const empty = Buffer.alloc(0);

/** Cuts a TCP or TLS stream into messages by their Content-Length (RFC 3261 §18.3). */
export class StreamFraming {
  #pending: Buffer = empty;
  readonly #onMessage: (data: Buffer) => void;
  readonly #onPing: () => void;

  constructor(handlers: { onMessage: (data: Buffer) => void; onPing: () => void }) {
    this.#onMessage = handlers.onMessage;
    this.#onPing = handlers.onPing;
  }

  push(data: Buffer): void {
    this.#pending = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data]);
    while (this.#skipKeepAlives() && this.#takeMessage());
  }

  /** RFC 5626 §3.5.1: a double line break asks for a sign of life, a single one is the answer. */
  #skipKeepAlives(): boolean {
    let at = 0;
    while (this.#pending[at] === 0x0d && this.#pending[at + 1] === 0x0a) {
      if (this.#pending[at + 2] === 0x0d && this.#pending[at + 3] === 0x0a) {
        this.#onPing();
        at += 2;
      }
      at += 2;
    }
    this.#pending = this.#pending.subarray(at);
    return this.#pending.length > 0;
  }

  #takeMessage(): boolean {
    const headEnd = this.#pending.indexOf('\r\n\r\n');
    if (headEnd === -1) {
      if (this.#pending.length > maxHeadBytes) throw new FramingError('the headers do not end');
      return false;
    }
    const head = this.#pending.toString('latin1', 0, headEnd);
    const [, written] = /\r\n(?:content-length|l)[ \t]*:[ \t]*(\d{1,10})[ \t]*(?=\r\n|$)/i.exec(head) ?? [];
    if (written === undefined) throw new FramingError('there is no Content-Length');
    const bodyBytes = Number(written);
    if (bodyBytes > maxBodyBytes || headEnd > maxHeadBytes) throw new FramingError('the message is too large');
    const end = headEnd + 4 + bodyBytes;
    if (this.#pending.length < end) return false;
    const message = this.#pending.subarray(0, end);
    this.#pending = this.#pending.subarray(end);
    this.#onMessage(message);
    return this.#pending.length > 0;
  }
}

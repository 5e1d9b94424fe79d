import { callIdOf, cseqOf, fromOf, newResponse, type SipRequest, type SipResponse, toOf, topVia } from './message.ts';
import { Timers, type TimerValues } from './timers.ts';

export type ServerTransactionOptions = {
  request: SipRequest;
  reliable: boolean;
  timers: TimerValues;
  send: (response: SipResponse) => void;
  onTerminated: () => void;
};

type State = 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated';

/** RFC 3261 §17.2, with RFC 6026: repeats our final response until it is acknowledged. */
export class ServerTransaction {
  readonly request: SipRequest;
  readonly #options: ServerTransactionOptions;
  readonly #timers = new Timers();
  readonly #isInvite: boolean;
  #state: State = 'proceeding';
  #last: SipResponse | undefined;

  constructor(options: ServerTransactionOptions) {
    this.request = options.request;
    this.#options = options;
    this.#isInvite = options.request.method === 'INVITE';
  }

  get state(): State {
    return this.#state;
  }

  /** Tells the caller at once that we are here, so that it stops repeating (§17.2.1). */
  trying(): void {
    this.respond(newResponse(this.request, 100, 'Trying'));
  }

  /** `onNoAck`: our final response to an INVITE was never acknowledged. */
  respond(response: SipResponse, onNoAck?: () => void): void {
    if (this.#state !== 'proceeding') return;
    this.#last = response;
    this.#options.send(response);
    if (response.status >= 200) this.#onFinal(response, onNoAck);
  }

  /**
   * Answers and keeps nothing (RFC 3261 §8.2.7): a repetition is answered as if it were new. It is for requests
   * of strangers, whose number must not fill our memory.
   */
  respondAndForget(response: SipResponse): void {
    this.respond(response);
    this.terminate();
  }

  /** The same request again: the answer may have been lost. */
  receiveRepeated(): void {
    const repeats = this.#state === 'proceeding' || this.#state === 'completed';
    if (repeats && this.#last) this.#options.send(this.#last);
  }

  /** The ACK of a refusal. The ACK of a 2xx is a request of its own, which `acknowledged` reports. */
  receiveAck(): void {
    if (this.#state === 'completed' && this.#isInvite) {
      this.#state = 'confirmed';
      this.#timers.clear();
      this.#endAfter('I', this.#options.timers.t4);
    }
  }

  /** The 2xx has arrived: no more repeating it. */
  acknowledged(): void {
    if (this.#state === 'accepted') {
      this.#timers.stop('G');
      this.#timers.stop('H');
    }
  }

  terminate(): void {
    if (this.#state === 'terminated') return;
    this.#state = 'terminated';
    this.#timers.clear();
    this.#options.onTerminated();
  }

  #onFinal(response: SipResponse, onNoAck?: () => void): void {
    const { timers, reliable } = this.#options;
    if (!this.#isInvite) {
      this.#state = 'completed';
      this.#endAfter('J', 64 * timers.t1);
      return;
    }
    const isSuccess = response.status < 300;
    this.#state = isSuccess ? 'accepted' : 'completed';
    // A 2xx is repeated over TCP too: a proxy on the way may have gone to UDP (§13.3.1.4).
    if (!reliable || isSuccess) this.#repeatAfter(timers.t1, response);
    this.#timers.set('H', 64 * timers.t1, () => {
      this.#timers.stop('G');
      this.terminate();
      onNoAck?.();
    });
    if (isSuccess) this.#timers.set('L', 64 * timers.t1 + timers.t4, () => this.terminate());
  }

  #repeatAfter(interval: number, response: SipResponse): void {
    this.#timers.set('G', interval, () => {
      this.#options.send(response);
      this.#repeatAfter(Math.min(interval * 2, this.#options.timers.t2), response);
    });
  }

  #endAfter(letter: string, ms: number): void {
    if (this.#options.reliable) queueMicrotask(() => this.terminate());
    else this.#timers.set(letter, ms, () => this.terminate());
  }
}

/** §17.2.3; a caller of RFC 2543 sends no branch that begins with the magic cookie. */
export function serverTransactionKey(request: SipRequest): string {
  const via = topVia(request);
  const branch = via.parameters.get('branch') ?? '';
  const method = request.method === 'ACK' ? 'INVITE' : request.method;
  const sentBy = `${via.host.toLowerCase()}:${via.port ?? 5060}`;
  if (branch.startsWith('z9hG4bK') && branch.length > 7) return `${branch} ${sentBy} ${method}`;
  const fromTag = fromOf(request).parameters.get('tag') ?? '';
  const toTag = request.method === 'ACK' ? '' : (toOf(request).parameters.get('tag') ?? '');
  return [callIdOf(request), cseqOf(request).number, fromTag, toTag, sentBy, method].join(' ');
}

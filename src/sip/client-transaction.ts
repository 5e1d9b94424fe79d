import { cseqOf, newRequest, type SipRequest, type SipResponse, topVia } from './message.ts';
import { Timers, type TimerValues } from './timers.ts';

export type ClientTransactionOptions = {
  request: SipRequest;
  /** Over TCP and TLS nothing is repeated. */
  reliable: boolean;
  timers: TimerValues;
  send: (request: SipRequest) => Promise<void>;
  /** Provisional and final responses; of an INVITE also every further 2xx, as forks give them. */
  onResponse: (response: SipResponse) => void;
  /** Nothing came in time, or nothing could be sent: there will be no response. */
  onFailure: (failure: 'timeout' | 'unreachable') => void;
  onTerminated: () => void;
};

type State = 'calling' | 'proceeding' | 'completed' | 'accepted' | 'terminated';

/** RFC 3261 §17.1, with the state "accepted" of RFC 6026. One class for both kinds: they differ by their timers. */
export class ClientTransaction {
  readonly request: SipRequest;
  readonly #options: ClientTransactionOptions;
  readonly #timers = new Timers();
  readonly #isInvite: boolean;
  #state: State = 'calling';

  constructor(options: ClientTransactionOptions) {
    this.request = options.request;
    this.#options = options;
    this.#isInvite = options.request.method === 'INVITE';
  }

  get state(): State {
    return this.#state;
  }

  start(): void {
    const { timers, reliable } = this.#options;
    this.#send(this.request);
    if (!reliable) this.#repeatAfter(timers.t1);
    this.#timers.set(this.#isInvite ? 'B' : 'F', 64 * timers.t1, () => this.#fail('timeout'));
  }

  receive(response: SipResponse): void {
    switch (this.#state) {
      case 'calling':
      case 'proceeding':
        if (response.status < 200) this.#onProvisional(response);
        else this.#onFinal(response);
        return;
      case 'completed':
        if (this.#isInvite && response.status >= 300) this.#send(this.#acknowledgement(response));
        return;
      case 'accepted':
        if (response.status >= 200 && response.status < 300) this.#options.onResponse(response);
        return;
      case 'terminated':
        return;
    }
  }

  /** Ends at once, without a word to the owner. */
  terminate(): void {
    if (this.#state === 'terminated') return;
    this.#state = 'terminated';
    this.#timers.clear();
    this.#options.onTerminated();
  }

  // Timer A doubles without end; timer E up to T2 (§17.1.1.2, §17.1.2.2).
  #repeatAfter(interval: number): void {
    const letter = this.#isInvite ? 'A' : 'E';
    const { t2 } = this.#options.timers;
    this.#timers.set(letter, interval, () => {
      this.#send(this.request);
      const next = this.#state === 'proceeding' ? t2 : interval * 2;
      this.#repeatAfter(this.#isInvite ? next : Math.min(next, t2));
    });
  }

  #onProvisional(response: SipResponse): void {
    if (this.#state === 'calling') {
      this.#state = 'proceeding';
      if (this.#isInvite) {
        this.#timers.stop('A');
        this.#timers.stop('B'); // from now on it rings as long as its owner lets it
      }
    }
    this.#options.onResponse(response);
  }

  #onFinal(response: SipResponse): void {
    const { timers, reliable } = this.#options;
    this.#timers.clear();
    if (this.#isInvite && response.status < 300) {
      this.#state = 'accepted';
      this.#timers.set('M', 64 * timers.t1, () => this.terminate());
    } else {
      this.#state = 'completed';
      if (this.#isInvite) this.#send(this.#acknowledgement(response));
      const linger = this.#isInvite ? 64 * timers.t1 : timers.t4; // timer D: 32 s with the standard T1
      if (reliable) queueMicrotask(() => this.terminate());
      else this.#timers.set(this.#isInvite ? 'D' : 'K', linger, () => this.terminate());
    }
    this.#options.onResponse(response);
  }

  /** §17.1.1.3: the ACK of a refusal belongs to this transaction. */
  #acknowledgement(response: SipResponse): SipRequest {
    const ack = newRequest('ACK', this.request.uri);
    const { headers } = this.request;
    ack.headers.set('via', headers.all('via')[0] ?? '');
    ack.headers.set('max-forwards', '70');
    for (const name of ['route', 'from', 'call-id'] as const) ack.headers.set(name, ...headers.all(name));
    ack.headers.set('to', response.headers.get('to') ?? '');
    ack.headers.set('cseq', `${cseqOf(this.request).number} ACK`);
    return ack;
  }

  #send(request: SipRequest): void {
    this.#options.send(request).catch(() => {
      if (this.#state === 'calling' || this.#state === 'proceeding') this.#fail('unreachable');
    });
  }

  #fail(failure: 'timeout' | 'unreachable'): void {
    if (this.#state === 'terminated') return;
    this.terminate();
    this.#options.onFailure(failure);
  }
}

/** §17.1.3: branch and method tell which transaction a response belongs to. */
export function clientTransactionKey(message: SipRequest | SipResponse): string {
  return `${topVia(message).parameters.get('branch') ?? ''} ${cseqOf(message).method}`;
}

import { newCallId, newTag } from './dialog.ts';
import type { DigestAuthentication } from './digest.ts';
import { parseNameAddress, parseNumber } from './header-values.ts';
import { newRequest, type SipRequest, type SipResponse } from './message.ts';
import type { Target } from './resolve.ts';
import { Timers, type TimerValues } from './timers.ts';
import type { TransactionLayer } from './transaction-layer.ts';
import type { Address } from './transport.ts';
import { parseSipUri } from './uri.ts';

export type RegistrationState =
  | { registered: true; expiresAt: Date }
  | { registered: false; reason: string; status: number | null };

export type RegistrationOptions = {
  /** Whom calls are for: `sip:+12025550000@example.com`. */
  aor: string;
  expiresS?: number;
  /** Aborting it unregisters. */
  signal?: AbortSignal;
  onState: (state: RegistrationState) => void;
};

/** What registering needs of its user agent. */
export type RegisteringPhone = {
  readonly timers: TimerValues;
  readonly routes: string[];
  readonly authentication: DigestAuthentication | undefined;
  wayTo(uri: string): Promise<Target[]>;
  contact(to: Target): string;
  dress(request: SipRequest): SipRequest;
  keepOpen(to: Address): () => void;
};

type Outcome = { target: Target; contact: string; response: SipResponse } | 'timeout' | 'unreachable';

const defaultExpiresS = 3_600;
const longestExpiresS = 86_400;

/** Tells a registrar where we are, again and again until `close` (RFC 3261 §10). */
export class Registration {
  readonly #phone: RegisteringPhone;
  readonly #layer: TransactionLayer;
  readonly #registrar: string;
  readonly #options: RegistrationOptions;
  readonly #callId = newCallId();
  readonly #fromTag = newTag();
  readonly #timers = new Timers();
  readonly #stopped = Promise.withResolvers<'stopped'>();
  readonly #abandoned = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #cseq = 0;
  #expiresS: number;
  #failures = 0;
  /** What the registrar knows of us, and the way to it that we keep open. */
  #binding: { contact: string; release: () => void } | undefined;
  #running: Promise<void> | undefined;
  #isClosing = false;
  #isAbandoned = false;

  constructor(phone: RegisteringPhone, layer: TransactionLayer, registrar: string, options: RegistrationOptions) {
    if (!parseSipUri(registrar) || !parseSipUri(options.aor))
      throw new Error('The registrar and the address of record must be SIP URIs');
    this.#phone = phone;
    this.#layer = layer;
    this.#registrar = registrar;
    this.#options = options;
    this.#expiresS = options.expiresS ?? defaultExpiresS;
  }

  /** Resolves once it is closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  start(): void {
    const { signal } = this.#options;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#running = this.#run();
    if (signal?.aborted) this.close();
  }

  /** Unregisters; resolves when the registrar has said so, or says nothing. */
  close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#unregister().then(this.#ended.resolve);
    }
    return this.ended;
  }

  /** Ends at once without a word to the registrar. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#abandoned.resolve();
    this.close();
  }

  readonly #onAbort = () => void this.close();

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      const outcome = await Promise.race([this.#send(this.#expiresS), this.#stopped.promise]);
      if (outcome === 'stopped' || this.#isClosing) return;
      const waitMs = this.#take(outcome);
      const { promise: passed, resolve } = Promise.withResolvers<void>();
      this.#timers.set('next', waitMs, resolve);
      await Promise.race([passed, this.#stopped.promise]);
    }
  }

  /** How long to wait until the next REGISTER. */
  #take(outcome: Outcome): number {
    if (typeof outcome === 'string' || outcome.response.status >= 300) return this.#onRefused(outcome);
    const { target, contact, response } = outcome;
    const moved = this.#binding !== undefined && this.#binding.contact !== contact;
    this.#binding?.release();
    this.#binding = { contact, release: this.#phone.keepOpen(target) };
    this.#failures = 0;
    const grantedS = Math.min(grantedSeconds(response, contact) ?? this.#expiresS, longestExpiresS);
    this.#options.onState({ registered: true, expiresAt: new Date(Date.now() + grantedS * 1000) });
    // The answer may have told us that we are behind a NAT; once is enough, should it tell so each time.
    if (!moved && this.#phone.contact(target) !== contact) return 0;
    return grantedS * 1000 * (0.75 + 0.1 * Math.random());
  }

  #onRefused(outcome: Outcome): number {
    const response = typeof outcome === 'string' ? undefined : outcome.response;
    const leastS = parseNumber(response?.headers.get('min-expires'));
    if (response?.status === 423 && leastS !== undefined && leastS > this.#expiresS && leastS <= longestExpiresS) {
      this.#expiresS = leastS;
      return 0;
    }
    this.#binding?.release();
    const reason = response
      ? `${response.status} ${response.reason}`.trim()
      : outcome === 'timeout'
        ? 'The registrar does not answer.'
        : 'The registrar cannot be reached.';
    this.#options.onState({ registered: false, reason, status: response?.status ?? null });
    // 2 s with the standard T1, doubled up to 5 minutes.
    const { t1 } = this.#phone.timers;
    const waitMs = Math.min(4 * t1 * 2 ** this.#failures++, 600 * t1) * (0.75 + 0.25 * Math.random());
    const askedS = parseNumber(response?.headers.get('retry-after')?.split(/[;( ]/)[0]) ?? 0;
    return Math.max(waitMs, Math.min(askedS, 3_600) * 1000);
  }

  async #unregister(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#timers.clear();
    this.#stopped.resolve('stopped');
    await this.#running;
    if (this.#binding && !this.#isAbandoned) await Promise.race([this.#send(0), this.#abandoned.promise]);
    this.#binding?.release();
    this.#options.onState({ registered: false, reason: 'We unregistered.', status: null });
  }

  /** Tries every place that the registrar's URI leads to (RFC 3263 §4.3). */
  async #send(expiresS: number): Promise<Outcome> {
    const targets = await this.#phone.wayTo(this.#registrar).catch(() => []);
    let last: Outcome = 'unreachable';
    for (const target of targets) {
      last = await this.#sendTo(target, expiresS);
      if (typeof last !== 'string' && last.response.status !== 503) break;
    }
    return last;
  }

  async #sendTo(target: Target, expiresS: number): Promise<Outcome> {
    for (;;) {
      const contact = expiresS === 0 && this.#binding ? this.#binding.contact : this.#phone.contact(target);
      const request = this.#newRegister(contact, expiresS);
      const response = await this.#exchange(request, target);
      if (typeof response === 'string') return response;
      const isChallenged = response.status === 401 || response.status === 407;
      if (isChallenged && this.#phone.authentication?.learn(response, request)) continue;
      return { target, contact, response };
    }
  }

  #newRegister(contact: string, expiresS: number): SipRequest {
    const { aor } = this.#options;
    const request = newRequest('REGISTER', this.#registrar);
    request.headers
      .set('route', ...this.#phone.routes)
      .set('max-forwards', '70')
      .set('from', `<${aor}>;tag=${this.#fromTag}`)
      .set('to', `<${aor}>`)
      .set('call-id', this.#callId)
      .set('cseq', `${++this.#cseq} REGISTER`)
      .set('contact', contact)
      .set('expires', String(expiresS));
    const old = this.#binding?.contact;
    if (old !== undefined && old !== contact) request.headers.append('contact', `${old};expires=0`);
    return this.#phone.dress(request);
  }

  #exchange(request: SipRequest, to: Target): Promise<SipResponse | 'timeout' | 'unreachable'> {
    return new Promise((resolve) => {
      this.#layer.request(request, to, {
        serverName: to.serverName,
        onResponse: (response) => response.status >= 200 && resolve(response),
        onFailure: resolve,
      });
    });
  }
}

/** §10.2.4: what our Contact was given, else the whole answer. */
function grantedSeconds(response: SipResponse, contact: string): number | undefined {
  const ours = parseNameAddress(contact)?.uri;
  const contacts = response.headers.all('contact').flatMap((each) => parseNameAddress(each) ?? []);
  const bound = contacts.find(({ uri }) => uri === ours) ?? contacts[0];
  return parseNumber(bound?.parameters.get('expires')) ?? parseNumber(response.headers.get('expires'));
}

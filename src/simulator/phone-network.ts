import type { Media } from '../rtp/media.ts';
import type { IncomingCall, IncomingCallEnd } from '../sip/incoming-call.ts';
import { parseSipUri } from '../sip/uri.ts';
import { UserAgent } from '../sip/user-agent.ts';
import type { Stt, Tts } from '../speech/ports.ts';
import { personAt } from './people.ts';
import { liveThrough } from './simulated-call.ts';
import { hum, spoken, type Voice } from './voice.ts';

export type PhoneNetworkOptions = {
  host: string;
  port: number;
  media: Media;
  /** Without it people hum, and hear by loudness. It is closed by whoever opened it, after the network. */
  speech?: { tts: Tts; stt: Stt };
  /** What people say in place of their words. */
  voice?: Voice;
  onCall?: (number: string, about: string) => void;
  onEnd?: (number: string, end: IncomingCallEnd) => void;
  onError?: (error: unknown) => void;
};

/** A telephone network of our own: a SIP and RTP peer with scripted people behind its numbers. */
export class PhoneNetwork {
  readonly #options: PhoneNetworkOptions;
  readonly #userAgent: UserAgent;
  readonly #calls = new Set<Promise<unknown>>();

  constructor(options: PhoneNetworkOptions) {
    this.#options = options;
    this.#userAgent = new UserAgent({
      host: options.host,
      port: options.port,
      product: 'Parley phone network',
      onInvite: (call) => this.#take(call),
      ...(options.onError && { onError: options.onError }),
    });
  }

  listen(): Promise<void> {
    return this.#userAgent.listen();
  }

  get port(): number {
    return this.#userAgent.localPort('udp');
  }

  /** What a telephone takes for its trunk. */
  get trunk(): string {
    return `sip:${this.#options.host}:${this.port}`;
  }

  get size(): number {
    return this.#calls.size;
  }

  async close(): Promise<void> {
    await this.#userAgent.close();
    await Promise.all(this.#calls);
  }

  #take(call: IncomingCall): void {
    const { media, speech, onCall, onEnd, onError } = this.#options;
    const number = parseSipUri(call.request.uri)?.user?.split(';')[0] ?? '';
    const person = personAt(number);
    onCall?.(number, person.about);
    const voice = this.#options.voice ?? (speech ? spoken(speech.tts) : hum);
    const stt = person.hears === 'loudness' ? undefined : speech?.stt;
    const lived = liveThrough(call, person, { media, voice, stt }).then(
      (end) => onEnd?.(number, end),
      (error) => onError?.(error),
    );
    this.#calls.add(lived);
    lived.finally(() => this.#calls.delete(lived));
  }
}

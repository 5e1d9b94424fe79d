import { setTimeout } from 'node:timers/promises';
import { codecNamed } from '../rtp/codecs.ts';
import type { Media } from '../rtp/media.ts';
import type { MediaLine } from '../rtp/media-line.ts';
import { SdpSide } from '../rtp/sdp.ts';
import type { HeaderName } from '../sip/headers.ts';
import type { IncomingCall, IncomingCallEnd } from '../sip/incoming-call.ts';
import { Hearing } from './hearing.ts';
import type { Handset, Heard, Person } from './person.ts';
import { beep, type Voice } from './voice.ts';

/** The call is over, for whatever reason: the person puts the handset down. */
class CallOver extends Error {}

/** Lets a person take one call, until either side has hung up. */
export async function liveThrough(
  call: IncomingCall,
  person: Person,
  { media, voice }: { media: Media; voice: Voice },
): Promise<IncomingCallEnd> {
  const phone = new SimulatedCall(call, media, voice);
  try {
    await person.live(phone);
    phone.hangUp();
  } catch (error) {
    if (!(error instanceof CallOver)) {
      call.refuse(500, 'Server Internal Error');
      call.session?.hangUp();
      throw error;
    }
  } finally {
    await phone.close();
  }
  return call.ended;
}

class SimulatedCall implements Handset {
  readonly #call: IncomingCall;
  readonly #media: Media;
  readonly #voice: Voice;
  readonly #hearing = new Hearing();
  readonly #over = new AbortController();
  #line: MediaLine | undefined;
  #sampleRate = 8_000;

  constructor(call: IncomingCall, media: Media, voice: Voice) {
    this.#call = call;
    this.#media = media;
    this.#voice = voice;
    call.ended.then(() => this.#over.abort());
  }

  async ring(ms: number): Promise<void> {
    this.#call.ring();
    await this.wait(ms);
  }

  refuse(status: number, reason: string, q850Cause?: number): never {
    const headers: [HeaderName, string][] =
      q850Cause === undefined ? [] : [['reason', `Q.850;cause=${q850Cause};text="${reason}"`]];
    this.#call.refuse(status, reason, headers);
    throw new CallOver();
  }

  async answer(): Promise<void> {
    const line = await this.#media.open().catch(() => this.refuse(503, 'All lines are in use', 34));
    this.#line = line;
    const side = new SdpSide({ host: this.#media.host, port: line.port, srtp: false });
    const answer = this.#call.offer === undefined ? 'There is no offer' : side.answer(this.#call.offer);
    if (typeof answer === 'string') return this.refuse(488, 'Not Acceptable Here', 88);
    this.#sampleRate = codecNamed(answer.media.codec).sampleRate;
    line.handlers = {
      onHeard: (pcm) => this.#hearing.hear(pcm),
      onDigit: (digit) => this.#hearing.digit(digit),
      onStalled: () => this.#call.session?.hangUp(),
    };
    const session = this.#call.answer(answer.sdp, {
      onOffer: (offer) => {
        const again = side.answer(offer);
        if (typeof again === 'string') return undefined;
        line.connect(again.media);
        return again.sdp;
      },
    });
    if (!session) throw new CallOver();
    line.connect(answer.media);
  }

  async say(text: string): Promise<void> {
    await this.#play(await this.#voice(text, this.#sampleRate));
  }

  async beep(): Promise<void> {
    await this.#play(beep(this.#sampleRate));
  }

  listen(patienceMs: number): Promise<Heard> {
    return this.#whileConnected(this.#hearing.next(patienceMs));
  }

  listenInto(speechMs: number, patienceMs: number): Promise<Heard> {
    return this.#whileConnected(this.#hearing.next(patienceMs, speechMs));
  }

  async wait(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.#over.signal }).catch(() => {
      throw new CallOver();
    });
  }

  hangUp(): never {
    this.#call.session?.hangUp();
    throw new CallOver();
  }

  async close(): Promise<void> {
    await this.#line?.close();
  }

  async #play(pcm: Int16Array): Promise<void> {
    if (!this.#line) throw new Error('A person who has not answered cannot speak');
    const played = await this.#whileConnected(this.#line.play(pcm));
    if (!played.isComplete) throw new CallOver();
  }

  #whileConnected<T>(what: Promise<T>): Promise<T> {
    const { signal } = this.#over;
    if (signal.aborted) return Promise.reject(new CallOver());
    return new Promise((resolve, reject) => {
      const onOver = () => reject(new CallOver());
      signal.addEventListener('abort', onOver, { once: true });
      what.then(resolve, reject).finally(() => signal.removeEventListener('abort', onOver));
    });
  }
}

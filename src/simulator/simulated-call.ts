import { setTimeout } from 'node:timers/promises';
import { codecNamed } from '../rtp/codecs.ts';
import type { Media } from '../rtp/media.ts';
import type { MediaLine } from '../rtp/media-line.ts';
import { SdpSide } from '../rtp/sdp.ts';
import type { HeaderName } from '../sip/headers.ts';
import type { IncomingCall, IncomingCallEnd } from '../sip/incoming-call.ts';
import type { LineRate, Stt } from '../speech/ports.ts';
import { Hearing } from './hearing.ts';
import type { Handset, Heard, Person } from './person.ts';
import { beep, type Voice, type VoiceName } from './voice.ts';

/** The call is over, for whatever reason: the person puts the handset down. */
class CallOver extends Error {}

export type CallParts = {
  media: Media;
  voice: Voice;
  /** Without it the person hears by loudness. */
  stt: Stt | undefined;
};

/** Lets a person take one call, until either side has hung up. */
export async function liveThrough(call: IncomingCall, person: Person, parts: CallParts): Promise<IncomingCallEnd> {
  const phone = new SimulatedCall(call, person, parts);
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
  readonly #voice: VoiceName;
  readonly #parts: CallParts;
  readonly #over = new AbortController();
  #line: MediaLine | undefined;
  #hearing: Hearing | undefined;
  #sampleRate: LineRate = 8_000;

  constructor(call: IncomingCall, { voice = 'rms' }: Person, parts: CallParts) {
    this.#call = call;
    this.#voice = voice;
    this.#parts = parts;
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
    const { media, stt } = this.#parts;
    const line = await media.open().catch(() => this.refuse(503, 'All lines are in use', 34));
    this.#line = line;
    const side = new SdpSide({ host: media.host, port: line.port, srtp: false });
    const answer = this.#call.offer === undefined ? 'There is no offer' : side.answer(this.#call.offer);
    if (typeof answer === 'string') return this.refuse(488, 'Not Acceptable Here', 88);
    const { sampleRate } = codecNamed(answer.media.codec);
    const hearing = new Hearing(stt && { stt, sampleRate });
    this.#sampleRate = sampleRate;
    this.#hearing = hearing;
    line.handlers = {
      onHeard: (pcm) => hearing.hear(pcm),
      onDigit: (digit) => hearing.digit(digit),
      onStalled: () => this.#call.session?.hangUp(),
    };
    const session = this.#call.answer(answer.sdp, {
      onOffer: (offer) => {
        const again = side.answer(offer);
        // Whoever listens has set out to hear sound of one rate.
        if (typeof again === 'string' || codecNamed(again.media.codec).sampleRate !== sampleRate) return undefined;
        line.connect(again.media);
        return again.sdp;
      },
    });
    if (!session) throw new CallOver();
    line.connect(answer.media);
  }

  async say(text: string, voice = this.#voice): Promise<void> {
    await this.#play(await this.#whileConnected(() => this.#parts.voice(text, this.#sampleRate, voice)));
  }

  async beep(): Promise<void> {
    await this.#play(beep(this.#sampleRate));
  }

  listen(patienceMs: number): Promise<Heard> {
    return this.#hear(patienceMs);
  }

  listenInto(speechMs: number, patienceMs: number): Promise<Heard> {
    return this.#hear(patienceMs, speechMs);
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
    this.#hearing?.close();
    await this.#line?.close();
  }

  async #hear(patienceMs: number, speechMs?: number): Promise<Heard> {
    const hearing = this.#hearing;
    if (!hearing) throw new Error('A person who has not answered cannot listen');
    return this.#whileConnected(() => hearing.next(patienceMs, speechMs));
  }

  async #play(pcm: Int16Array): Promise<void> {
    const line = this.#line;
    if (!line) throw new Error('A person who has not answered cannot speak');
    const played = await this.#whileConnected(() => line.play(pcm));
    if (!played.isComplete) throw new CallOver();
  }

  #whileConnected<T>(begin: () => Promise<T>): Promise<T> {
    const { signal } = this.#over;
    if (signal.aborted) return Promise.reject(new CallOver());
    return new Promise((resolve, reject) => {
      const onOver = () => reject(new CallOver());
      signal.addEventListener('abort', onOver, { once: true });
      begin()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', onOver));
    });
  }
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Media } from '../../src/rtp/media.ts';
import { PhoneNetwork } from '../../src/simulator/phone-network.ts';
import { UserAgent } from '../../src/sip/user-agent.ts';
import { openSpeech, type Speech } from '../../src/speech/open-speech.ts';
import type { Listener, Stt } from '../../src/speech/ports.ts';
import { parseSpokenEmail } from '../../src/speech/text/spoken-email.ts';
import { Telephone } from '../../src/telephone/telephone.ts';
import type { Voice, VoiceCallEnd } from '../../src/telephone/voice-call.ts';
import { spokenWhole } from '../harness/speech.ts';

const host = '127.0.0.1';
const from = '+12025550000';
const sampleRate = 8_000;

describe('people who talk', { concurrency: 2, timeout: 280_000 }, () => {
  let media: Media;
  let speech: Speech;
  let network: PhoneNetwork;
  let userAgent: UserAgent;
  let telephone: Telephone;

  before(async () => {
    speech = await openSpeech({ tts: 'embedded', stt: 'embedded', vendors: {} });
    await speech.ready;
    media = new Media({ host, ports: { from: 31_500, to: 31_999 } });
    network = new PhoneNetwork({ host, port: 0, media, speech: speech.forCall() });
    await network.listen();
    userAgent = new UserAgent({ host, port: 0 });
    await userAgent.listen();
    telephone = new Telephone({ userAgent, media, trunk: network.trunk });
  });
  after(async () => {
    await userAgent.close();
    await network.close();
    await media.close();
    await speech.close();
  });

  /** Calls and talks, then hangs up unless they have. */
  async function talk(number: string, conversation: (line: Line) => Promise<void>): Promise<VoiceCallEnd> {
    const { tts, stt } = speech.forCall();
    const heard = new Heard(stt);
    const answered = Promise.withResolvers<Voice>();
    const call = telephone.call(number, from, {
      onHeard: (pcm) => heard.hear(pcm),
      onAnswered: answered.resolve,
    });
    call.ended.then(() => heard.end());
    const voice = await answered.promise;
    try {
      await conversation({
        heard,
        ended: call.ended,
        async say(text) {
          const sound = await spokenWhole(tts, { text, sampleRate });
          const utterances = heard.utterances;
          assert.equal((await voice.play(sound)).isComplete, true, `They hung up after: ${heard.all}`);
          assert.equal(heard.utterances, utterances, `They did not let us finish: ${heard.all}`);
        },
        press: (digits) => voice.sendDigits(digits),
      });
    } finally {
      call.hangUp();
    }
    return call.ended;
  }

  it('the friendly one hears us out, answers what we ask and returns our goodbye', async () => {
    const end = await talk('+12025550100', async ({ heard, say, ended }) => {
      await heard.words(/good morning/i);
      await say('Hello Ada. This is Robin from Acme. I have a few short questions for you. Do you have a minute?');
      await heard.words(/yes.*go ahead/i);
      await say('Great. How many people work in your company?');
      await heard.words(/\b(?:20|twenty)\b/i);
      await say('Thank you for your time, Ada. Have a good day. Goodbye.');
      await heard.words(/good ?bye/i);
      await ended;
    });
    assert.equal(end.endedBy, 'them');
  });

  it('any other number has a friendly one, too, who is who we ask for', async () => {
    const address = Promise.withResolvers<string>();
    await talk('+49301234561', async ({ heard, say }) => {
      await heard.words(/good morning/i);
      await say('Hello, am I speaking with Ada?');
      await heard.words(/yes.*speaking/i);
      await say('What is your e-mail address?');
      address.resolve(await heard.words(/com\b/i));
    });
    assert.equal(parseSpokenEmail(await address.promise)?.value, 'alex@example.com');
  });

  it('the menu understands keys, also early ones, then there is a person', async () => {
    await talk('+12025550112', async ({ heard, press }) => {
      await heard.utterance(1);
      press('2');
      await heard.words(/press (?:two|2).*support.*can i help/i);
    });
  });
});

type Line = {
  heard: Heard;
  ended: Promise<VoiceCallEnd>;
  /** Plays it, and fails unless they let us finish. */
  say(text: string): Promise<void>;
  press(digits: string): void;
};

/** What they say, in words. */
class Heard {
  /** All of it, for those who wonder what went wrong. */
  all = '';
  utterances = 0;
  readonly #listener: Listener;
  #fresh = '';
  #waiting: { isMet: () => boolean; resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(stt: Stt) {
    this.#listener = stt.listen({
      sampleRate,
      onSpeechStart: () => {
        this.utterances++;
        this.#look();
      },
      onFinal: ({ text }) => {
        this.all += `${text} `;
        this.#fresh += `${text} `;
        this.#look();
      },
    });
  }

  hear(pcm: Int16Array): void {
    this.#listener.hear(pcm);
  }

  /** Until these words have come since those that were last waited for. */
  async words(pattern: RegExp): Promise<string> {
    await this.#until(() => pattern.test(this.#fresh));
    const found = this.#fresh;
    this.#fresh = '';
    return found;
  }

  async utterance(count: number): Promise<void> {
    await this.#until(() => this.utterances >= count);
  }

  async end(): Promise<void> {
    await this.#listener.end();
    for (const { reject } of this.#waiting) reject(new Error(`The call is over, and this was said: ${this.all}`));
  }

  #look(): void {
    this.#waiting = this.#waiting.filter(({ isMet, resolve }) => !isMet() || resolve());
  }

  #until(isMet: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ isMet, resolve, reject });
      this.#look();
    });
  }
}

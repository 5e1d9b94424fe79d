import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { spokenWhole } from '../../test/harness/speech.ts';
import { Media } from '../rtp/media.ts';
import { UserAgent } from '../sip/user-agent.ts';
import { type Tone, ToneDetector } from '../speech/answer/tone-detector.ts';
import { openSpeech, type Speech } from '../speech/open-speech.ts';
import type { Listener, Stt } from '../speech/ports.ts';
import { parseSpokenEmail } from '../speech/text/spoken-email.ts';
import { Telephone } from '../telephone/telephone.ts';
import type { Voice, VoiceCallEnd } from '../telephone/voice-call.ts';
import { PhoneNetwork } from './phone-network.ts';

const host = '127.0.0.1';
const from = '+12025550000';
const sampleRate = 8_000;
const introduction = 'Hello Ada. This is Robin from Acme. I have a few short questions for you. Do you have a minute?';

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
        play: async (text) => voice.play(await spokenWhole(tts, { text, sampleRate })),
        async say(text) {
          const sound = await spokenWhole(tts, { text, sampleRate });
          const utterances = heard.utterances;
          assert.equal((await voice.play(sound)).isComplete, true, `They hung up after: ${heard.all}`);
          assert.equal(heard.utterances, utterances, `They did not let us finish: ${heard.all}`);
        },
        stopPlaying: () => voice.stopPlaying(),
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

  it('the voicemail greets in words and then beeps', async () => {
    await talk('+12025550104', async ({ heard, say }) => {
      await heard.words(/voice ?mail.*leave.*after the tone/i);
      const { startMs, endMs, frequency } = await heard.beep();
      assert.ok(Math.abs(frequency - 1_000) < 20, `${frequency} Hz`);
      assert.ok(Math.abs(endMs - startMs - 500) < 100, `${endMs - startMs} ms`);
      await say('Hello Ada. This is Robin from Acme. Please call me back.');
    });
  });

  it('the one who interrupts speaks while we speak, then hears us out', async () => {
    await talk('+12025550107', async ({ heard, play, say, stopPlaying }) => {
      await heard.words(/good morning/i);
      const utterances = heard.utterances;
      const playing = play(`${introduction} `.repeat(4));
      await heard.utterance(utterances + 1);
      stopPlaying();
      const { isComplete, playedMs } = await playing;
      assert.equal(isComplete, false);
      assert.ok(playedMs > 1_000 && playedMs < 4_000, `${playedMs} ms`);
      await heard.words(/what is this about/i);
      await say('It is about your order. Did it arrive?');
      await heard.words(/yes/i);
    });
  });

  it('the one who wants no calls says so, and returns a goodbye', async () => {
    const end = await talk('+12025550108', async ({ heard, say, ended }) => {
      await heard.words(/good morning/i);
      await say(introduction);
      await heard.words(/do not call me again.*list/i);
      await say('I understand. I have noted that, and we will not call you again. Goodbye.');
      await heard.words(/good ?bye/i);
      await ended;
    });
    assert.equal(end.endedBy, 'them');
  });

  it('the unclear one asks to repeat and then says nothing of use', async () => {
    await talk('+12025550109', async ({ heard, say }) => {
      await heard.words(/good morning/i);
      await say(introduction);
      await heard.words(/repeat/i);
      await say(introduction);
      await heard.words(/depends.*not sure/i);
    });
  });

  it('the screener wants to know who and why, then there is a person', async () => {
    await talk('+12025550111', async ({ heard, say }) => {
      await heard.words(/why you are calling/i);
      await say('This is Robin from Acme, calling for Ada about her order.');
      await heard.words(/thank you.*what is it about/i);
    });
  });

  it('the menu understands keys, also early ones, then there is a person', async () => {
    await talk('+12025550112', async ({ heard, press }) => {
      await heard.utterance(1);
      press('2');
      await heard.words(/press (?:two|2).*support.*can i help/i);
    });
  });

  it('the wrong person says so', async () => {
    await talk('+12025550115', async ({ heard, say }) => {
      await heard.words(/good morning/i);
      await say(introduction);
      await heard.words(/wrong number/i);
    });
  });

  it('the curious one asks who we are, then what we are', async () => {
    await talk('+12025550116', async ({ heard, say }) => {
      await heard.words(/good morning/i);
      await say(introduction);
      await heard.words(/who is this/i);
      await say('This is Robin from Acme. Do you like our products?');
      await heard.words(/are you a robot/i);
    });
  });
});

type Line = {
  heard: Heard;
  ended: Promise<VoiceCallEnd>;
  play(text: string): ReturnType<Voice['play']>;
  /** Plays it, and fails unless they let us finish. */
  say(text: string): Promise<void>;
  stopPlaying(): void;
  press(digits: string): void;
};

/** What they say, in words. */
class Heard {
  /** All of it, for those who wonder what went wrong. */
  all = '';
  utterances = 0;
  readonly #listener: Listener;
  readonly #tones: ToneDetector;
  #fresh = '';
  #beep: Tone | undefined;
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
    this.#tones = new ToneDetector({
      sampleRate,
      onTone: (tone) => {
        if (tone.kind === 'beep') this.#beep = tone;
        this.#look();
      },
    });
  }

  hear(pcm: Int16Array): void {
    this.#listener.hear(pcm);
    this.#tones.hear(pcm);
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

  async beep(): Promise<Tone> {
    await this.#until(() => this.#beep !== undefined);
    return this.#beep as Tone;
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

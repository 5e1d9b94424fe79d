import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Media } from '../rtp/media.ts';
import { UserAgent } from '../sip/user-agent.ts';
import { Telephone } from '../telephone/telephone.ts';
import type { Voice, VoiceCallEnd, VoiceCallOptions } from '../telephone/voice-call.ts';
import { PhoneNetwork } from './phone-network.ts';
import { hum } from './voice.ts';

const host = '127.0.0.1';
const from = '+12025550000';

describe('the simulated phone network', { concurrency: true }, () => {
  let media: Media;
  let network: PhoneNetwork;
  let userAgent: UserAgent;
  let telephone: Telephone;

  before(async () => {
    media = new Media({ host, ports: { from: 31_000, to: 31_499 } });
    network = new PhoneNetwork({ host, port: 0, media });
    await network.listen();
    userAgent = new UserAgent({ host, port: 0 });
    await userAgent.listen();
    telephone = new Telephone({ userAgent, media, trunk: network.trunk });
  });
  after(async () => {
    await userAgent.close();
    await network.close();
    await media.close();
  });

  /** Calls; `talk` is what we do once they have answered. */
  async function call(number: string, options: VoiceCallOptions = {}): Promise<VoiceCallEnd> {
    return telephone.call(number, from, options).ended;
  }

  for (const [number, kind, sipStatus, q850Cause] of [
    ['+12025550101', 'busy', 486, 17],
    ['+12025550103', 'declined', 603, 21],
    ['+12025550113', 'invalid-number', 404, 1],
    ['+12025550114', 'carrier-failure', 503, 38],
    ['+12025550199', 'no-answer', 480, 20],
  ] as const) {
    it(`${number} is ${kind}`, async () => {
      const end = await call(number);
      assert.deepEqual(
        { kind: end.kind, sipStatus: end.sipStatus, q850Cause: end.q850Cause, endedBy: end.endedBy },
        { kind, sipStatus, q850Cause, endedBy: 'them' },
      );
    });
  }

  it('+12025550102 rings until we give up', async () => {
    let rang = 0;
    const end = await call('+12025550102', { ringMs: 1_500, onRinging: (status) => (rang = status) });
    assert.equal(rang, 180);
    assert.equal(end.kind, 'no-answer');
  });

  it('+12025550104 greets, beeps, takes a message and hangs up after a silence', async () => {
    const heard = new Sound();
    const end = await call('+12025550104', {
      onHeard: (pcm) => heard.add(pcm),
      onAnswered: async (voice) => {
        await heard.pitch(1_000, 300); // the beep
        await voice.play(await hum('This is a message after the tone.', voice.sampleRate));
      },
    });
    assert.equal(end.kind, 'answered');
    assert.equal(end.endedBy, 'them');
    assert.ok(heard.loudMs > 3_000, `${heard.loudMs} ms of greeting`);
  });

  it('+12025550105 greets, does not beep', async () => {
    const heard = new Sound();
    const end = await call('+12025550105', { onHeard: (pcm) => heard.add(pcm) });
    assert.equal(end.endedBy, 'them');
    assert.ok(heard.loudMs > 3_000);
    assert.ok(heard.longestPitchMs(1_000) < 100);
  });

  it('+12025550106 hangs up while we introduce ourselves', async () => {
    let introduced: { isComplete: boolean; playedMs: number } | undefined;
    const end = await call('+12025550106', {
      onAnswered: async (voice) => {
        await pause(1_500);
        introduced = await voice.play(
          await hum('Hello, this is a very long introduction. '.repeat(10), voice.sampleRate),
        );
      },
    });
    assert.equal(end.endedBy, 'them');
    assert.equal(introduced?.isComplete, false);
    assert.ok(introduced.playedMs > 1_000 && introduced.playedMs < 5_000, `${introduced.playedMs} ms`);
  });

  it('+12025550107 speaks while we speak', async () => {
    const heard = new Sound();
    const end = await call('+12025550107', {
      onHeard: (pcm) => heard.add(pcm),
      onAnswered: async (voice) => {
        await heard.quiet(500);
        const before = heard.loudMs;
        const playing = voice.play(await hum('Hello, this is a very long introduction. '.repeat(10), voice.sampleRate));
        await heard.loudFor(before + 500);
        voice.stopPlaying();
        assert.equal((await playing).isComplete, false);
        throwAway.abort();
      },
      signal: throwAway.signal,
    });
    assert.equal(end.kind, 'answered');
    assert.equal(end.endedBy, 'us');
  });
  const throwAway = new AbortController();

  it('+12025550110 answers and stays silent', async () => {
    const heard = new Sound();
    const stop = new AbortController();
    const end = await call('+12025550110', {
      signal: stop.signal,
      onHeard: (pcm) => {
        heard.add(pcm);
        if (heard.ms > 3_000) stop.abort();
      },
    });
    assert.equal(end.kind, 'answered');
    assert.equal(heard.loudMs, 0);
  });

  it('+12025550112 is a menu that understands keys', async () => {
    const heard = new Sound();
    const stop = new AbortController();
    await call('+12025550112', {
      signal: stop.signal,
      onHeard: (pcm) => heard.add(pcm),
      onAnswered: async (voice) => {
        await heard.loudFor(1_000);
        await heard.quiet(700);
        const menu = heard.loudMs;
        voice.sendDigits('2');
        await heard.loudFor(menu + 300);
        stop.abort();
      },
    });
    assert.ok(stop.signal.aborted);
  });

  for (const number of [
    '+12025550100',
    '+12025550108',
    '+12025550109',
    '+12025550111',
    '+12025550115',
    '+12025550116',
    '+4930123456',
  ]) {
    it(`${number} answers, and says something to what we say`, async () => {
      const heard = new Sound();
      const stop = new AbortController();
      const end = await call(number, {
        signal: stop.signal,
        onHeard: (pcm) => heard.add(pcm),
        onAnswered: async (voice: Voice) => {
          await heard.loudFor(100);
          await heard.quiet(500);
          const greeting = heard.loudMs;
          await voice.play(await hum('Good morning, how are you?', voice.sampleRate));
          await heard.loudFor(greeting + 300);
          stop.abort();
        },
      });
      assert.equal(end.kind, 'answered');
      assert.equal(end.media.lostPackets, 0);
    });
  }
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What was heard of a call so far. */
class Sound {
  ms = 0;
  loudMs = 0;
  #quietMs = 0;
  #pitches = new Map<number, { run: number; longest: number }>();
  #waiting: { isMet: () => boolean; resolve: () => void }[] = [];

  add(pcm: Int16Array): void {
    this.ms += 20;
    const level = Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);
    if (level > 250) this.loudMs += 20;
    this.#quietMs = level > 250 ? 0 : this.#quietMs + 20;
    for (const hertz of [1_000]) {
      const known = this.#pitches.get(hertz) ?? { run: 0, longest: 0 };
      known.run = level > 250 && shareOf(pcm, hertz) > 0.9 ? known.run + 20 : 0;
      known.longest = Math.max(known.longest, known.run);
      this.#pitches.set(hertz, known);
    }
    this.#waiting = this.#waiting.filter(({ isMet, resolve }) => !isMet() || resolve());
  }

  longestPitchMs(hertz: number): number {
    return this.#pitches.get(hertz)?.longest ?? 0;
  }

  quiet = (ms: number) => this.#until(() => this.#quietMs >= ms);
  loudFor = (ms: number) => this.#until(() => this.loudMs >= ms);
  pitch = (hertz: number, ms: number) => this.#until(() => this.longestPitchMs(hertz) >= ms);

  #until(isMet: () => boolean): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }
}

/** How much of the energy lies at one frequency. */
function shareOf(pcm: Int16Array, hertz: number): number {
  let [real, imaginary, energy] = [0, 0, 1];
  pcm.forEach((sample, i) => {
    real += sample * Math.cos((2 * Math.PI * hertz * i) / 8_000);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * i) / 8_000);
    energy += sample * sample;
  });
  return (2 * (real * real + imaginary * imaginary)) / (energy * pcm.length);
}

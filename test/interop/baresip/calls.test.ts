import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { codecNamed } from '../../../src/rtp/codecs.ts';
import { Media } from '../../../src/rtp/media.ts';
import { joined } from '../../../src/rtp/pcm.ts';
import { readWav } from '../../../src/rtp/wav.ts';
import { PhoneNetwork } from '../../../src/simulator/phone-network.ts';
import type { OutgoingCallOptions } from '../../../src/sip/outgoing-call.ts';
import type { Protocol } from '../../../src/sip/transport.ts';
import { UserAgent, type UserAgentOptions } from '../../../src/sip/user-agent.ts';
import { type Voice, VoiceCall, type VoiceCallOptions } from '../../../src/telephone/voice-call.ts';
import { assertResembles, babble, loudness, tone } from '../../harness/audio.ts';
import { host, makeCertificate, temporaryFolder } from '../peer.ts';
import { type Baresip, startBaresip } from './baresip.ts';

type CallOptions = VoiceCallOptions & {
  protocol?: Protocol;
  codec?: string;
  srtp?: boolean;
  tls?: UserAgentOptions['tls'];
};

const silence = (seconds: number, sampleRate = 8_000) => new Int16Array(seconds * sampleRate);

describe('baresip', { concurrency: 3, timeout: 90_000 }, () => {
  let media: Media;
  before(() => {
    media = new Media({ host, ports: { from: 21_000, to: 21_499 } });
  });
  after(() => media.close());

  async function call(baresip: Baresip, options: CallOptions = {}): Promise<VoiceCall> {
    const { protocol = 'udp', codec = 'PCMU', srtp = false, tls, ...rest } = options;
    const userAgent = new UserAgent({ host, port: 0, ...(tls && { tls }) });
    await userAgent.listen();
    after(() => userAgent.close());
    const invite = (invitation: Pick<OutgoingCallOptions, 'offer'>) =>
      userAgent.invite(baresip.uri(protocol), { from: `sip:+12025550000@${host}`, ...invitation });
    return new VoiceCall({ media, codecs: [codecNamed(codec)], srtp, mediaHost: host, invite }, rest);
  }

  /** Calls until it is answered. */
  async function talk(baresip: Baresip, options: CallOptions = {}): Promise<{ placed: VoiceCall; voice: Voice }> {
    const { promise: answered, resolve } = Promise.withResolvers<Voice>();
    const placed = await call(baresip, { ...options, onAnswered: resolve });
    const voice = await Promise.race([answered, placed.ended]);
    if (!('play' in voice)) assert.fail(`The call ended as ${voice.kind}: ${voice.reason}`);
    return { placed, voice };
  }

  for (const [codec, protocol, srtp] of [
    ['PCMU', 'udp', false],
    ['PCMA', 'tcp', false],
    ['G722', 'tls', false],
    ['PCMU', 'udp', true],
    ['PCMA', 'tls', true],
    ['G722', 'tcp', true],
  ] as const) {
    it(`hears us and is heard: ${codec} over ${protocol.toUpperCase()}${srtp ? ', encrypted' : ''}`, async () => {
      const rate = codecNamed(codec).sampleRate;
      const [theirs, ours] = [babble(4, rate, 11), babble(4, rate, 12)];
      const folder = await temporaryFolder('call');
      const { key, cert } = await makeCertificate(folder);
      const baresip = await startBaresip({ codec, srtp, says: joined(silence(1, rate), theirs, silence(1, rate)) });
      const recordTo = join(folder, 'call.wav');
      const tls = { ca: baresip.ca, key, cert };
      const { placed, voice } = await talk(baresip, { codec, protocol, srtp, recordTo, tls });
      assert.deepEqual([voice.codec, voice.isEncrypted], [codec, srtp]);
      await voice.play(joined(silence(1, rate), ours));
      const end = await placed.ended;
      assert.deepEqual([end.kind, end.endedBy, end.sipStatus], ['answered', 'them', 200]);
      assert.equal(end.media.lostPackets, 0);
      await baresip.event('CALL_CLOSED');
      assertResembles(await baresip.heard(), ours, 0.99, rate);
      assertResembles(readWav(await readFile(recordTo)).channels[1], theirs, 0.99, rate);
    });
  }

  it('over TLS is not called when its certificate is not trusted', async () => {
    const baresip = await startBaresip({ says: silence(5) });
    const { cert } = await makeCertificate(await temporaryFolder('other'));
    const end = await (await call(baresip, { protocol: 'tls', tls: { ca: cert } })).ended;
    assert.deepEqual([end.kind, end.sipStatus], ['network-failure', null]);
  });

  it('over TLS reaches us though we have no certificate: our own connection leads back', async () => {
    const baresip = await startBaresip({ says: silence(20) });
    const { placed } = await talk(baresip, { protocol: 'tls', tls: { ca: baresip.ca } });
    await baresip.event('CALL_ESTABLISHED');
    await baresip.command('hangup');
    const end = await placed.ended;
    assert.deepEqual([end.kind, end.endedBy], ['answered', 'them']);
  });

  it('takes digits and gives some, and hangs up', async () => {
    const baresip = await startBaresip({ says: silence(20) });
    const digits = new Heard<string>();
    const { placed, voice } = await talk(baresip, { onDigit: (digit) => digits.add(digit) });
    voice.sendDigits('159*0#');
    for (const digit of '159*0#') {
      assert.equal((await baresip.event('CALL_DTMF_START')).param, digit);
      await baresip.event('CALL_DTMF_END');
    }
    for (const digit of '7#D') {
      await baresip.command('sndcode', digit);
      assert.equal(await digits.next(), digit);
    }
    await baresip.command('hangup');
    const end = await placed.ended;
    assert.deepEqual([end.kind, end.endedBy], ['answered', 'them']);
  });

  it('hears that we hang up', async () => {
    const baresip = await startBaresip({ says: silence(20) });
    const { placed } = await talk(baresip);
    await baresip.event('CALL_ESTABLISHED');
    placed.hangUp();
    assert.equal((await placed.ended).endedBy, 'us');
    assert.equal((await baresip.event('CALL_CLOSED')).param, 'Connection reset by peer');
  });

  for (const srtp of [false, true]) {
    it(`holds us and we are quiet, takes us back and we go on${srtp ? ', encrypted' : ''}`, async () => {
      const [theirs, ours] = [babble(20, 8_000, 21), babble(2, 8_000, 22)];
      const baresip = await startBaresip({ srtp, says: theirs });
      const heard = new Heard<Int16Array>();
      const { placed, voice } = await talk(baresip, { srtp, onHeard: (pcm) => heard.add(pcm) });
      await voice.play(joined(silence(1), ours));
      await baresip.event('CALL_ESTABLISHED');
      await baresip.event('CALL_REMOTE_SDP');

      await baresip.command('hold');
      await baresip.event('CALL_REMOTE_SDP');
      const { sentPackets } = await voice.report();
      await heard.more(50);
      assert.ok(loudness(joined(...(await heard.more(50)))) < 50);
      assert.equal((await voice.report()).sentPackets, sentPackets);

      await baresip.command('resume');
      await baresip.event('CALL_REMOTE_SDP');
      await heard.more(25);
      assertResembles(theirs, joined(...(await heard.more(100))), 0.99);
      voice.sendDigits('5');
      assert.equal((await baresip.event('CALL_DTMF_START')).param, '5');
      placed.hangUp();
      const { media } = await placed.ended;
      assert.ok(media.sentPackets > sentPackets + 100, `${media.sentPackets} packets after ${sentPackets}`);
      await baresip.event('CALL_CLOSED');
      assertResembles(await baresip.heard(), ours, 0.99);
    });
  }

  it('is busy', async () => {
    const baresip = await startBaresip({ answers: 'manual', says: silence(5) });
    const placed = await call(baresip);
    await baresip.event('CALL_INCOMING');
    await baresip.command('hangup');
    const end = await placed.ended;
    assert.deepEqual([end.kind, end.endedBy, end.sipStatus], ['busy', 'them', 486]);
    assert.ok(end.ringingAt);
  });

  it('stops ringing when we give up', async () => {
    const baresip = await startBaresip({ answers: 'manual', says: silence(5) });
    const placed = await call(baresip, { onRinging: () => placed.hangUp() });
    assert.equal((await placed.ended).kind, 'cancelled');
    await baresip.event('CALL_CLOSED');
  });

  for (const [theirs, ours] of [
    [true, false],
    [false, true],
  ]) {
    it(`with${theirs ? '' : 'out'} encryption refuses a call with${ours ? '' : 'out'} it`, async () => {
      const baresip = await startBaresip({ srtp: theirs === true, says: silence(5) });
      const end = await (await call(baresip, { srtp: ours === true })).ended;
      assert.equal(end.kind, 'carrier-failure', `${end.sipStatus} ${end.reason}`);
    });
  }

  describe('calls the simulated network', { concurrency: 3 }, () => {
    const greeting = babble(3, 8_000, 31);
    let network: PhoneNetwork;
    before(async () => {
      network = new PhoneNetwork({ host, port: 0, media, voice: async () => greeting.slice() });
      await network.listen();
    });
    after(() => network.close());

    const uri = (number: string, protocol: Protocol) => `sip:${number}@${host}:${network.port};transport=${protocol}`;

    for (const [protocol, srtp] of [
      ['udp', false],
      ['tcp', true],
    ] as const) {
      it(`and hears the greeting and the beep of a voicemail over ${protocol.toUpperCase()}${srtp ? ', encrypted' : ''}`, async () => {
        const baresip = await startBaresip({ srtp, says: silence(6) });
        await baresip.command('dial', uri('+12025550104', protocol));
        await baresip.event('CALL_RINGING');
        await baresip.event('CALL_ESTABLISHED');
        await baresip.event('CALL_CLOSED');
        assertResembles(await baresip.heard(), joined(greeting, tone(1_000, 0.5), silence(0.5)), 0.99);
      });
    }

    for (const [number, status] of [
      ['+12025550101', '486 Busy Here'],
      ['+12025550103', '603 Decline'],
      ['+12025550113', '404 Not Found'],
    ] as const) {
      it(`and is told ${status}`, async () => {
        const baresip = await startBaresip({ says: silence(5) });
        await baresip.command('dial', uri(number, 'udp'));
        assert.equal((await baresip.event('CALL_CLOSED')).param, status);
      });
    }

    it('when we send it there', async () => {
      const baresip = await startBaresip({ says: silence(10) });
      const { placed, voice } = await talk(baresip);
      await baresip.event('CALL_ESTABLISHED');
      assert.equal(await voice.transfer(uri('+12025550100', 'udp')), 200);
      placed.hangUp();
      await placed.ended;
    });
  });
});

/** What has come, to be waited for. */
class Heard<T> {
  readonly #all: T[] = [];
  #onMore = () => {};

  add(one: T): void {
    this.#all.push(one);
    this.#onMore();
  }

  /** The next, among those that nobody has waited for yet. */
  async next(): Promise<T> {
    while (this.#all.length === 0) await new Promise<void>((resolve) => (this.#onMore = resolve));
    return this.#all.shift() as T;
  }

  /** So many from now on. */
  async more(count: number): Promise<T[]> {
    this.#all.length = 0;
    const found: T[] = [];
    while (found.length < count) found.push(await this.next());
    return found;
  }
}

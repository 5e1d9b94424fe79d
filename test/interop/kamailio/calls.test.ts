import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../src/free-port.ts';
import { Media } from '../../../src/rtp/media.ts';
import { joined } from '../../../src/rtp/pcm.ts';
import { SdpSide } from '../../../src/rtp/sdp.ts';
import { readWav } from '../../../src/rtp/wav.ts';
import { PhoneNetwork } from '../../../src/simulator/phone-network.ts';
import type { Credentials } from '../../../src/sip/digest.ts';
import type { IncomingCall, IncomingCallEnd } from '../../../src/sip/incoming-call.ts';
import type { RegistrationState } from '../../../src/sip/registration.ts';
import type { Protocol } from '../../../src/sip/transport.ts';
import { UserAgent, type UserAgentOptions } from '../../../src/sip/user-agent.ts';
import type { Finding } from '../../../src/telephone/check-trunk.ts';
import { Telephone } from '../../../src/telephone/telephone.ts';
import type { Voice, VoiceCall, VoiceCallOptions } from '../../../src/telephone/voice-call.ts';
import { assertResembles, babble } from '../../harness/audio.ts';
import { runCommand } from '../../harness/command.ts';
import { startBaresip } from '../baresip/baresip.ts';
import { host, makeCertificate, temporaryFolder } from '../peer.ts';
import { answer, receive, startSipp } from '../sipp/sipp.ts';
import { account, type Kamailio, startKamailio } from './kamailio.ts';

const ours = '+12025550000';
const everybody = '+12025550999';
const silence = (seconds: number) => new Int16Array(seconds * 8_000);

describe('Kamailio', { concurrency: 3, timeout: 90_000 }, () => {
  const greeting = babble(2, 8_000, 41);
  let media: Media;
  let network: PhoneNetwork;
  const ends = new Map<string, PromiseWithResolvers<IncomingCallEnd>>();

  /** How the simulated network saw a call to a number end. */
  function endAt(number: string): PromiseWithResolvers<IncomingCallEnd> {
    const known = ends.get(number) ?? Promise.withResolvers();
    ends.set(number, known);
    return known;
  }

  before(async () => {
    media = new Media({ host, ports: { from: 22_000, to: 22_499 } });
    network = new PhoneNetwork({
      host,
      port: 0,
      media,
      voice: async () => greeting.slice(),
      onEnd: (number, end) => endAt(number).resolve(end),
    });
    await network.listen();
  });
  after(async () => {
    await network.close();
    await media.close();
  });

  async function phone(
    options: Partial<UserAgentOptions> = {},
    credentials: Credentials | null = account,
  ): Promise<UserAgent> {
    const userAgent = new UserAgent({ host, port: 0, ...(credentials && { credentials }), ...options });
    await userAgent.listen();
    after(() => userAgent.close());
    return userAgent;
  }

  function call(userAgent: UserAgent, trunk: string, number: string, options: VoiceCallOptions = {}): VoiceCall {
    return new Telephone({ userAgent, media, trunk }).call(number, ours, options);
  }

  /** Calls until it is answered. */
  async function talk(userAgent: UserAgent, trunk: string, number: string, options: VoiceCallOptions = {}) {
    const { promise: answered, resolve } = Promise.withResolvers<Voice>();
    const placed = call(userAgent, trunk, number, { ...options, onAnswered: resolve });
    const voice = await Promise.race([answered, placed.ended]);
    if (!('play' in voice)) assert.fail(`The call ended as ${voice.kind}: ${voice.reason}`);
    return { placed, voice };
  }

  for (const [about, credentials] of [
    ['a wrong password', { ...account, password: 'another' }],
    ['an unknown name', { ...account, username: 'nobody' }],
    ['no credentials', null],
  ] as const) {
    it(`refuses ${about}`, async () => {
      const kamailio = await startKamailio([network.port]);
      const userAgent = await phone({}, credentials);
      const end = await call(userAgent, kamailio.trunk('udp'), '+12025550100').ended;
      assert.deepEqual(
        [end.kind, end.endedBy, end.sipStatus, end.reason],
        ['carrier-failure', 'them', 407, '407 Proxy Authentication Required'],
      );
    });
  }

  for (const [protocol, number] of [
    ['udp', '+12025550104'],
    ['tcp', '+12025550105'],
    ['tls', '+12025550100'],
  ] as const) {
    it(`connects us over ${protocol.toUpperCase()} to a gateway over UDP; we hear it and hang up`, async () => {
      const kamailio = await startKamailio([network.port]);
      const recordTo = join(await temporaryFolder('call'), 'call.wav');
      const userAgent = await phone({ tls: { ca: kamailio.ca } });
      const { placed, voice } = await talk(userAgent, kamailio.trunk(protocol), number, { recordTo });
      await voice.play(silence(3.5));
      placed.hangUp();
      const end = await placed.ended;
      assert.deepEqual([end.kind, end.endedBy, end.sipStatus], ['answered', 'us', 200]);
      assert.deepEqual((await endAt(number).promise).endedBy, 'them');
      assertResembles(readWav(await readFile(recordTo)).channels[1], greeting, 0.99);
      await kamailio.says(new RegExp(`routed ACK from \\d+ by ${protocol}`));
      await kamailio.says(new RegExp(`routed BYE from \\d+ by ${protocol}`));
    });
  }

  for (const protocol of ['udp', 'tcp', 'tls'] as const) {
    it(`brings the gateway our voice and us its BYE over ${protocol.toUpperCase()}`, async () => {
      const kamailio = await startKamailio([network.port]);
      const { key, cert } = await makeCertificate(await temporaryFolder('phone'));
      const userAgent = await phone({ tls: { ca: kamailio.ca, key, cert } });
      const { placed, voice } = await talk(userAgent, kamailio.trunk(protocol), '+12025550106');
      await voice.play(joined(silence(3), babble(3, 8_000, 42))); // it has enough of our introduction
      const end = await placed.ended;
      assert.deepEqual([end.kind, end.endedBy], ['answered', 'them']);
      await kamailio.says(new RegExp(`routed BYE from ${network.port} by udp`));
    });
  }

  it('is checked by parley trunk check: good, a wrong password, none', async () => {
    const kamailio = await startKamailio([]);
    const scratch = await temporaryFolder('check');
    const check = async (env: Record<string, string>) => {
      const PARLEY_SIP_TRUNK = kamailio.trunk('udp');
      const { stdout } = await runCommand(['trunk', 'check', '--json'], { scratch, env: { PARLEY_SIP_TRUNK, ...env } });
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      const found = findings.find(({ check: what }) => what === 'authentication');
      return [found?.isWell, found?.text.split(/[:(]/)[0]];
    };
    const PARLEY_SIP_USERNAME = account.username;
    assert.deepEqual(await check({ PARLEY_SIP_USERNAME, PARLEY_SIP_PASSWORD: account.password }), [
      true,
      'The trunk asked for a password and took ours ',
    ]);
    assert.deepEqual(await check({ PARLEY_SIP_USERNAME, PARLEY_SIP_PASSWORD: 'wrong' }), [
      false,
      'The trunk refuses the user name or the password ',
    ]);
    assert.deepEqual(await check({}), [false, 'The trunk wants a user name and password']);
  });

  it('is a trunk of parley dial that wants a registration, over TLS', async () => {
    const kamailio = await startKamailio([network.port]);
    const scratch = await temporaryFolder('dial');
    const ca = join(scratch, 'ca.pem');
    await writeFile(ca, kamailio.ca);
    const dial = (password: string) =>
      runCommand(['dial', '+12025550100', '--from', ours, '--seconds', '2', '--json'], {
        scratch,
        env: {
          PARLEY_SIP_TRUNK: kamailio.trunk('tls'),
          PARLEY_SIP_CA: ca,
          PARLEY_SIP_REGISTER: 'yes',
          PARLEY_SIP_USERNAME: account.username,
          PARLEY_SIP_PASSWORD: password,
        },
      });
    const good = await dial(account.password);
    assert.equal(good.code, 0, good.stderr + good.stdout);
    assert.ok(JSON.parse(good.stdout).media.receivedPackets > 50, good.stdout);
    assert.match(kamailio.output(), /registered parley/);
    const wrong = await dial('wrong');
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.stderr, /The trunk does not register us: 401/);
  });

  it('passes a CANCEL on', async () => {
    const kamailio = await startKamailio([network.port]);
    const number = '+12025550102';
    const placed = call(await phone(), kamailio.trunk('udp'), number, {
      onRinging: (status) => status === 180 && placed.hangUp(),
    });
    assert.equal((await placed.ended).kind, 'cancelled');
    assert.equal((await endAt(number).promise).kind, 'cancelled');
    assert.match(kamailio.output(), /saw CANCEL/);
  });

  it('wants a new nonce for a later call', async () => {
    const kamailio = await startKamailio([network.port]);
    const userAgent = await phone();
    const busy = () => call(userAgent, kamailio.trunk('udp'), '+12025550101').ended;
    const first = await busy();
    const { placed, voice } = await talk(userAgent, kamailio.trunk('udp'), '+12025550110');
    await voice.play(silence(3)); // longer than the nonce is good for
    placed.hangUp();
    await placed.ended;
    assert.deepEqual([first.kind, (await busy()).kind], ['busy', 'busy']);
  });

  it('goes to the next gateway when the first says 503', async () => {
    const refusing = await startSipp(
      [receive('INVITE'), answer('503 Service Unavailable', { retransmit: true }), receive('ACK')].join('\n'),
    );
    const kamailio = await startKamailio([refusing.port, network.port]);
    const end = await call(await phone(), kamailio.trunk('udp'), '+12025550101').ended;
    assert.equal(end.kind, 'busy');
    assert.match(kamailio.output(), /next gateway/);
    await refusing.passed;
  });

  it('goes to the next gateway when the first is dead', async () => {
    const kamailio = await startKamailio([await freePort(), network.port]);
    const end = await call(await phone(), kamailio.trunk('tcp'), '+12025550103').ended;
    assert.equal(end.kind, 'declined');
    assert.match(kamailio.output(), /next gateway/);
  });

  it('has no gateway that lives: 408', async () => {
    const kamailio = await startKamailio([await freePort(), await freePort()]);
    const end = await call(await phone(), kamailio.trunk('udp'), '+12025550100').ended;
    assert.deepEqual([end.kind, end.endedBy, end.sipStatus, end.ringingAt], ['carrier-failure', 'them', 408, null]);
  });

  for (const protocol of ['udp', 'tcp'] as const) {
    it(`is found behind a dead server of the same name (RFC 3263), over ${protocol.toUpperCase()}`, async () => {
      const kamailio = await startKamailio([network.port]);
      const dead = { priority: 1, weight: 1, name: 'one.trunk.test', port: await freePort() };
      const alive = { priority: 2, weight: 1, name: 'two.trunk.test', port: kamailio.port };
      const userAgent = await phone({
        timers: { t1: 25, t2: 200, t4: 250 },
        resolver: {
          naptr: async () => [],
          srv: async (name) => (name === `_sip._${protocol}.trunk.test` ? [alive, dead] : []),
          addresses: async () => [host],
        },
      });
      const { placed, voice } = await talk(userAgent, `sip:trunk.test;transport=${protocol}`, '+12025550110');
      await voice.play(silence(0.2));
      placed.hangUp();
      assert.equal((await placed.ended).endedBy, 'us');
      await kamailio.says(/routed BYE/);
    });
  }

  it('rings everybody, and two answer: we talk to the first and hang up on the second', async () => {
    const remembered = ['Via', 'Via', 'Record-Route'].map(
      (header, i) =>
        `<ereg regexp=".*" search_in="hdr" header="${header}:" occurrence="${i === 1 ? 2 : 1}" assign_to="${['via', 'origin', 'route'][i]}"/>`,
    );
    const recorded = { headers: ['[last_Record-Route:]'] };
    const first = await startSipp(
      [
        receive('INVITE'),
        answer('180 Ringing', { tag: 'first', ...recorded }),
        answer('200 OK', { tag: 'first', body: true, retransmit: true, ...recorded }),
        ...[receive('ACK'), receive('BYE'), answer('200 OK', { tag: 'first' })],
      ].join('\n'),
    );
    const second = await startSipp(
      [
        `<recv request="INVITE" crlf="true"><action>${remembered.join('')}</action></recv>`,
        '<Reference variables="via,origin,route"/>',
        answer('180 Ringing', { tag: 'second', ...recorded }),
        receive('CANCEL'),
        answer('200 OK', { tag: 'second' }),
        answer('200 OK', { tag: 'second', body: true, retransmit: true, headers: ['Record-Route:[$route]'] })
          .replace('[last_CSeq:]', 'CSeq: 2 INVITE')
          .replace('[last_Via:]', 'Via:[$via]\nVia:[$origin]'),
        ...[receive('ACK'), receive('BYE'), answer('200 OK', { tag: 'second' })],
      ].join('\n'),
    );
    const kamailio = await startKamailio([first.port, second.port]);
    let answers = 0;
    const userAgent = await phone();
    const placed = call(userAgent, kamailio.trunk('udp'), everybody, { onAnswered: () => answers++ });
    await second.passed;
    placed.hangUp();
    assert.equal((await placed.ended).endedBy, 'us');
    await first.passed;
    assert.equal(answers, 1);
    assert.equal(kamailio.output().match(/routed BYE/g)?.length, 2);
  });

  for (const protocol of ['udp', 'tcp'] as const) {
    it(`takes our registration over ${protocol.toUpperCase()} and brings us the call of a baresip`, async () => {
      const [theirs, mine] = [babble(2, 8_000, 51), babble(2, 8_000, 52)];
      const kamailio = await startKamailio([network.port]);
      const recordTo = join(await temporaryFolder('call'), 'call.wav');
      const { promise: ended, resolve } = Promise.withResolvers<IncomingCallEnd>();
      const userAgent = await phone({
        onInvite: async (incoming) => {
          await takeCall(incoming, recordTo, joined(silence(1), mine));
          resolve(await incoming.ended);
        },
      });
      const { registration, state } = await register(userAgent, kamailio, protocol);
      assert.equal(state.registered, true);
      const baresip = await startBaresip({ says: joined(silence(1), theirs, silence(1)) });
      await baresip.command('dial', `sip:ada@${host}:${kamailio.port}`);
      await baresip.event('CALL_ESTABLISHED');
      const end = await ended;
      assert.deepEqual([end.kind, end.endedBy], ['answered', 'them']);
      await baresip.event('CALL_CLOSED');
      assertResembles(await baresip.heard(), mine, 0.99);
      assertResembles(readWav(await readFile(recordTo)).channels[1], theirs, 0.99);
      await kamailio.says(/routed ACK/);
      await kamailio.says(/routed BYE/);

      await registration.close();
      const tooLate = await startBaresip({ says: silence(5) });
      await tooLate.command('dial', `sip:ada@${host}:${kamailio.port}`);
      assert.equal((await tooLate.event('CALL_CLOSED')).param, '404 Not Found');
    });
  }

  it('does not register a wrong password', async () => {
    const kamailio = await startKamailio([network.port]);
    const userAgent = await phone({}, { ...account, password: 'another' });
    const { state } = await register(userAgent, kamailio, 'udp');
    assert.ok(!state.registered);
    assert.equal(state.status, 401);
  });

  /** Registers until something is known. */
  async function register(userAgent: UserAgent, kamailio: Kamailio, protocol: Protocol) {
    const { promise, resolve } = Promise.withResolvers<RegistrationState>();
    const options = { aor: `sip:ada@${host}`, onState: resolve };
    const registration = userAgent.register(kamailio.trunk(protocol), options);
    return { registration, state: await promise };
  }

  async function takeCall(incoming: IncomingCall, recordTo: string, says: Int16Array): Promise<void> {
    const line = await media.open();
    incoming.ring();
    const side = new SdpSide({ host, port: line.port, srtp: false });
    const agreed = side.answer(incoming.offer ?? '');
    assert.ok(typeof agreed === 'object');
    line.connect(agreed.media);
    line.record(recordTo);
    incoming.answer(agreed.sdp);
    await line.play(says);
    await incoming.ended;
    await line.close();
  }
});

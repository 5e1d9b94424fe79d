import assert from 'node:assert/strict';
import { readdir, readlink } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { Media, type MediaOptions } from '../rtp/media.ts';
import type { MediaLine } from '../rtp/media-line.ts';
import { SdpSide } from '../rtp/sdp.ts';
import type { IncomingCall } from '../sip/incoming-call.ts';
import { UserAgent } from '../sip/user-agent.ts';
import { Telephone, type TelephoneOptions } from './telephone.ts';
import type { VoiceCallOptions } from './voice-call.ts';

const host = '127.0.0.1';
const quick = { t1: 20, t2: 160, t4: 200 };
const [number, from] = ['+12025550100', '+12025550000'];

function newMedia(options: Partial<MediaOptions> = {}): Media {
  const media = new Media({ host, ports: { from: 33_000, to: 33_999 }, ...options });
  after(() => media.close());
  return media;
}

/** Somebody to call: `onCall` says what comes of it. */
async function callee(onCall: (call: IncomingCall) => void): Promise<UserAgent> {
  const agent = new UserAgent({ host, port: 0, timers: quick, onInvite: onCall });
  after(() => agent.close());
  await agent.listen();
  return agent;
}

async function caller(media: Media, other: UserAgent, options: Partial<TelephoneOptions> = {}): Promise<Telephone> {
  const userAgent = new UserAgent({ host, port: 0, timers: quick });
  after(() => userAgent.close());
  await userAgent.listen();
  return new Telephone({ userAgent, media, trunk: `sip:${host}:${other.localPort('udp')}`, ...options });
}

/** Answers with a voice of its own. */
async function answer(call: IncomingCall, media: Media): Promise<{ line: MediaLine; side: SdpSide }> {
  const line = await media.open();
  const side = new SdpSide({ host, port: line.port, srtp: false });
  const made = side.answer(call.offer ?? '');
  if (typeof made === 'string') throw new Error(made);
  line.connect(made.media);
  call.answer(made.sdp);
  call.ended.then(() => line.close());
  return { line, side };
}

describe('a call with its voice', { concurrency: true }, () => {
  it('carries our number, asserted too', async () => {
    const media = newMedia();
    const requests: string[] = [];
    const other = await callee((call) => {
      requests.push(
        call.request.uri,
        ...['from', 'p-asserted-identity'].map((name) => call.request.headers.get(name as 'from') ?? ''),
      );
      call.refuse(486, 'Busy Here');
    });
    const telephone = await caller(media, other, { assertsIdentity: true, fromDomain: 'acme.example' });
    assert.equal((await telephone.call(number, from).ended).kind, 'busy');
    const [uri, caller_, identity] = requests;
    assert.match(uri ?? '', /^sip:\+12025550100@127\.0\.0\.1:\d+;user=phone$/);
    assert.match(caller_ ?? '', /^<sip:\+12025550000@acme\.example>;tag=/);
    assert.equal(identity, '<sip:+12025550000@acme.example>');
  });

  it('takes no number that is none', async () => {
    const telephone = await caller(newMedia(), await callee(() => {}));
    for (const bad of ['12025550100', '+1202555010x', '+1202 555 0100', '+12025550100\r\nX: y', '', '+0123456789'])
      assert.throws(() => telephone.call(bad, from), /must be written like/);
    assert.throws(() => telephone.call(number, 'sip:evil@x'), /must be written like/);
  });

  it('fails on our side when all ports are in use, and works again when they are free', async () => {
    const media = newMedia({ ports: { from: 33_900, to: 33_903 } });
    const theirs = newMedia();
    const other = await callee((call) => void answer(call, theirs));
    const telephone = await caller(media, other);
    const both = [1, 2].map(() => {
      const { promise, resolve } = Promise.withResolvers<void>();
      return { call: telephone.call(number, from, { onAnswered: () => resolve() }), answered: promise };
    });
    await Promise.all(both.map(({ answered }) => answered));
    const third = await telephone.call(number, from).ended;
    assert.deepEqual([third.kind, third.endedBy, third.reason], ['failed', 'us', 'All ports for media are in use']);
    for (const { call } of both) call.hangUp();
    await Promise.all(both.map(({ call }) => call.ended));
    const again = telephone.call(number, from, { onAnswered: () => again.hangUp() });
    assert.equal((await again.ended).kind, 'answered');
  });

  it('is hung up as a failure of the carrier when the answer names no codec of ours', async () => {
    const ended: string[] = [];
    const other = await callee((call) => {
      call.answer(
        'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 18\r\n',
      );
      call.ended.then(({ endedBy }) => ended.push(endedBy));
    });
    const telephone = await caller(newMedia(), other);
    const end = await telephone.call(number, from).ended;
    assert.deepEqual([end.kind, end.endedBy, end.reason], ['carrier-failure', 'us', 'There is no codec in common.']);
    while (ended.length === 0) await new Promise((passed) => setTimeout(passed, 5));
    assert.deepEqual(ended, ['them']);
  });

  it('ends when the trunk is gone in the middle of it', async () => {
    const media = newMedia({ stalledAfterMs: 500 });
    const theirs = newMedia();
    const other = await callee((call) => void answer(call, theirs));
    const telephone = await caller(media, other);
    const call = telephone.call(number, from, {
      onAnswered: async () => {
        await new Promise((passed) => setTimeout(passed, 300));
        await Promise.all([other.close(), theirs.close()]);
      },
    });
    const end = await call.ended;
    assert.deepEqual([end.kind, end.endedBy, end.reason], ['answered', 'network', 'Nothing was heard any more.']);
    assert.ok(end.media.receivedPackets > 5);
  });

  it('is put on hold and taken back by the other side', async () => {
    const theirs = newMedia();
    const held = Promise.withResolvers<number>();
    const other = await callee(async (call) => {
      const { side, line } = await answer(call, theirs);
      const count = async () => (await line.report()).receivedPackets;
      await new Promise((passed) => setTimeout(passed, 200));
      const hold = side.text.replace('a=sendrecv', 'a=sendonly').replace(/(o=- \d+ )\d+/, '$12');
      assert.match((await call.session?.reinvite(hold)) ?? '', /a=recvonly/);
      await new Promise((passed) => setTimeout(passed, 100));
      const before = await count();
      await new Promise((passed) => setTimeout(passed, 300));
      held.resolve((await count()) - before);
      await call.session?.reinvite(side.text.replace(/(o=- \d+ )\d+/, '$13'));
      const resumedAt = await count();
      while ((await count()) < resumedAt + 10) await new Promise((passed) => setTimeout(passed, 20));
      call.session?.hangUp();
    });
    const telephone = await caller(newMedia(), other);
    const end = await telephone.call(number, from).ended;
    assert.equal(await held.promise, 0);
    assert.deepEqual([end.kind, end.endedBy], ['answered', 'them']);
  });

  it('hands the person over to somebody else', async () => {
    const theirs = newMedia();
    const other = await callee(async (call) => {
      const line = await theirs.open();
      const made = new SdpSide({ host, port: line.port, srtp: false }).answer(call.offer ?? '');
      if (typeof made === 'string') throw new Error(made);
      line.connect(made.media);
      call.answer(made.sdp, { onTransfer: async (target) => (target === 'sip:+12025550042@example.com' ? 200 : 404) });
      call.ended.then(() => line.close());
    });
    const telephone = await caller(newMedia(), other);
    const statuses: number[] = [];
    const options: VoiceCallOptions = {
      onAnswered: async (voice) => {
        statuses.push(await voice.transfer('sip:+12025550042@example.com'));
        call.hangUp();
      },
    };
    const call = telephone.call(number, from, options);
    assert.equal((await call.ended).kind, 'answered');
    assert.deepEqual(statuses, [200]);
  });
});

describe('many calls', () => {
  it('leave no port, socket or line behind after 1,000 calls of every kind', async () => {
    const media = newMedia({ ports: { from: 33_100, to: 33_299 } });
    const theirs = newMedia({ ports: { from: 33_300, to: 33_499 } });
    const other = await callee((call) => {
      const fate = Math.floor(Math.random() * 4);
      if (fate === 0) call.refuse(486, 'Busy Here');
      else if (fate === 1) call.ring();
      else answer(call, theirs).then(() => fate === 2 && setTimeout(() => call.session?.hangUp(), 20));
    });
    const telephone = await caller(media, other);
    const free = (await media.state()).freePorts;
    const before = await openSockets();
    let left = 1_000;
    const kinds = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        while (left-- > 0) {
          const call = telephone.call(number, from, {
            ringMs: 50,
            onAnswered: () => void setTimeout(() => call.hangUp(), 40),
          });
          const { kind } = await call.ended;
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        }
      }),
    );
    assert.deepEqual([...kinds.keys()].sort(), ['answered', 'busy', 'no-answer']);
    assert.equal(media.size, 0);
    assert.equal((await media.state()).freePorts, free);
    while (theirs.size > 0) await new Promise((passed) => setTimeout(passed, 10));
    assert.equal(await openSockets(), before);
  });
});

async function openSockets(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const folder = '/proc/self/fd';
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith('socket:')).length;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pcma, pcmu } from './g711.ts';
import { g722 } from './g722.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { SdpSide } from './sdp.ts';

const local = { host: '192.0.2.1', port: 40_000, srtp: false };
const key = 'A'.repeat(40);

type Parts = { session?: string[]; m?: string; lines?: string[]; c?: string | undefined; more?: string[] };

/** Text of the other side. */
function sdp({ session = [], m = 'audio 5000 RTP/AVP 0', lines = [], c = 'IN IP4 198.51.100.7', more = [] }: Parts) {
  const first = ['v=0', 'o=x 1 1 IN IP4 198.51.100.7', 's=-'];
  return [...first, ...(c ? [`c=${c}`] : []), 't=0 0', ...session, `m=${m}`, ...lines, ...more, ''].join('\r\n');
}

function accepted(answer: string, options = {}): NegotiatedMedia {
  const side = new SdpSide({ ...local, ...options });
  side.offer();
  const media = side.accept(answer);
  assert.ok(typeof media !== 'string', String(media));
  return media;
}

function refused(answer: string, options = {}): string {
  const side = new SdpSide({ ...local, ...options });
  side.offer();
  const reason = side.accept(answer);
  assert.ok(typeof reason === 'string', 'It was accepted');
  return reason;
}

function answered(offer: string, options = {}): { sdp: string; media: NegotiatedMedia } {
  const made = new SdpSide({ ...local, ...options }).answer(offer);
  assert.ok(typeof made !== 'string', String(made));
  return made;
}

const linesOf = (text: string) => text.split('\r\n').slice(0, -1);
const versionOf = (text: string) => Number(/^o=- \d+ (\d+) /m.exec(text)?.[1]);

describe('our offer', () => {
  it('names all that we speak, the most wanted first', () => {
    const [version, origin, ...rest] = linesOf(new SdpSide(local).offer());
    assert.equal(version, 'v=0');
    assert.match(origin ?? '', /^o=- \d+ 1 IN IP4 192\.0\.2\.1$/);
    assert.deepEqual(rest, [
      's=-',
      'c=IN IP4 192.0.2.1',
      't=0 0',
      'm=audio 40000 RTP/AVP 0 8 9 13 101',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:13 CN/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=rtcp-mux',
      'a=sendrecv',
    ]);
  });

  it('names the codecs that it is told, in their order', () => {
    const offer = new SdpSide({ ...local, codecs: [g722, pcma] }).offer();
    assert.match(offer, /^m=audio 40000 RTP\/AVP 9 8 13 101\r$/m);
    assert.doesNotMatch(offer, /PCMU/);
  });

  it('names two ways to encrypt, each with a key of its own', () => {
    const offer = new SdpSide({ ...local, srtp: true }).offer();
    assert.match(offer, /^m=audio 40000 RTP\/SAVP /m);
    const cryptos = [...offer.matchAll(/^a=crypto:(\d) (\w+) inline:([A-Za-z0-9+/=]{40})\r$/gm)].map(
      ([, ...all]) => all,
    );
    assert.deepEqual(
      cryptos.map(([tag, suite]) => `${tag} ${suite}`),
      ['1 AES_CM_128_HMAC_SHA1_80', '2 AES_CM_128_HMAC_SHA1_32'],
    );
    assert.notEqual(cryptos[0]?.[2], cryptos[1]?.[2]);
  });

  it('has an address of IPv6', () => {
    const offer = new SdpSide({ ...local, host: '2001:db8::1' }).offer();
    assert.match(offer, /^o=- \d+ 1 IN IP6 2001:db8::1\r$/m);
    assert.match(offer, /^c=IN IP6 2001:db8::1\r$/m);
  });

  it('keeps its version until something changes, and its keys even then', () => {
    const side = new SdpSide({ ...local, srtp: true });
    const first = side.offer();
    assert.equal(side.offer(), first);
    const crypto = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`;
    const theirs = sdp({ m: 'audio 5000 RTP/SAVP 0', lines: [crypto] });
    const held = sdp({ m: 'audio 5000 RTP/SAVP 0', lines: [crypto, 'a=sendonly'] });
    const texts = [theirs, theirs, held, theirs].map((offer) => side.answer(offer));
    const answers = texts.map((made) => (typeof made === 'string' ? assert.fail(made) : made));
    assert.deepEqual(
      answers.map(({ sdp: text }) => versionOf(text)),
      [2, 2, 3, 4],
    );
    assert.equal(side.text, answers[3]?.sdp);
    assert.equal(new Set(answers.map(({ media }) => media.srtp?.ours.key.toString('hex'))).size, 1);
    assert.equal(versionOf(side.offer()), 5);
    assert.deepEqual(side.offer().match(/^a=crypto.*$/gm), first.match(/^a=crypto.*$/gm));
  });
});

describe('the answer to our offer', () => {
  it('settles on its first codec, under the number that each side gave', () => {
    const lines = ['a=rtpmap:96 PCMA/8000', 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:100 telephone-event/8000', 'a=rtcp-mux'];
    assert.deepEqual(accepted(sdp({ m: 'audio 5000 RTP/AVP 96 0 100', lines })), {
      remote: { host: '198.51.100.7', rtpPort: 5_000, rtcpPort: 5_000 },
      codec: 'PCMA',
      payloadTypes: { send: 96, receive: 8 },
      telephoneEvents: { send: 100, receive: 101 },
      comfortNoise: undefined,
      sends: true,
      receives: true,
      srtp: undefined,
    });
  });

  it('needs no rtpmap for static types', () => {
    for (const [type, codec] of [
      [0, 'PCMU'],
      [8, 'PCMA'],
      [9, 'G722'],
    ] as const) {
      const media = accepted(sdp({ m: `audio 5000 RTP/AVP 18 ${type} 13` }));
      assert.equal(media.codec, codec);
      assert.deepEqual(media.comfortNoise, { send: 13, receive: 13 });
      assert.equal(media.telephoneEvents, undefined);
    }
  });

  it('may write names in any case and give one channel', () => {
    const lines = ['a=rtpmap:97 pcma/8000/1', 'a=rtpmap:98 Telephone-Event/8000'];
    const media = accepted(sdp({ m: 'audio 5000 RTP/AVP 97 98', lines }));
    assert.deepEqual([media.codec, media.telephoneEvents?.send], ['PCMA', 98]);
  });

  it('is refused when nothing in it is spoken here', () => {
    const none = 'There is no codec in common';
    assert.equal(refused(sdp({ m: 'audio 5000 RTP/AVP 18', lines: ['a=rtpmap:18 G729/8000'] })), none);
    assert.equal(refused(sdp({ m: 'audio 5000 RTP/AVP 96', lines: ['a=rtpmap:96 PCMU/16000'] })), none);
    assert.equal(refused(sdp({ m: 'audio 5000 RTP/AVP 96', lines: ['a=rtpmap:96 PCMU/8000/2'] })), none);
    assert.equal(refused(sdp({ m: 'audio 5000 RTP/AVP 0', lines: ['a=rtpmap:0 opus/48000'] })), none);
    assert.equal(refused(sdp({ m: 'audio 5000 RTP/AVP 8' }), { codecs: [pcmu] }), none);
    assert.equal(refused(sdp({ m: 'audio 5000 RTP/AVP' })), none);
  });

  it('has RTCP on the next port, the named one, or the same', () => {
    const rtcpPort = (...lines: string[]) => accepted(sdp({ lines })).remote.rtcpPort;
    assert.equal(rtcpPort(), 5_001);
    assert.equal(rtcpPort('a=rtcp:6000'), 6_000);
    assert.equal(rtcpPort('a=rtcp:6000 IN IP4 198.51.100.7'), 6_000);
    assert.equal(rtcpPort('a=rtcp:99999'), 5_001);
    assert.equal(rtcpPort('a=rtcp:6000', 'a=rtcp-mux'), 5_000);
  });

  it('has the address of its stream rather than that of the whole', () => {
    assert.equal(accepted(sdp({ lines: ['c=IN IP4 203.0.113.9'] })).remote.host, '203.0.113.9');
    assert.equal(accepted(sdp({ c: undefined, lines: ['c=IN IP4 203.0.113.9'] })).remote.host, '203.0.113.9');
    assert.equal(accepted(sdp({ c: 'IN IP6 2001:db8::7' })).remote.host, '2001:db8::7');
  });

  it('is refused without an address or a port', () => {
    const address = 'The other side names no address for its audio';
    for (const c of ['', 'IN IP4 phone.example', 'IN IP4 5', 'IN IP4 1.2.3', 'IN IP4 224.2.1.1/127']) {
      assert.equal(refused(sdp({ c })), address);
    }
    assert.equal(refused(sdp({ m: 'audio 0 RTP/AVP 0' })), 'The other side describes no audio');
    assert.equal(refused(sdp({ m: 'video 5000 RTP/AVP 0' })), 'The other side describes no audio');
    for (const port of ['65536', '99999999999999999999']) {
      assert.equal(refused(sdp({ m: `audio ${port} RTP/AVP 0` })), 'The other side names no port for its audio');
    }
  });

  it('says who may speak, for its stream rather than for the whole', () => {
    const flow = (parts: Parts) => {
      const { sends, receives } = accepted(sdp(parts));
      return { sends, receives };
    };
    assert.deepEqual(flow({}), { sends: true, receives: true });
    assert.deepEqual(flow({ lines: ['a=sendonly'] }), { sends: false, receives: true });
    assert.deepEqual(flow({ lines: ['a=recvonly'] }), { sends: true, receives: false });
    assert.deepEqual(flow({ session: ['a=inactive'] }), { sends: false, receives: false });
    assert.deepEqual(flow({ session: ['a=inactive'], lines: ['a=sendrecv'] }), { sends: true, receives: true });
    for (const c of ['IN IP4 0.0.0.0', 'IN IP6 ::']) assert.deepEqual(flow({ c }), { sends: false, receives: false });
  });

  it('may want packets of another length, which changes nothing', () => {
    for (const ptime of ['10', '30', '0', '-1', 'x']) accepted(sdp({ lines: [`a=ptime:${ptime}`] }));
  });

  it('is encrypted if and only if we asked for it', () => {
    const crypto = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`;
    const secure = (...lines: string[]) => sdp({ m: 'audio 5000 RTP/SAVP 0', lines });
    assert.equal(refused(sdp({}), { srtp: true }), 'The answer is not encrypted');
    assert.equal(refused(secure(crypto)), 'The answer asks for encryption');
    const media = accepted(secure(crypto), { srtp: true });
    assert.equal(media.srtp?.theirs.key.toString('base64'), key);
    assert.equal(media.srtp?.ours.suite, 'AES_CM_128_HMAC_SHA1_80');
    assert.ok(accepted(sdp({ m: 'audio 5000 RTP/SAVPF 0', lines: [crypto] }), { srtp: true }).srtp);
    assert.equal(accepted(sdp({ m: 'audio 5000 RTP/AVPF 0' })).srtp, undefined);
    assert.equal(
      refused(sdp({ m: 'audio 5000 UDP/TLS/RTP/SAVPF 0' })),
      'The other side wants audio over UDP/TLS/RTP/SAVPF',
    );
  });

  it('is refused when its key cannot be used', () => {
    const secure = (...lines: string[]) => sdp({ m: 'audio 5000 RTP/SAVP 0', lines });
    const suite = 'AES_CM_128_HMAC_SHA1_80';
    for (const lines of [
      [],
      ['a=crypto:'],
      [`a=crypto:1 ${suite} inline:short`],
      [`a=crypto:1 ${suite} inline:${key}|1:4`],
      [`a=crypto:1 ${suite} inline:${key} UNENCRYPTED_SRTP`],
      [`a=crypto:1 __proto__ inline:${key}`],
      [`a=crypto:3 ${suite} inline:${key}`], // no tag of ours
      [`a=crypto:2 ${suite} inline:${key}`], // the tag of another suite
    ]) {
      assert.equal(refused(secure(...lines), { srtp: true }), 'The answer names no key for the encryption');
    }
  });
});

describe('our answer', () => {
  it('takes the first codec of theirs under their number, and mirrors the rest', () => {
    const lines = [
      'a=rtpmap:111 opus/48000/2',
      'a=rtpmap:98 PCMA/8000',
      'a=rtpmap:99 telephone-event/48000',
      'a=rtpmap:110 telephone-event/8000',
      'a=rtcp-mux',
      'a=sendonly',
    ];
    const { sdp: text, media } = answered(sdp({ m: 'audio 5000 RTP/AVP 111 98 0 99 110 13', lines }));
    assert.deepEqual(linesOf(text).slice(5), [
      'm=audio 40000 RTP/AVP 98 13 110',
      'a=rtpmap:98 PCMA/8000',
      'a=rtpmap:13 CN/8000',
      'a=rtpmap:110 telephone-event/8000',
      'a=fmtp:110 0-15',
      'a=ptime:20',
      'a=rtcp-mux',
      'a=recvonly',
    ]);
    assert.deepEqual(media.payloadTypes, { send: 98, receive: 98 });
    assert.deepEqual(media.telephoneEvents, { send: 110, receive: 110 });
    assert.deepEqual([media.sends, media.receives], [false, true]);
  });

  it('refuses every other stream in its place', () => {
    const { sdp: text } = answered(
      sdp({
        m: 'video 6000 RTP/AVP 96 97',
        lines: ['a=rtpmap:96 VP8/90000'],
        more: ['m=audio 0 RTP/AVP 0', 'm=audio 5000 RTP/AVP 0', 'm=image 7000 udptl t38', 'm=audio 5002 RTP/AVP 8'],
      }),
    );
    assert.deepEqual(text.match(/^m=.*(?=\r)/gm), [
      'm=video 0 RTP/AVP 96 97',
      'm=audio 0 RTP/AVP 0',
      'm=audio 40000 RTP/AVP 0',
      'm=image 0 udptl t38',
      'm=audio 0 RTP/AVP 8',
    ]);
  });

  it('is none to a stream that cannot be read, rather than a wrong one', () => {
    const made = new SdpSide(local).answer(sdp({ more: ['m=x-odd'] }));
    assert.equal(made, 'The other side describes what cannot be read');
  });

  it('has no RTCP on the same port unless it was offered', () => {
    assert.doesNotMatch(answered(sdp({})).sdp, /rtcp-mux/);
  });

  it('puts the sound on hold as the other side asks', () => {
    const direction = (parts: Parts) =>
      /^a=(sendrecv|sendonly|recvonly|inactive)\r$/m.exec(answered(sdp(parts)).sdp)?.[1];
    assert.equal(direction({}), 'sendrecv');
    assert.equal(direction({ lines: ['a=recvonly'] }), 'sendonly');
    assert.equal(direction({ lines: ['a=inactive'] }), 'inactive');
    assert.equal(direction({ c: 'IN IP4 0.0.0.0' }), 'inactive');
  });

  it('encrypts with the first suite of theirs that can be used, and accepts nothing less when told so', () => {
    const lines = [
      `a=crypto:4 AES_192_CM_HMAC_SHA1_80 inline:${key}`,
      `a=crypto:5 AES_CM_128_HMAC_SHA1_32 inline:${key}|2^31`,
      `a=crypto:6 AES_CM_128_HMAC_SHA1_80 inline:${key}`,
    ];
    const { sdp: text, media } = answered(sdp({ m: 'audio 5000 RTP/SAVPF 0', lines }));
    assert.match(text, /^m=audio 40000 RTP\/SAVPF 0\r$/m);
    assert.match(text, /^a=crypto:5 AES_CM_128_HMAC_SHA1_32 inline:/m);
    assert.equal(text.match(/a=crypto/g)?.length, 1);
    assert.notEqual(media.srtp?.ours.key.toString('base64'), key);
    const strict = new SdpSide({ ...local, srtp: true });
    assert.equal(strict.answer(sdp({})), 'The offer is not encrypted');
    assert.equal(strict.answer(sdp({ m: 'audio 5000 RTP/SAVP 0' })), 'The offer names no key that can be used');
    assert.equal(
      new SdpSide(local).answer(sdp({ m: 'audio 5000 RTP/SAVP 0' })),
      'The offer names no key that can be used',
    );
  });

  it('keeps its key when the offer comes again', () => {
    const side = new SdpSide(local);
    const crypto = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`;
    const keys = [[], ['a=sendonly']].map((lines) => {
      const made = side.answer(sdp({ m: 'audio 5000 RTP/SAVP 0', lines: [crypto, ...lines] }));
      assert.ok(typeof made !== 'string', String(made));
      return made.media.srtp?.ours.key.toString('hex');
    });
    assert.ok(keys[0]);
    assert.equal(keys[1], keys[0]);
  });

  it('settles the same as the other side reads from it', () => {
    for (const srtp of [false, true]) {
      const caller = new SdpSide({ ...local, srtp });
      const { sdp: text, media } = answered(caller.offer(), { host: '192.0.2.2', port: 41_000 });
      const settled = caller.accept(text);
      assert.ok(typeof settled !== 'string');
      assert.deepEqual(settled.srtp?.ours.key, media.srtp?.theirs.key);
      assert.deepEqual(settled.srtp?.theirs.key, media.srtp?.ours.key);
      assert.deepEqual(settled.payloadTypes, media.payloadTypes);
      assert.equal(settled.remote.rtpPort, 41_000);
    }
  });
});

describe('a hostile description', () => {
  function survive(text: string): void {
    const began = performance.now();
    for (const srtp of [false, true]) {
      const side = new SdpSide({ ...local, srtp });
      side.offer();
      side.accept(text);
      side.answer(text);
    }
    const tookMs = performance.now() - began;
    assert.ok(tookMs < 1_000, `${tookMs} ms`);
  }

  it('never throws and takes no time, however large', () => {
    const many = (line: string, count = 10_000) => Array<string>(count).fill(line);
    survive(sdp({ more: many('m=audio 5000 RTP/AVP 0') }));
    survive(sdp({ more: many('m=video 5000 RTP/AVP 0') }));
    survive(sdp({ lines: many('a=rtpmap:0 X/8000') }));
    survive(sdp({ m: `audio 5000 RTP/AVP ${'18 '.repeat(100_000)}`, lines: many('a=rtpmap:1 X/8000') }));
    survive(sdp({ m: 'audio 5000 RTP/SAVP 0', lines: many(`a=crypto:1 X inline:${key}`) }));
    survive(sdp({ lines: [`a=${'x'.repeat(1_000_000)}`] }));
    for (const name of [
      'imageattr:97 send',
      'simulcast:',
      'mediaclk:',
      'rtpmap:0',
      'ptime:',
      'floorid:',
      'candidate:',
    ]) {
      for (const filler of ['[a] ', '1.', ' ', '[', 'send '])
        survive(sdp({ lines: [`a=${name} ${filler.repeat(20_000)}`] }));
    }
  });

  it('never throws, whatever it holds', () => {
    survive('');
    survive('\0\xff'.repeat(1_000));
    survive('m=\r\nm= \r\nm=audio\r\n');
    survive(sdp({ lines: ['a=rtpmap:0 1234/8000'] })); // a name that looks like a number
    survive(sdp({ lines: ['a=__proto__:x', 'a=constructor:x', 'a=rtpmap:__proto__ x/1', 'a=fmtp:0 __proto__=1'] }));
    survive(sdp({ m: '__proto__ 5000 RTP/AVP 0' }));
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
    const piece = fc.constantFrom(
      ...linesOf(sdp({ m: 'audio 5000 RTP/SAVP 0 8 96', lines: ['a=rtpmap:96 PCMU/8000', 'a=rtcp:1', 'a=sendonly'] })),
      'm=audio 1 RTP/AVP 0',
      'c=IN IP4 0.0.0.0',
      `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`,
      'a=rtpmap:0 0/0/0',
    );
    const mangled = fc.tuple(piece, fc.nat({ max: 40 }), fc.string({ unit: 'binary', maxLength: 8 }));
    const line = mangled.map(([text, at, noise]) => (noise ? text.slice(0, at) + noise + text.slice(at) : text));
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, line), { maxLength: 20 }), (lines) => survive(lines.join('\r\n'))),
      { numRuns: 500 },
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { middleOf, ntpOf, parseRtcp, roundTripMsOf, writeRtcp } from './rtcp.ts';

const sender = { ntpSeconds: 0xe000_0001, ntpFraction: 0x8000_0000, timestamp: 0xffff_ffff, packets: 7, octets: 1_120 };
const block = {
  ssrc: 0xdead_beef,
  fractionLost: 255,
  lost: -3,
  highest: 0x1_0002,
  jitter: 12,
  lastSenderReport: 0xfedc_ba98,
  delay: 65_536,
};
const said = { ssrc: 5, cname: 'a-name' };

describe('an RTCP packet', () => {
  it('is read as it was written', () => {
    for (const each of [
      { sender, block, isBye: true },
      { sender, block: undefined, isBye: false },
      { sender: undefined, block, isBye: false },
      { sender: undefined, block: undefined, isBye: true },
    ]) {
      const blocks = each.block ? [each.block] : [];
      assert.deepEqual(parseRtcp(writeRtcp({ ...said, ...each })), {
        sender: each.sender,
        blocks,
        isBye: each.isBye,
      });
    }
  });

  it('has the bytes of RFC 3550: a report first, then the name, then goodbye', () => {
    const packet = writeRtcp({ ...said, sender: undefined, block: undefined, isBye: true });
    const report = '80c9000100000005';
    const description = '81ca000400000005' + '0106612d6e616d65' + '00000000';
    assert.equal(packet.toString('hex'), `${report}${description}81cb000100000005`);
    for (const cname of ['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'x'.repeat(255)]) {
      const named = writeRtcp({ ...said, cname, sender, block });
      assert.equal(named.length % 4, 0);
      assert.equal(named.at(-1), 0); // the list of items is ended
      assert.ok(parseRtcp(named));
    }
  });

  it('is no RTCP when a length or the version is wrong', () => {
    const packet = writeRtcp({ ...said, sender, block });
    assert.equal(parseRtcp(Buffer.alloc(0)), undefined);
    for (let length = 1; length < 52; length++) assert.equal(parseRtcp(packet.subarray(0, length)), undefined);
    assert.equal(parseRtcp(Buffer.from('00c9000100000005', 'hex')), undefined);
    assert.equal(parseRtcp(Buffer.from('80c9ffff00000005', 'hex')), undefined);
  });

  it('has no more blocks than its bytes hold', () => {
    const packet = writeRtcp({ ...said, sender: undefined, block });
    packet[0] = 0x80 | 31;
    assert.equal(parseRtcp(packet)?.blocks.length, 1);
    assert.deepEqual(parseRtcp(Buffer.from('9fc80000', 'hex')), { sender: undefined, blocks: [], isBye: false });
  });

  it('never throws, whatever the bytes', () => {
    const type = fc.integer({ min: 195, max: 210 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 128 }), type, fc.integer({ min: 0, max: 32 }), (bytes, kind, words) => {
        const datagram = Buffer.concat([Buffer.from([0x9f, kind, 0, words]), bytes]);
        parseRtcp(datagram);
        parseRtcp(Buffer.from(bytes));
      }),
    );
  });
});

describe('the time of a report', () => {
  it('counts from 1900, in fractions of 2^-32', () => {
    assert.deepEqual(ntpOf(0), { ntpSeconds: 2_208_988_800, ntpFraction: 0 });
    assert.deepEqual(ntpOf(1_500), { ntpSeconds: 2_208_988_801, ntpFraction: 0x8000_0000 });
    assert.equal(middleOf({ ntpSeconds: 0x1234_5678, ntpFraction: 0x9abc_def0 }), 0x5678_9abc);
    // 2036-02-07 06:28:16: NTP begins anew.
    assert.equal(ntpOf(2_085_978_496_000).ntpSeconds, 0);
  });

  const sentAt = 1_790_000_000_000;
  const answered = (heldMs: number) => ({
    ...block,
    lastSenderReport: middleOf(ntpOf(sentAt)),
    delay: Math.round(heldMs * 65.536),
  });

  it('tells the round trip when it comes back', () => {
    const trip = roundTripMsOf(answered(3_000), sentAt + 3_048);
    assert.ok(trip !== undefined && Math.abs(trip - 48) < 0.1, String(trip));
  });

  it('tells a round trip of nothing when the clocks round against each other', () => {
    assert.equal(roundTripMsOf(answered(3_000), sentAt + 2_999), 0);
  });

  it('tells none when the answer makes no sense', () => {
    assert.equal(roundTripMsOf(answered(3_000), sentAt), undefined);
    assert.equal(roundTripMsOf(answered(0), sentAt + 60_000), undefined);
  });

  it('tells it across the wrap of the seconds', () => {
    const before = { ...block, lastSenderReport: middleOf({ ntpSeconds: 0xffff, ntpFraction: 0xff00_0000 }), delay: 0 };
    const unixMs = (0x1_0000 * 40_000 - 2_208_988_800) * 1_000;
    const trip = roundTripMsOf(before, unixMs);
    assert.ok(trip !== undefined && trip > 0 && trip < 10, String(trip));
  });
});

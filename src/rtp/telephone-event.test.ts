import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  digitOfEvent,
  eventOfDigit,
  type OutgoingEvent,
  parseTelephoneEvent,
  TelephoneEventReceiver,
  TelephoneEventSender,
  writeTelephoneEvent,
} from './telephone-event.ts';

type Packet = { payload: Uint8Array; timestamp: number };

/** The packets that press these keys, beginning at a timestamp. */
function press(digits: string, start = 1000): Packet[] {
  const sender = new TelephoneEventSender();
  sender.push(digits);
  const packets: Packet[] = [];
  let now = start;
  let timestamp = start;
  while (sender.isSending) {
    const next = sender.next();
    if (next?.isFirst) timestamp = now;
    if (next) {
      const payload = new Uint8Array(4);
      writeTelephoneEvent(payload, 0, { ...next, volume: 10 });
      packets.push({ payload, timestamp: timestamp >>> 0 });
    }
    now += 160;
  }
  return packets;
}

function hear(packets: Packet[]): string {
  const receiver = new TelephoneEventReceiver();
  return packets.map(({ payload, timestamp }) => receiver.receive(payload, timestamp) ?? '').join('');
}

describe('the payload of a telephone event', () => {
  it('is read as RFC 4733 §2.3 lays it out', () => {
    assert.deepEqual(parseTelephoneEvent(Uint8Array.of(11, 0x8a, 0x03, 0x20)), {
      event: 11,
      isEnd: true,
      volume: 10,
      duration: 800,
    });
  });

  it('is written at an offset and reads back', () => {
    const target = new Uint8Array(6);
    const event = { event: 5, isEnd: false, volume: 63, duration: 0xfffe };
    writeTelephoneEvent(target, 1, event);
    assert.deepEqual(parseTelephoneEvent(target.subarray(1)), event);
    assert.deepEqual([target[0], target[5]], [0, 0]);
  });

  it('is nothing when cut short', () => {
    assert.equal(parseTelephoneEvent(Uint8Array.of(1, 2, 3)), undefined);
  });

  it('names the sixteen keys and nothing else', () => {
    const keys = [...'0123456789*#ABCD'];
    assert.deepEqual(keys.map(eventOfDigit), [...keys.keys()]);
    assert.deepEqual(
      keys.map((_, event) => digitOfEvent(event)),
      keys,
    );
    assert.equal(eventOfDigit('c'), 14);
    assert.deepEqual(['', 'E', '12', ' '].map(eventOfDigit), [undefined, undefined, undefined, undefined]);
    assert.equal(digitOfEvent(16), undefined);
  });
});

describe('a receiver of telephone events', () => {
  it('reports each key at its first packet', () => {
    const receiver = new TelephoneEventReceiver();
    const heard = press('1').map(({ payload, timestamp }) => receiver.receive(payload, timestamp));
    assert.deepEqual(heard, ['1', ...Array(6).fill(undefined)]);
  });

  it('tells two presses of one key apart', () => {
    assert.equal(hear(press('11#22*')), '11#22*');
  });

  it('misses no press and doubles none whichever packets of each are lost', () => {
    const [first = [], second = []] = [press('5', 1000), press('5', 1000 + 8 * 160)];
    for (let lostFirst = 0; lostFirst < 127; lostFirst++) {
      for (let lostSecond = 0; lostSecond < 127; lostSecond++) {
        const left = (packets: Packet[], lost: number) => packets.filter((_, at) => ((lost >> at) & 1) === 0);
        assert.equal(
          hear([...left(first, lostFirst), ...left(second, lostSecond)]),
          '55',
          `${lostFirst} ${lostSecond}`,
        );
      }
    }
  });

  it('is not misled by duplicates', () => {
    assert.equal(hear(press('77').flatMap((packet) => [packet, packet])), '77');
    const once = press('3');
    assert.equal(hear([...once, ...once]), '3');
  });

  it('takes packets of an earlier key that come late for no new key', () => {
    const [a, b] = [press('1', 1000), press('2', 2280)];
    assert.equal(hear([...a.slice(0, 4), ...b.slice(0, 1), ...a.slice(4), ...b.slice(1)]), '12');
    assert.equal(hear([...a.toReversed(), ...b.toReversed()]), '12');
  });

  it('follows the timestamp over its wrap', () => {
    assert.equal(hear(press('9899', 2 ** 32 - 1500)), '9899');
    const [a, b] = [press('1', 2 ** 32 - 800), press('1', 2 ** 32 + 480)];
    assert.equal(hear([...a.slice(0, 2), ...b.slice(0, 1), ...a.slice(2), ...b.slice(1)]), '11');
  });

  it('takes a key held longer than one segment lasts for one press', () => {
    const payload = (duration: number, isEnd = false) => {
      const bytes = new Uint8Array(4);
      writeTelephoneEvent(bytes, 0, { event: 1, isEnd, volume: 10, duration });
      return bytes;
    };
    const held = [
      { payload: payload(160), timestamp: 1000 },
      { payload: payload(0xffff), timestamp: 1000 },
      { payload: payload(160), timestamp: 1000 + 0xffff },
      { payload: payload(800, true), timestamp: 1000 + 0xffff },
    ];
    assert.equal(hear(held), '1');
    assert.equal(hear(held.toSpliced(1, 1)), '1');
    assert.equal(hear([...held, ...press('1', 1000 + 0xffff + 1280)]), '11');
  });

  it('hears one press from a sender that moves the timestamp on with each packet', () => {
    const wrong = (start: number) => press('4').map(({ payload }, at) => ({ payload, timestamp: start + at * 160 }));
    assert.equal(hear([...wrong(1000), ...wrong(1000 + 8 * 160)]), '44');
  });

  it('hears a stream that begins anew far back', () => {
    assert.equal(hear([...press('1', 4_000_000), ...press('2', 1000)]), '12');
  });

  it('ignores events that are no keys and payloads that are none', () => {
    const receiver = new TelephoneEventReceiver();
    assert.equal(receiver.receive(Uint8Array.of(32, 10, 0, 160), 1), undefined);
    assert.equal(receiver.receive(Uint8Array.of(1), 2), undefined);
    assert.equal(receiver.receive(Uint8Array.of(1, 10, 0, 160), 3), '1');
  });
});

describe('a sender of telephone events', () => {
  const ticks = (sender: TelephoneEventSender): (OutgoingEvent | undefined)[] => {
    const sent: (OutgoingEvent | undefined)[] = [];
    while (sender.isSending) sent.push(sender.next());
    return sent;
  };

  it('presses for 100 ms, ends three times with the same duration and pauses to 60 ms', () => {
    const sender = new TelephoneEventSender();
    sender.push('#');
    const packet = (duration: number, isEnd = false, isFirst = false) => ({ event: 11, isEnd, duration, isFirst });
    assert.deepEqual(ticks(sender), [
      packet(160, false, true),
      packet(320),
      packet(480),
      packet(640),
      packet(800, true),
      packet(800, true),
      packet(800, true),
      undefined,
    ]);
    assert.equal(sender.next(), undefined);
  });

  it('begins each key of the queue anew, also one pushed meanwhile', () => {
    const sender = new TelephoneEventSender();
    sender.push('1');
    sender.next();
    sender.push('1 x2');
    const rest = ticks(sender);
    assert.deepEqual(
      rest.flatMap((packet, at) => (packet?.isFirst ? [[at, packet.event]] : [])),
      [
        [7, 1],
        [15, 2],
      ],
    );
    assert.equal(rest.length, 23);
  });

  it('counts in the units of another clock and keeps other times', () => {
    const sender = new TelephoneEventSender({ clockRate: 48000, pressMs: 40, pauseMs: 100 });
    sender.push('0');
    assert.deepEqual(
      ticks(sender).map((packet) => packet?.duration),
      [960, 1920, 1920, 1920, undefined, undefined, undefined],
    );
  });
});

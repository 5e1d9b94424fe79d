/** The payload of RFC 4733 §2.3. */
export type TelephoneEvent = { event: number; isEnd: boolean; volume: number; duration: number };

const digits = '0123456789*#ABCD';

export function digitOfEvent(event: number): string | undefined {
  return digits[event];
}

export function eventOfDigit(digit: string): number | undefined {
  const event = digit.length === 1 ? digits.indexOf(digit.toUpperCase()) : -1;
  return event === -1 ? undefined : event;
}

export function parseTelephoneEvent(payload: Uint8Array): TelephoneEvent | undefined {
  const [event, flags, high, low] = payload;
  if (event === undefined || flags === undefined || high === undefined || low === undefined) return undefined;
  return { event, isEnd: (flags & 0x80) !== 0, volume: flags & 0x3f, duration: (high << 8) | low };
}

export function writeTelephoneEvent(target: Uint8Array, offset: number, event: TelephoneEvent): void {
  target[offset] = event.event;
  target[offset + 1] = (event.isEnd ? 0x80 : 0) | (event.volume & 0x3f);
  target[offset + 2] = event.duration >> 8;
  target[offset + 3] = event.duration;
}

// A minute of 8000 Hz: no packet comes that late, so that it belongs to a stream that began anew.
const longestDelay = 480_000;

/**
 * Hears each key press once. All packets of one press carry the timestamp of its beginning (RFC 4733 §2.5.1.1), so
 * that the timestamp alone tells presses apart, whichever packets are lost.
 */
export class TelephoneEventReceiver {
  #timestamp = 0;
  #event = -1;
  #duration = 0;
  #ended = false;

  receive(payload: Uint8Array, timestamp: number): string | undefined {
    const packet = parseTelephoneEvent(payload);
    const digit = packet && digitOfEvent(packet.event);
    if (packet === undefined || digit === undefined) return undefined;
    const ahead = (timestamp - this.#timestamp) | 0;
    const isKnown = this.#event !== -1 && ahead > -longestDelay;
    if (isKnown && ahead < 0) return undefined;
    if (isKnown && ahead === 0) {
      this.#duration = Math.max(this.#duration, packet.duration);
      this.#ended ||= packet.isEnd;
      return undefined;
    }
    const goesOn = isKnown && this.#goesOn(packet, ahead);
    this.#timestamp = timestamp;
    this.#event = packet.event;
    this.#duration = packet.duration;
    this.#ended = packet.isEnd;
    return goesOn ? undefined : digit;
  }

  /**
   * A key held beyond 0xffff goes on in a segment that begins there (RFC 4733 §2.5.1.3). And no press begins before
   * the last one is over: some senders move the timestamp on with each packet.
   */
  #goesOn(packet: TelephoneEvent, ahead: number): boolean {
    if (packet.event !== this.#event || (this.#ended && !packet.isEnd)) return false;
    return ahead <= this.#duration || ahead === 0xffff;
  }
}

export type OutgoingEvent = {
  event: number;
  isEnd: boolean;
  /** In timestamp units. */
  duration: number;
  /** To be sent with a new timestamp (and the marker), which all further packets of the key repeat. */
  isFirst: boolean;
};

const tickMs = 20;
// RFC 4733 §2.5.1.4: the end is sent three times, in case some are lost.
const endPackets = 3;

/** What is to be sent at each tick of 20 ms to press a queue of keys. */
export class TelephoneEventSender {
  #queue: number[] = [];
  /** Ticks since the present key began; -1 between keys. */
  #tick = -1;
  readonly #pressTicks: number;
  readonly #keyTicks: number;
  readonly #tickDuration: number;

  constructor({ clockRate = 8000, pressMs = 100, pauseMs = 60 } = {}) {
    this.#pressTicks = Math.max(1, Math.round(pressMs / tickMs));
    // The first end is the last packet of the press; its repetitions lie in the pause.
    this.#keyTicks = this.#pressTicks + Math.max(endPackets - 1, Math.round(pauseMs / tickMs));
    this.#tickDuration = (clockRate * tickMs) / 1000;
  }

  /** What is no key is ignored. */
  push(digits: string): void {
    for (const digit of digits) {
      const event = eventOfDigit(digit);
      if (event !== undefined) this.#queue.push(event);
    }
  }

  /** Until the pause after the last key is over. */
  get isSending(): boolean {
    return this.#queue.length > 0;
  }

  next(): OutgoingEvent | undefined {
    const [event] = this.#queue;
    if (event === undefined) return undefined;
    const tick = ++this.#tick;
    if (tick === this.#keyTicks - 1) {
      this.#tick = -1;
      this.#queue.shift();
    }
    if (tick >= this.#pressTicks - 1 + endPackets) return undefined;
    return {
      event,
      isEnd: tick >= this.#pressTicks - 1,
      duration: Math.min(Math.min(tick + 1, this.#pressTicks) * this.#tickDuration, 0xffff),
      isFirst: tick === 0,
    };
  }
}

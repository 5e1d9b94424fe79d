import type { SrtpKeys } from './srtp.ts';

/** The number that each side gives to one kind of payload. */
export type PayloadTypes = { send: number; receive: number };

/** What two sides have agreed on, as it goes to the thread that carries it out. */
export type NegotiatedMedia = {
  /** One and the same port means that RTCP shares the one of RTP (RFC 5761). */
  remote: { host: string; rtpPort: number; rtcpPort: number };
  codec: string;
  payloadTypes: PayloadTypes;
  /** Keys as events (RFC 4733); without it they are sent and listened for as tones. */
  telephoneEvents: PayloadTypes | undefined;
  /** RFC 3389. */
  comfortNoise: PayloadTypes | undefined;
  sends: boolean;
  receives: boolean;
  srtp: { ours: SrtpKeys; theirs: SrtpKeys } | undefined;
};

import type { NegotiatedMedia } from '../../src/rtp/negotiated-media.ts';

/** What two sides agree on that have nothing special: G.711 in the clear, both ways. */
export function plainMedia(remote: NegotiatedMedia['remote'], change: Partial<NegotiatedMedia> = {}): NegotiatedMedia {
  return {
    remote,
    codec: 'PCMU',
    payloadTypes: { send: 0, receive: 0 },
    telephoneEvents: { send: 101, receive: 101 },
    comfortNoise: undefined,
    sends: true,
    receives: true,
    srtp: undefined,
    ...change,
  };
}

/** How well a call could be heard. */
export type MediaReport = {
  sentPackets: number;
  receivedPackets: number;
  /** Packets of the peer that never came. */
  lostPackets: number;
  /** Of those that came, too late to be played. */
  latePackets: number;
  /** What was made up for lost and late ones. */
  concealedMs: number;
  jitterMs: number;
  /** Through RTCP; null until the peer has answered a report of ours. */
  roundTripMs: number | null;
  /** What the peer lost of ours, as it says; null until it did. */
  peerLostPackets: number | null;
  peerJitterMs: number | null;
  /** Packets that could not be verified as SRTP of the peer. */
  rejectedPackets: number;
};

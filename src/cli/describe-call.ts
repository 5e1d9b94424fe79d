import type { MediaReport } from '../rtp/media-report.ts';
import type { VoiceCallEnd } from '../telephone/voice-call.ts';

const sentences: Record<VoiceCallEnd['kind'], string> = {
  answered: 'The call was answered',
  busy: 'The line is busy',
  declined: 'The call was declined',
  'no-answer': 'Nobody answered',
  'invalid-number': 'The number does not exist or is not complete',
  'carrier-failure': 'The carrier could not connect the call',
  'network-failure': 'The trunk could not be reached',
  cancelled: 'The call was cancelled before it was answered',
  failed: 'The call failed on our side',
};

/** How a call went, in words. */
export function describeCall(end: VoiceCallEnd, recordedTo: string | undefined): string[] {
  const { answeredAt, endedAt, ringingAt, startedAt } = end;
  if (!answeredAt) return [`${sentences[end.kind]}${detailOf(end)}.`, ...adviceOn(end)];
  const seconds = (from: Date, to: Date) => ((to.getTime() - from.getTime()) / 1000).toFixed(1);
  const rang = ringingAt ? `after ringing for ${seconds(ringingAt, answeredAt)} s` : 'at once';
  const by = { us: 'We hung up', them: 'They hung up', network: 'The network failed' }[end.endedBy];
  return [
    `The call was answered ${rang} (${seconds(startedAt, answeredAt)} s after dialling) and lasted ${seconds(answeredAt, endedAt)} s. ${by}${end.endedBy === 'us' && end.kind === 'answered' ? '' : `: ${end.reason.replace(/\.$/, '')}`}.`,
    ...describeMedia(end.media),
    ...(recordedTo === undefined ? [] : [`Recorded to ${recordedTo}`]),
  ];
}

export function describeMedia(media: MediaReport): string[] {
  const { sentPackets, receivedPackets, lostPackets, jitterMs, roundTripMs, peerLostPackets } = media;
  if (receivedPackets === 0) {
    return [
      `Sent ${sentPackets} packets, received none: they were not heard. A firewall or NAT may hold PARLEY_RTP_PORTS back; PARLEY_SIP_PUBLIC_HOST must be the address that the trunk reaches.`,
    ];
  }
  const share = ((100 * lostPackets) / (receivedPackets + lostPackets)).toFixed(1);
  return [
    [
      `Sent ${sentPackets} packets`,
      `received ${receivedPackets}`,
      `lost ${lostPackets} (${share} %)`,
      `jitter ${jitterMs.toFixed(1)} ms`,
      ...(roundTripMs === null ? [] : [`round trip ${roundTripMs.toFixed(1)} ms`]),
      ...(peerLostPackets === null ? [] : [`they lost ${peerLostPackets} of ours`]),
    ].join(', '),
  ];
}

function detailOf({ reason, sipStatus, q850Cause }: VoiceCallEnd): string {
  const parts = [
    ...(reason ? [reason.replace(/\.$/, '')] : []),
    ...(sipStatus !== null && !reason.includes(String(sipStatus)) ? [`SIP ${sipStatus}`] : []),
    ...(q850Cause === null ? [] : [`Q.850 cause ${q850Cause}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function adviceOn({ kind, sipStatus }: VoiceCallEnd): string[] {
  if (sipStatus === 401 || sipStatus === 407 || sipStatus === 403)
    return [
      'The trunk refuses us: check PARLEY_SIP_USERNAME, PARLEY_SIP_PASSWORD and whether --from is a number of yours.',
    ];
  if (sipStatus === 488) return ['There is no codec or encryption in common: see PARLEY_CODECS and PARLEY_SIP_SRTP.'];
  if (kind === 'network-failure') return ['parley trunk check says more.'];
  return [];
}

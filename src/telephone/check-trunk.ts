import type { TelephoneConfig } from '../config.ts';
import type { SipResponse } from '../sip/message.ts';
import type { Target } from '../sip/resolve.ts';
import { parseSipUri } from '../sip/uri.ts';
import type { UserAgent } from '../sip/user-agent.ts';
import type { Telephone } from './telephone.ts';
import type { VoiceCallEnd } from './voice-call.ts';

/** What was looked at, whether it is well (null: it could not be told) and what it means. */
export type Finding = {
  check: 'address' | 'reachable' | 'authentication' | 'codec';
  isWell: boolean | null;
  text: string;
};

export type TrunkParts = {
  config: TelephoneConfig;
  trunk: string;
  telephone: Telephone;
  userAgent: UserAgent;
};

const codecCallRingMs = 20_000;

/** Finds out what is wrong with a trunk, and tells each finding as it comes. */
export async function checkTrunk(
  parts: TrunkParts,
  call: { number: string; from: string } | undefined,
  onFinding: (finding: Finding) => void,
): Promise<void> {
  const { userAgent, trunk } = parts;
  const targets = await userAgent.wayTo(trunk);
  const host = parseSipUri(trunk)?.host ?? trunk;
  if (targets.length === 0)
    return onFinding({ check: 'address', isWell: false, text: `${host} leads nowhere: DNS knows no such host.` });
  onFinding({
    check: 'address',
    isWell: true,
    text: `${host} leads to ${targets.map(describeTarget).join(', then ')}.`,
  });
  const answered: { target: Target; challenged: boolean }[] = [];
  for (const target of targets) {
    const finding = await checkReachable(parts, target);
    onFinding(finding);
    if (finding.isWell) answered.push({ target, challenged: finding.wasChallenged });
  }
  const [first] = answered;
  if (!first) return;
  onFinding(await checkAuthentication(parts, first));
  onFinding(await checkCodec(parts, call));
}

function describeTarget({ protocol, host, port }: Target): string {
  return `${host} port ${port} by ${protocol.toUpperCase()}`;
}

function ownAddress({ config, trunk }: TrunkParts): string {
  const host = config.fromDomain ?? parseSipUri(trunk)?.host;
  return `sip:${config.username ?? 'parley'}@${host}`;
}

async function checkReachable(parts: TrunkParts, target: Target): Promise<Finding & { wasChallenged: boolean }> {
  const startedAt = performance.now();
  const question = { method: 'OPTIONS', uri: parts.trunk, from: ownAddress(parts) } as const;
  const { response, wasChallenged } = await parts.userAgent.ask(question, target);
  const ms = Math.round(performance.now() - startedAt);
  const found = (isWell: boolean, text: string) => ({ check: 'reachable' as const, isWell, text, wasChallenged });
  const place = describeTarget(target);
  if (response === 'timeout') {
    const hint =
      target.protocol === 'udp'
        ? 'The address may be wrong, a firewall may hold UDP back, or the trunk may not know our address.'
        : 'A firewall may stand between.';
    return found(false, `${place} did not answer OPTIONS. ${hint}`);
  }
  if (response === 'unreachable') {
    const hint =
      target.protocol === 'tls'
        ? ' Or its certificate is not one that we trust: PARLEY_SIP_CA names an authority.'
        : '';
    return found(false, `${place} cannot be connected to: nothing listens there, or a firewall refuses.${hint}`);
  }
  if (response.status === 503) return found(false, `${place} answers that it is out of service (${words(response)}).`);
  // Whatever it says to OPTIONS, somebody speaks SIP there.
  return found(true, `${place} answers OPTIONS after ${ms} ms (${words(response)}).`);
}

async function checkAuthentication(
  parts: TrunkParts,
  { target, challenged }: { target: Target; challenged: boolean },
): Promise<Finding> {
  const { config, userAgent, trunk } = parts;
  const found = (isWell: boolean | null, text: string): Finding => ({ check: 'authentication', isWell, text });
  const from = ownAddress(parts);
  const host = parseSipUri(trunk)?.host;
  const asked = await userAgent.ask({ method: 'REGISTER', uri: `sip:${host}`, from, to: from }, target);
  const { response } = asked;
  const wasChallenged = asked.wasChallenged || challenged;
  const hasCredentials = config.username !== undefined;
  if (typeof response === 'string') return found(null, 'The trunk did not answer a REGISTER; only a call can tell.');
  const isRefused = response.status === 401 || response.status === 407 || response.status === 403;
  if (isRefused && !hasCredentials)
    return found(false, 'The trunk wants a user name and password: set PARLEY_SIP_USERNAME and PARLEY_SIP_PASSWORD.');
  if (isRefused && wasChallenged)
    return found(
      false,
      `The trunk refuses the user name or the password (${words(response)}). Check both, and PARLEY_SIP_FROM_DOMAIN if it wants a domain of its own.`,
    );
  if (isRefused)
    return found(
      false,
      `The trunk refuses us without asking for a password (${words(response)}): it may not know our address.`,
    );
  if (wasChallenged) return found(true, `The trunk asked for a password and took ours (${words(response)}).`);
  if (response.status < 300) return found(true, 'The trunk asks for no password; it knows us by our address.');
  return found(
    null,
    `The trunk takes no REGISTER (${words(response)}), so that only a call can tell whether it takes the password.`,
  );
}

/** Only a call shows what both sides can speak. */
async function checkCodec(
  { telephone, config }: TrunkParts,
  call: { number: string; from: string } | undefined,
): Promise<Finding> {
  const found = (isWell: boolean | null, text: string): Finding => ({ check: 'codec', isWell, text });
  if (!call)
    return found(
      null,
      'Which codec is spoken shows in a call only: give one with --number +12025550100 --from +12025550000.',
    );
  let spoken: string | undefined;
  const placed = telephone.call(call.number, call.from, {
    ringMs: codecCallRingMs,
    onAnswered: ({ codec, isEncrypted }) => {
      spoken = `${codec}, ${isEncrypted ? 'encrypted' : 'not encrypted'}`;
      placed.hangUp();
    },
  });
  const end = await placed.ended;
  if (spoken !== undefined) return found(true, `The call was answered with ${spoken}.`);
  if (end.sipStatus === 488 || end.sipStatus === 606 || end.sipStatus === 415)
    return found(
      false,
      `There is no codec or encryption in common (${end.reason}). We offer ${config.codecs.join(', ')}, ${config.srtp ? 'encrypted only; PARLEY_SIP_SRTP=no offers it in the clear' : 'not encrypted; PARLEY_SIP_SRTP=yes offers SRTP'}.`,
    );
  const isRefused = end.sipStatus === 401 || end.sipStatus === 403 || end.sipStatus === 407;
  if (isRefused)
    return {
      check: 'authentication',
      isWell: false,
      text: `The trunk refuses the call (${end.reason}): check PARLEY_SIP_USERNAME, PARLEY_SIP_PASSWORD and whether --from is a number of yours.`,
    };
  return explainEnd(end, found);
}

function explainEnd(end: VoiceCallEnd, found: (isWell: boolean | null, text: string) => Finding): Finding {
  switch (end.kind) {
    case 'busy':
    case 'declined':
    case 'no-answer':
      return found(null, `The call went through but was not answered (${end.reason}), so that no codec was chosen.`);
    case 'carrier-failure':
      return found(false, `${end.reason.replace(/\.$/, '')}.`);
    default:
      return found(false, `The call did not go through: ${end.kind} (${end.reason}).`);
  }
}

function words({ status, reason }: SipResponse): string {
  return `${status} ${reason}`.trim();
}

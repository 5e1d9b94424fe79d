import { parseParameters } from './header-values.ts';
import type { SipMessage, SipResponse } from './message.ts';

/** How a call ended: one value of a closed list. */
export type CallEnd = {
  kind:
    | 'answered'
    | 'busy'
    | 'declined'
    | 'no-answer'
    | 'invalid-number'
    | 'carrier-failure'
    | 'network-failure'
    | 'cancelled';
  endedBy: 'us' | 'them' | 'network';
  /** The final status of the INVITE; null when none came. */
  sipStatus: number | null;
  /** ITU-T Q.850, when the other side named one (RFC 3326). */
  q850Cause: number | null;
  reason: string;
  startedAt: Date;
  ringingAt: Date | null;
  answeredAt: Date | null;
  endedAt: Date;
};

/** RFC 3261 §21, RFC 3398 §7.2.6, RFC 8197 and what carriers mean by it. */
export function kindOfRefusal(status: number): CallEnd['kind'] {
  switch (status) {
    case 486:
    case 600:
      return 'busy';
    case 603:
    case 607:
    case 608:
      return 'declined';
    case 408:
    case 480:
    case 487:
      return 'no-answer';
    case 404:
    case 410:
    case 484:
    case 485:
    case 604:
      return 'invalid-number';
    default:
      return 'carrier-failure';
  }
}

/** The Q.850 cause and the text of a Reason header, as far as there is one. */
export function reasonOf(message: SipMessage): { q850Cause: number | null; text: string | undefined } {
  let text: string | undefined;
  let q850Cause: number | null = null;
  for (const line of message.headers.all('reason')) {
    const [protocol = '', ...rest] = line.split(';');
    const parameters = parseParameters(rest.join(';'));
    text ??= parameters?.get('text');
    const cause = Number(parameters?.get('cause'));
    if (/^q\.850$/i.test(protocol.trim()) && cause >= 0 && cause <= 127) q850Cause = cause;
  }
  return { q850Cause, text };
}

export function describeRefusal(
  response: SipResponse,
  hasRung: boolean,
): Pick<CallEnd, 'kind' | 'sipStatus' | 'q850Cause' | 'reason'> {
  const { q850Cause, text } = reasonOf(response);
  return {
    // A proxy that gave up on its gateways says 408 too; nobody could have answered then.
    kind: response.status === 408 && !hasRung ? 'carrier-failure' : kindOfRefusal(response.status),
    sipStatus: response.status,
    q850Cause,
    reason: text ?? `${response.status} ${response.reason}`.trim(),
  };
}

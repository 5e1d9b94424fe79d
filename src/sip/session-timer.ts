import { parseNumber } from './header-values.ts';
import type { SipMessage, SipRequest } from './message.ts';

/** RFC 4028: how long a call stands without a sign of life, and which side of an exchange gives the next one. */
export type SessionTimer = { seconds: number; refresher: 'uac' | 'uas' };

/** What a 2xx settled; without a named refresher it is who asked. */
export function settledTimer(message: SipMessage): SessionTimer | undefined {
  const [interval, ...parameters] = (message.headers.get('session-expires') ?? '').split(';');
  const seconds = parseNumber(interval);
  return seconds ? { seconds, refresher: refresherIn(parameters.join(';')) ?? 'uac' } : undefined;
}

/** §9: what we settle for a request; one that asks for nothing leaves what stands. */
export function grantTimer(request: SipRequest, standing?: SessionTimer): SessionTimer | undefined {
  const timer = settledTimer(request) ?? standing;
  return timer && { ...timer, refresher: supportsTimer(request) ? timer.refresher : 'uas' };
}

/** §8: only who understands 422 is told so. */
export function isTooBrief(request: SipRequest, minSeconds: number): boolean {
  const asked = settledTimer(request);
  return asked !== undefined && asked.seconds < minSeconds && supportsTimer(request);
}

export function writeTimer({ seconds, refresher }: SessionTimer): string {
  return `${seconds};refresher=${refresher}`;
}

function refresherIn(parameters: string): SessionTimer['refresher'] | undefined {
  return /refresher\s*=\s*(ua[cs])/i.exec(parameters)?.[1]?.toLowerCase() as SessionTimer['refresher'] | undefined;
}

function supportsTimer(request: SipRequest): boolean {
  const tags = [...request.headers.all('supported'), ...request.headers.all('require')];
  return tags.some((tag) => tag.toLowerCase() === 'timer');
}

import type { Clock } from '../clock.ts';

// Mistakes that a person or a deployment makes are free; what goes on failing waits longer each time.
const freeFailures = 10;
const firstDelayMs = 100;
const longestDelayMs = 5_000;
// An address may serve many clients, so it has more room than one client at one address.
const freeFailuresOfAddress = 100;
// One failure is forgiven after each such time.
const forgiveAfterMs = 10_000;
// More waiting answers than this from one address are refused at once.
const waitingPerAddress = 50;
const rememberedKeys = 50_000;

/**
 * Slows whoever fails to authenticate. Only failures wait: whoever has the right secret is answered
 * at once, whatever others try with the same client or from the same address.
 */
export type FailedAttempts = {
  /** Counts a failure and waits as long as it deserves. `refused` says: too many wait already. */
  delay(clientId: string, address: string): Promise<'waited' | 'refused'>;
};

type Count = { failures: number; at: number };

export function failedAttempts(clock: Clock): FailedAttempts {
  const counts = new Map<string, Count>();
  const waiting = new Map<string, number>();

  function countFailure(key: string, free: number): number {
    const now = clock.now().getTime();
    const earlier = counts.get(key);
    const forgiven = earlier ? Math.floor((now - earlier.at) / forgiveAfterMs) : 0;
    const failures = Math.max(0, (earlier?.failures ?? 0) - forgiven) + 1;
    counts.delete(key); // set again, it moves behind the others, which are dropped first
    counts.set(key, { failures: Math.min(failures, free + 20), at: now });
    if (counts.size > rememberedKeys) counts.delete(counts.keys().next().value as string);
    return failures <= free ? 0 : Math.min(firstDelayMs * 2 ** (failures - free - 1), longestDelayMs);
  }

  return {
    async delay(clientId, address) {
      const delayMs = Math.max(
        countFailure(JSON.stringify([clientId.slice(0, 200), address]), freeFailures),
        countFailure(address, freeFailuresOfAddress),
      );
      if (delayMs === 0) return 'waited';
      const others = waiting.get(address) ?? 0;
      if (others >= waitingPerAddress) return 'refused';
      waiting.set(address, others + 1);
      try {
        await clock.sleep(delayMs);
        return 'waited';
      } finally {
        const left = (waiting.get(address) ?? 1) - 1;
        if (left === 0) waiting.delete(address);
        else waiting.set(address, left);
      }
    },
  };
}

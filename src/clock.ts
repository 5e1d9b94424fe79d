import { setTimeout } from 'node:timers/promises';

/** Time as the program sees it; tests give their own. */
export type Clock = {
  now(): Date;
  sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void>;
};

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, options = {}) => setTimeout(ms, undefined, options),
};

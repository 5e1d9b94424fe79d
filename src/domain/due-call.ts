import type { CallRequest } from './call.ts';

/** A call that is to be placed now, and all that it takes. */
export type DueCall = {
  id: string;
  accountId: string;
  campaignId: string | null;
  request: CallRequest & { name: string; toPhoneNumber: string };
  /** What is asked and kept to: the request's own, else the agent's defaults. */
  questions: string[];
  rules: string[];
  agent: { name: string; company: string; voice: string; language: string };
};

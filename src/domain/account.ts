import { z } from 'zod';
import { text } from './text.ts';

export const plans = ['plus', 'basic'] as const;
export type Plan = (typeof plans)[number];

/** The one scope there is today: placing outbound calls. */
export const callScope = 'external-api-resource-server-1/call.out';
export const knownScopes: readonly string[] = [callScope];

/** The audience of our access tokens: the resource server that the scope names. */
export const tokenAudience = 'external-api-resource-server-1';

export const accountName = text(1, 200);

/** At once; null: no limit of its own. */
export const maxCalls = z.number().int().min(1).max(1_000_000).nullable();

export const accountInput = z.object({ name: accountName, plan: z.enum(plans), maxCalls: maxCalls.optional() });

export type AccountInput = z.infer<typeof accountInput>;

export type Account = { id: string; name: string; plan: Plan; maxCalls: number | null; createdAt: Date };

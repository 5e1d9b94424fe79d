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

export const accountInput = z.object({ name: accountName, plan: z.enum(plans) });

export type Account = { id: string; name: string; plan: Plan; createdAt: Date };

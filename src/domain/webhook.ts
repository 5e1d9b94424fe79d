import { z } from 'zod';
import type { CallResource } from './call.ts';
import { text } from './text.ts';

export const webhookEvents = [
  'call.started',
  'call.answered',
  'call.ended',
  'contact.opted_out',
  'campaign.completed',
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

/** What a webhook is sent when somebody asks for a test; nobody subscribes to it. */
export const testEvent = 'webhook.test';

/** Of one account. */
export const mostWebhooks = 20;

export const deliveryStates = ['pending', 'delivered', 'dead'] as const;

function urlFault(value: string): string | undefined {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  if (url.username || url.password) return 'must not carry a user name or password: check the signature instead';
  if (url.href.length > 2_000) return 'must have at most 2000 characters';
  return undefined;
}

const webhookUrl = z
  .string()
  .check(({ value, issues }) => {
    const fault = urlFault(value);
    if (fault) issues.push({ code: 'custom', message: fault, input: value });
  })
  .meta({ format: 'uri', maxLength: 2_000, examples: ['https://example.com/parley'] });

const fields = {
  url: webhookUrl.describe('Where events are sent; it must lead to a public address unless the operator allows others'),
  description: text(0, 200),
  events: z.array(z.enum(webhookEvents)).min(1).max(20).describe('The events that are sent'),
};

export const webhookInput = z.strictObject({
  ...fields,
  description: fields.description.default(''),
  events: fields.events.default([...webhookEvents]),
});

export const webhookPatch = z.strictObject({ ...fields, enabled: z.boolean() }).partial();

export const webhookSchema = z
  .object({
    webhookId: z.uuid(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(webhookEvents)),
    enabled: z.boolean(),
    disabledReason: z
      .enum(['paused', 'gone'])
      .nullable()
      .describe('paused: you disabled it; gone: the receiver answered 410'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecretSchema = webhookSchema
  .extend({ secret: z.string().describe('Verifies the signatures; shown this once') })
  .meta({ id: 'WebhookWithSecret' });

export const deliverySchema = z
  .object({
    deliveryId: z.uuid(),
    webhookId: z.uuid(),
    eventId: z.string().describe('The header webhook-id, the same at every attempt'),
    type: z.string(),
    state: z.enum(deliveryStates).describe('dead: given up after the last attempt'),
    attempts: z.number().int(),
    nextAttemptAt: z.iso.datetime().nullable(),
    lastAttemptAt: z.iso.datetime().nullable(),
    lastStatus: z.number().int().nullable(),
    lastError: z.string().nullable(),
    lastResponse: z.string().nullable().describe('How the last answer began'),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    payload: z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.record(z.string(), z.unknown()) }),
  })
  .meta({ id: 'Delivery' });

export type WebhookInput = z.infer<typeof webhookInput>;
export type WebhookPatch = z.infer<typeof webhookPatch>;
export type Webhook = z.infer<typeof webhookSchema>;
export type Delivery = z.infer<typeof deliverySchema>;

/** What the events of a call tell of it; the transcript and the recording are fetched by those who want them. */
export function callEventData(call: CallResource): Record<string, unknown> {
  const { callId, status, campaignId, name, toPhoneNumber, fromPhoneNumber, formInfo } = call;
  const { attempts, createdAt, answeredAt, endedAt, outcome, answers, summary } = call;
  return {
    callId,
    status,
    campaignId,
    name,
    toPhoneNumber,
    fromPhoneNumber,
    formInfo,
    attempts,
    createdAt,
    answeredAt,
    endedAt,
    ...(outcome && { outcome, answers, summary }),
  };
}

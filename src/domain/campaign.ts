import { getCountries } from 'libphonenumber-js/min';
import { z } from 'zod';
import { text } from './text.ts';

const countries: readonly string[] = getCountries();

const fields = {
  name: text(1, 200),
  country: z
    .string()
    .refine((code) => countries.includes(code), 'must be a two-letter country code such as "US"')
    .describe('Where contacts written without a country code are assumed to be; two letters, ISO 3166-1'),
  agentId: z.uuid().nullable().describe('The agent that calls for this campaign'),
};

export const campaignInput = z.strictObject({
  ...fields,
  country: fields.country.default('US'),
  agentId: fields.agentId.default(null),
});

export const campaignPatch = z.strictObject(fields).partial();

export const campaignSchema = z
  .object({
    campaignId: z.uuid(),
    ...fields,
    status: z.enum(['active', 'archived']),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    archivedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Campaign' });

export type CampaignInput = z.infer<typeof campaignInput>;
export type CampaignPatch = z.infer<typeof campaignPatch>;
export type Campaign = z.infer<typeof campaignSchema>;

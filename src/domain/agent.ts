import { z } from 'zod';
import { maxCalls } from './account.ts';
import { e164Number } from './phone-number.ts';
import { text } from './text.ts';

const lines = z.array(text(1, 1_000)).max(50);

const languageTag = z
  .string()
  .refine(isLanguageTag, 'must be a language tag such as "en-US"')
  .meta({ examples: ['en-US'] });

function isLanguageTag(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

const fields = {
  phoneNumber: e164Number.describe('The number the agent calls from; unique within the account'),
  name: text(1, 200).describe('The name the assistant goes by'),
  company: text(0, 200).describe('On whose behalf it calls'),
  voice: z.string().regex(/^[\w./:-]{1,100}$/, 'must be a voice name: letters, digits and ./:_- only'),
  language: languageTag,
  defaultQuestions: lines,
  defaultRules: lines,
  maxCalls: maxCalls.describe('Most calls of the agent at once; null: as many as the account may have'),
};

export const agentInput = z.strictObject({
  ...fields,
  company: fields.company.default(''),
  voice: fields.voice.default('slt'),
  language: fields.language.default('en-US'),
  defaultQuestions: fields.defaultQuestions.default([]),
  defaultRules: fields.defaultRules.default([]),
  maxCalls: fields.maxCalls.optional(),
});

export const agentPatch = z.strictObject(fields).partial();

export const agentSchema = z
  .object({ agentId: z.uuid(), ...fields, createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() })
  .meta({ id: 'Agent' });

export type AgentInput = z.infer<typeof agentInput>;
export type AgentPatch = z.infer<typeof agentPatch>;
export type Agent = z.infer<typeof agentSchema>;

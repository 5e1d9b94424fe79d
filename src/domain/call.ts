import { z } from 'zod';
import {
  type Answer,
  answerSchema,
  type CallResult,
  latencySchema,
  qualitySchema,
  type RuleVerdict,
  ruleVerdict,
  transcriptTurn,
} from './call-result.ts';
import { outcomeSchema } from './outcome.ts';
import { e164Number } from './phone-number.ts';
import { text, textFault } from './text.ts';

export const callStatuses = ['queued', 'dialing', 'ringing', 'in_progress', 'ended'] as const;

const spokenText = text(0, 5_000);
const lines = z.array(text(1, 1_000)).max(50);

const formValue = z.union([z.string(), z.number(), z.boolean()]);

/** `{"company": "Acme"}` or `{"key": "company", "value": "Acme"}`; kept as it was sent. */
const formPair = z.record(z.string(), formValue).check(({ value: pair, issues }) => {
  const fault = formPairFault(pair);
  if (fault) issues.push({ code: 'custom', message: fault, input: pair });
});

export type FormPair = z.infer<typeof formPair>;

function formPairFault(pair: FormPair): string | undefined {
  const entry = toKeyAndValue(pair);
  if (!entry) return 'must be an object with exactly one property, or {"key": …, "value": …}';
  const [key, value] = entry;
  const keyFault = textFault(key, 1, 200);
  if (keyFault) return `key ${keyFault}`;
  const valueFault = typeof value === 'string' ? textFault(value, 0, 5_000) : undefined;
  return valueFault && `value ${valueFault}`;
}

function toKeyAndValue(pair: FormPair): [string, string | number | boolean] | undefined {
  const entries = Object.entries(pair);
  if (entries.length === 1) return entries[0];
  const { key, value } = pair;
  if (entries.length !== 2 || typeof key !== 'string' || value === undefined) return undefined;
  return [key, value];
}

export function formEntries(pairs: readonly FormPair[]): { key: string; value: string }[] {
  return pairs.flatMap((pair) => {
    const entry = toKeyAndValue(pair);
    return entry ? [{ key: entry[0], value: String(entry[1]) }] : [];
  });
}

export const outboundCallSchema = z.object({
  name: text(1, 200).describe('Name of the person called; used to personalise the conversation'),
  toPhoneNumber: e164Number.describe('Number to call, E.164 format'),
  fromPhoneNumber: e164Number.describe("The agent's number that starts the call, E.164 format"),
  introNotes: spokenText
    .optional()
    .describe('Notes from which the introduction or the voicemail is generated, never repeated verbatim'),
  introMessage: spokenText.optional().describe('Exact wording said after the person answers, instead of introNotes'),
  introVoicemail: spokenText
    .optional()
    .describe('Exact voicemail left when the call is not answered, instead of introNotes'),
  customQuestions: lines.optional().describe("Questions to ask; absent or empty, the agent's default questions"),
  customRules: lines
    .optional()
    .describe("Rules of the conversation, in place of the agent's default rules; empty means none"),
  formInfo: z.array(formPair).max(100).describe('Metadata about the customer, one key-value pair for each object'),
});

export type OutboundCall = z.infer<typeof outboundCallSchema>;

/** The body of a request: unknown fields do not fail it, but are warned of. */
export const outboundCallBody = outboundCallSchema.loose().meta({ id: 'OutboundCall' });

const knownFields = new Set(Object.keys(outboundCallSchema.shape));

/** One warning for each field that the API does not know. */
export function unknownFieldWarnings(body: object): string[] {
  return Object.keys(body)
    .filter((field) => !knownFields.has(field))
    .map((field) => `Unknown field ${JSON.stringify(field.slice(0, 100))} was ignored.`);
}

/** As it was sent; without name and number once they are erased. */
export type CallRequest = Omit<OutboundCall, 'name' | 'toPhoneNumber'> & {
  name: string | null;
  toPhoneNumber: string | null;
};

export type Call = {
  id: string;
  accountId: string;
  status: (typeof callStatuses)[number];
  campaignId: string | null;
  request: CallRequest;
  /** What is asked and kept to: the request's own, else the agent's defaults. */
  questions: string[];
  rules: string[];
  attempts: number;
  createdAt: Date;
  answeredAt: Date | null;
  endedAt: Date | null;
  outcome: z.infer<typeof outcomeSchema> | null;
  /** Of an ended call; parts are missing where no conversation came about. */
  result: Partial<Omit<CallResult, 'outcome' | 'answeredAt' | 'endedAt'>>;
  erasedAt: Date | null;
};

const timestamp = z.iso.datetime();

export const callResourceSchema = z
  .object({
    callId: z.uuid(),
    status: z.enum(callStatuses),
    campaignId: z.uuid().nullable(),
    ...outboundCallSchema.shape,
    name: outboundCallSchema.shape.name.nullable(),
    toPhoneNumber: outboundCallSchema.shape.toPhoneNumber.nullable(),
    attempts: z.number().int(),
    createdAt: timestamp,
    answeredAt: timestamp.nullable(),
    endedAt: timestamp.nullable(),
    outcome: outcomeSchema.optional(),
    transcript: z.array(transcriptTurn).optional(),
    answers: z.array(answerSchema).optional(),
    rules: z.array(ruleVerdict).optional(),
    summary: z.string().nullable().optional(),
    recordingUrl: z.string().nullable().optional(),
    latency: latencySchema.nullable().optional(),
    quality: qualitySchema.nullable().optional(),
    callbackAt: timestamp.nullable().optional().describe('When the person asked to be called, where it was understood'),
    notes: z.array(z.string()).optional().describe('What went wrong without ending the call'),
    erasedAt: timestamp
      .optional()
      .describe('When its personal data was erased; the fields that held some are null or empty'),
  })
  .meta({ id: 'Call' });

export type CallResource = z.infer<typeof callResourceSchema>;

/** The call as `GET /api/v1/calls/{callId}` shows it; the result belongs to an ended call only. */
export function toCallResource(call: Call): CallResource {
  const resource: CallResource = {
    callId: call.id,
    status: call.status,
    campaignId: call.campaignId,
    ...call.request,
    attempts: call.attempts,
    createdAt: call.createdAt.toISOString(),
    answeredAt: call.answeredAt?.toISOString() ?? null,
    endedAt: call.endedAt?.toISOString() ?? null,
  };
  if (call.erasedAt) resource.erasedAt = call.erasedAt.toISOString();
  if (!call.outcome) return resource;
  const { result } = call;
  return {
    ...resource,
    outcome: call.outcome,
    transcript: result.transcript ?? [],
    answers: result.answers ?? call.questions.map(notAsked),
    rules: result.rules ?? call.rules.map(notJudged),
    summary: result.summary ?? null,
    recordingUrl: result.hasRecording ? `/api/v1/calls/${call.id}/recording` : null,
    latency: result.latency ?? null,
    quality: result.quality ?? null,
    callbackAt: result.callbackAt?.toISOString() ?? null,
    notes: result.notes ?? [],
  };
}

export function notAsked(question: string): Answer {
  return { question, status: 'not_asked', answer: null, value: null, turn: null, confidence: null };
}

export function notJudged(rule: string): RuleVerdict {
  return { rule, kept: null, turn: null };
}

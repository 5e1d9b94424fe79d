import { z } from 'zod';
import type { Outcome } from './outcome.ts';

const sinceAnswer = z.number().int().describe('Milliseconds since the answer');

export const transcriptTurn = z.object({
  speaker: z.enum(['assistant', 'callee']),
  text: z.string().describe('What was really said, of a sentence that was cut short too'),
  startMs: sinceAnswer,
  endMs: sinceAnswer,
  interrupted: z.boolean(),
});

export const answerSchema = z.object({
  question: z.string(),
  status: z.enum(['answered', 'refused', 'unclear', 'not_asked']),
  answer: z.string().nullable().describe("In the person's words"),
  value: z.unknown().describe('Yes or no, a number, a date, a phone number, an e-mail address, where it is one'),
  turn: z.number().int().nullable().describe('The turn of the transcript that it rests on'),
  confidence: z.number().nullable(),
});

export const ruleVerdict = z.object({
  rule: z.string(),
  kept: z.boolean().nullable().describe('Null where nobody can tell'),
  turn: z.number().int().nullable(),
});

const percentiles = z.object({ p50: z.number().int(), p95: z.number().int() });

/** How long the person waited, for each turn of theirs that was answered, in milliseconds after their last sound. */
export const latencySchema = z.object({
  introductionMs: z
    .number()
    .int()
    .nullable()
    .describe('From the answer to our first sound, or to the end of their greeting'),
  turns: z.array(
    z.object({
      turn: z.number().int().describe("The person's turn in the transcript"),
      endOfSpeechMs: z.number().int().describe('Until they were known to have finished, and what they said'),
      textMs: z.number().int().describe('Until the reply was known'),
      audioMs: z.number().int().describe('Until the reply was heard'),
    }),
  ),
  audioMs: percentiles.nullable(),
});

export const qualitySchema = z.object({
  codec: z.string(),
  encrypted: z.boolean(),
  lossPercent: z.number(),
  jitterMs: z.number(),
  roundTripMs: z.number().nullable(),
  peerLossPercent: z.number().nullable(),
  peerJitterMs: z.number().nullable(),
  concealedMs: z.number(),
});

export type TranscriptTurn = z.infer<typeof transcriptTurn>;
export type Answer = z.infer<typeof answerSchema>;
export type RuleVerdict = z.infer<typeof ruleVerdict>;
export type Latency = z.infer<typeof latencySchema>;
export type Quality = z.infer<typeof qualitySchema>;

/** All that a finished call leaves behind. */
export type CallResult = {
  outcome: Outcome;
  answeredAt: Date | null;
  endedAt: Date;
  transcript: TranscriptTurn[];
  answers: Answer[];
  rules: RuleVerdict[];
  summary: string | null;
  hasRecording: boolean;
  latency: Latency | null;
  quality: Quality | null;
  callbackAt: Date | null;
  /** What went wrong without ending the call. */
  notes: string[];
};

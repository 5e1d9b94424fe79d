import assert from 'node:assert/strict';
import type { Brief, Fact, Move, Turn } from '../mind.ts';
import { ScriptedMind } from './scripted-mind.ts';

// A Wednesday, 11 o'clock in New York.
export const brief: Brief = {
  agent: { name: 'Robin', company: 'Acme' },
  calleeName: 'Ada Lovelace',
  questions: ['Did you receive our quote?', 'When would a visit suit you?', 'How many people live in your house?'],
  rules: [],
  form: [],
  now: new Date('2026-07-01T15:00:00Z'),
  timeZone: 'America/New_York',
};

/** What a person does in turn: says something, interrupts with it, or says nothing. */
export type Line = string | { cutsIn: string } | { mumbles: string } | 'silence';

export interface TestCall {
  said: string[];
  facts: Fact[];
  last: Move;
  ending: string | undefined;
  transcript: Turn[];
  mind: ScriptedMind;
  statuses: string[];
  values: unknown[];
}

/** Holds a whole conversation; ends with the lines or the call, whichever comes first. */
export async function callWith(changes: Partial<Brief>, lines: readonly Line[]): Promise<TestCall> {
  const mind = new ScriptedMind({ ...brief, ...changes });
  const transcript: Turn[] = [];
  const facts: Fact[] = [];
  const take = (move: Move) => {
    assert.doesNotMatch(move.say, /[{}]/);
    facts.push(...(move.facts ?? []));
    transcript.push({ speaker: 'assistant', text: move.say });
    return move;
  };
  let last = take(mind.introduction());
  for (const line of lines) {
    if (last.next.kind !== 'listen') break;
    if (line === 'silence') {
      last = take(await mind.silence());
      continue;
    }
    const text = typeof line === 'string' ? line : 'cutsIn' in line ? line.cutsIn : line.mumbles;
    transcript.push({ speaker: 'callee', text });
    const confidence = typeof line === 'object' && 'mumbles' in line ? 0.2 : 0.95;
    const isInterruption = typeof line === 'object' && 'cutsIn' in line;
    last = take(await mind.heard({ text, confidence, turn: transcript.length - 1, isInterruption }));
  }
  const { answers } = mind.result(transcript);
  return {
    said: transcript.filter(({ speaker }) => speaker === 'assistant').map(({ text }) => text),
    facts,
    last,
    ending:
      last.next.kind === 'hang-up' ? last.next.ending.kind : last.next.kind === 'transfer' ? 'transfer' : undefined,
    transcript,
    mind,
    statuses: answers.map(({ status }) => status),
    values: answers.map(({ value }) => value),
  };
}

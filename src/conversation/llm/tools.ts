import { type ToolSet, tool } from 'ai';
import { z } from 'zod';
import type { SpokenDateTime } from '../../speech/text/spoken-date-time.ts';
import type { Brief, Fact, Heard } from '../mind.ts';
import { callbackTime, sayWhen } from '../scripted/say-when.ts';
import type { Question } from '../scripted/script.ts';
import type { AgreedEnding, ScriptedMind } from '../scripted/scripted-mind.ts';
import { groundedIn, readGiven } from './answer.ts';
import { keysAllowed, targetNamed, transferTargets } from './targets.ts';

/** What a model did in a turn besides speaking. */
export interface Deeds {
  facts: Fact[];
  keys: string;
  asked: Question | undefined;
  hasRecorded: boolean;
  callback: SpokenDateTime | undefined;
  end: { kind: 'hang-up'; ending: AgreedEnding } | { kind: 'transfer'; to: string } | undefined;
}

export function noDeeds(): Deeds {
  return { facts: [], keys: '', asked: undefined, hasRecorded: false, callback: undefined, end: undefined };
}

export interface Scene {
  brief: Brief;
  /** Keeps the answers. */
  mind: ScriptedMind;
  utterance: Heard;
  /** All utterances of the call. */
  heard: readonly Heard[];
  deeds: Deeds;
  /** Once nobody waits for the turn any more, nothing happens in it. */
  isOver: () => boolean;
}

/** The one deed that outlasts its turn. */
export function optOut(deeds: Deeds, turn: number): void {
  deeds.end = { kind: 'hang-up', ending: 'opted_out' };
  if (!deeds.facts.some(({ kind }) => kind === 'opted-out')) deeds.facts.push({ kind: 'opted-out', turn });
}

const over = 'Too late: they spoke on.';
// Small models write numbers as text, and null where they have nothing to say.
const questionNumber = z.coerce.number().int().min(1).max(99).describe('The number of the question');

/** The tools of one turn. Whatever the model asks for, they do only what the brief allows. */
export function toolsFor(scene: Scene): ToolSet {
  const { brief, mind, utterance, deeds } = scene;
  const { rules } = mind.ground;
  const targets = transferTargets(brief.rules);
  const keys = keysAllowed(utterance.text, rules);
  const clock = { now: brief.now, timeZone: brief.timeZone };
  const { turn } = utterance;
  const does = (deed: () => string) => (scene.isOver() ? over : deed());
  const questionAt = (number: number) => {
    const question = mind.script.questions[number - 1];
    return question?.isDropped ? undefined : question;
  };

  return {
    record_answer: tool({
      description: 'Notes what came of a question.',
      inputSchema: z.object({
        question: questionNumber,
        status: z.enum(['answered', 'refused', 'unclear']),
        words: z.string().nullish().describe("The person's own words"),
        value: z
          .union([z.string(), z.number(), z.boolean()])
          .nullish()
          .describe('What they mean: yes or no, a number, a date as 2026-12-31 or 2026-12-31T14:00, an address'),
      }),
      execute: ({ question: number, status, words, value }) =>
        does(() => {
          const question = questionAt(number);
          if (!question) return `There is no question ${number}.`;
          const source = groundedIn(words ?? '', scene.heard, utterance);
          const reading =
            status === 'answered'
              ? readGiven(question, source, value ?? undefined, brief.calleeName, clock)
              : { status };
          mind.script.record(question, reading, source);
          if (mind.script.current === question) mind.script.leave();
          deeds.hasRecorded = true;
          const open = mind.script.questions.flatMap((one, index) =>
            one.isDropped || one.isAsked || one.answer ? [] : [index + 1],
          );
          return open.length === 0
            ? 'Noted. Every question is through: thank them, say goodbye and hang up.'
            : `Noted. Ask question ${open[0]} next.`;
        }),
    }),
    next_question: tool({
      description: 'Says which question you ask now.',
      inputSchema: z.object({ question: questionNumber }),
      execute: ({ question: number }) =>
        does(() => {
          const question = questionAt(number);
          if (!question) return `There is no question ${number}.`;
          mind.ask(question);
          deeds.asked = question;
          return `Ask now: ${JSON.stringify(question.text)}`;
        }),
    }),
    request_callback: tool({
      description: 'Notes that the person wants to be called at another time.',
      inputSchema: z.object({
        when: z.string().nullish().describe('When, in their own words; empty if they did not say'),
      }),
      execute: ({ when }) =>
        does(() => {
          const moment = callbackTime(utterance.text, clock) ?? callbackTime(when ?? '', clock);
          deeds.callback = moment ?? deeds.callback;
          deeds.facts.push({ kind: 'callback', at: moment?.value, turn });
          return moment
            ? `Noted: ${sayWhen(moment, clock)}.`
            : 'Noted without a time. Ask once when it would suit them.';
        }),
    }),
    mark_do_not_call: tool({
      description: 'Notes that the person does not want to be called again, and ends the call.',
      inputSchema: z.object({}),
      execute: () =>
        does(() => {
          optOut(deeds, turn);
          return 'Noted.';
        }),
    }),
    hang_up: tool({
      description: 'Ends the call after what you say in this turn.',
      inputSchema: z.object({
        kind: z
          .enum(['completed', 'wrong_person', 'callback_requested', 'opted_out'])
          .describe('completed also when they did not want to go on'),
      }),
      execute: ({ kind }) =>
        does(() => {
          if (kind === 'opted_out') optOut(deeds, turn);
          deeds.end ??= { kind: 'hang-up', ending: kind };
          return 'The call ends now.';
        }),
    }),
    ...(targets.length > 0 && {
      transfer: tool({
        description: `Hands the call over, only when a rule says so, and only to ${targets.join(' or ')}.`,
        inputSchema: z.object({ to: z.string() }),
        execute: ({ to }) =>
          does(() => {
            const target = targetNamed(to, targets);
            if (target === undefined) return 'No rule allows this. Go on with the call.';
            deeds.end ??= { kind: 'transfer', to: target };
            return 'The call is handed over now.';
          }),
      }),
    }),
    ...(keys.length > 0 && {
      press_keys: tool({
        description: `Presses keys at a menu: ${keys.join(' or ')}.`,
        inputSchema: z.object({ keys: z.string() }),
        execute: ({ keys: wanted }) =>
          does(() => {
            if (!keys.includes(wanted)) return 'The menu does not offer this.';
            deeds.keys = wanted;
            return 'Pressed.';
          }),
      }),
    }),
  };
}

import type { Intent, Meaning } from './meaning.ts';
import { contentStems, hasRun, stem, stemsIn } from './words.ts';

/** When a rule applies: something is meant, or some words are said. */
export interface Trigger {
  intents: Intent[];
  /** One of these sets of words must be in what was said. */
  topics: string[][];
  onlyInQuestions: boolean;
}

/** What this mind can make of a rule. */
export type Order =
  | { kind: 'forbid'; topics: string[][] }
  | { kind: 'reply'; trigger: Trigger; say: string }
  | { kind: 'transfer'; trigger: Trigger; to: string }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'no-question'; topics: string[][] }
  | { kind: 'say'; text: string; at: 'start' | 'end' }
  | { kind: 'end'; trigger: Trigger }
  | { kind: 'menu'; keys: string[]; topic: string[] }
  | { kind: 'pace'; pace: number }
  /** Kept by the way it speaks. */
  | { kind: 'manner' }
  /** Against the safeguards. */
  | { kind: 'refused' }
  | { kind: 'unknown' };

export interface Rule {
  text: string;
  orders: Order[];
}

const alike: string[][] = [
  ['price', 'cost', 'pricing', 'expensive', 'fee', 'charge', 'much'],
  ['hour', 'open', 'opening'],
  ['address', 'located', 'location', 'office'],
  ['guarantee', 'warranty'],
  ['delivery', 'deliver', 'ship', 'shipping'],
  ['payment', 'pay', 'financing', 'finance', 'instalment', 'installment'],
];

/** Whether what was said or meant sets this rule off. */
export function sets(trigger: Trigger, meaning: Meaning): boolean {
  if (trigger.intents.some((intent) => meaning.intents.has(intent))) return true;
  if (trigger.onlyInQuestions && !meaning.intents.has('question')) return false;
  const said = new Set(stemsIn(meaning.plain));
  const isSaid = (word: string) =>
    said.has(word) || alike.some((group) => group.includes(word) && group.some((other) => said.has(other)));
  return trigger.topics.some((topic) => topic.every(isSaid));
}

/** Whether a text speaks of a topic: its words one after the other. */
export function speaksOf(text: string, topics: readonly (readonly string[])[]): boolean {
  const all = stemsIn(text);
  const content = contentStems(text);
  return topics.some((topic) => hasRun(all, topic.map(stem)) || hasRun(content, topic));
}

/** Whether a question asks for a topic: all of its words, wherever they stand. */
export function asksFor(question: string, topics: readonly (readonly string[])[]): boolean {
  const content = new Set(contentStems(question));
  return topics.some((topic) => topic.every((word) => content.has(word)));
}

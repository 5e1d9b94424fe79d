import type { RuleVerdict } from '../../domain/call-result.ts';
import type { Turn } from '../mind.ts';
import { readRule } from '../scripted/read-rule.ts';
import { type Order, speaksOf } from '../scripted/rules.ts';

/** How the assistant ended the call, if it did. */
export type AssistantEnd = 'hang-up' | 'transfer' | undefined;

/**
 * The scripted mind keeps some rules by its nature, and says what it is told to say word for word. A model does
 * neither, so what the words do not prove nobody can tell.
 */
export function softened(
  verdicts: readonly RuleVerdict[],
  transcript: readonly Turn[],
  ended: AssistantEnd,
): RuleVerdict[] {
  return verdicts.map((verdict) => {
    const { orders } = readRule(verdict.rule);
    const isSure = (order: Order) => isKept(order, verdict.turn, transcript, ended);
    if (verdict.kept === true && !orders.every(isSure)) return { ...verdict, kept: null };
    if (verdict.kept === false && !orders.some((order) => isProvable(order, transcript)))
      return { ...verdict, kept: null };
    return verdict;
  });
}

function isKept({ kind }: Order, turn: number | null, transcript: readonly Turn[], ended: AssistantEnd): boolean {
  if (kind === 'manner') return false;
  if (turn === null) return true;
  if (kind === 'transfer') return ended === 'transfer';
  const lastHeard = transcript.findLastIndex(({ speaker }) => speaker === 'callee');
  return kind !== 'end' || (ended === 'hang-up' && lastHeard <= turn);
}

function isProvable(order: Order, transcript: readonly Turn[]): boolean {
  switch (order.kind) {
    case 'forbid':
      return transcript.some(({ speaker, text }) => speaker === 'assistant' && speaksOf(text, order.topics));
    case 'minutes':
    case 'say':
    case 'refused':
      return true;
    default:
      return false;
  }
}

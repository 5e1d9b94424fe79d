import type { RuleVerdict } from '../../domain/call-result.ts';
import type { Turn } from '../mind.ts';
import { type Order, type Rule, speaksOf } from './rules.ts';
import { hasRun, stemsIn } from './words.ts';

/** What a call knows of itself when its rules are judged. */
export interface Course {
  /** For each rule that something set off: the turn of the person that did. */
  setOff: ReadonlyMap<Rule, number>;
  /** Whether the call came to its regular end, where closing words are due. */
  isThrough: boolean;
  /** How long it took, and whether that was measured or only reckoned from the words. */
  elapsedMs: number;
  isMeasured: boolean;
  /** What was pressed at menus. */
  keys: string;
}

type Verdict = Omit<RuleVerdict, 'rule'>;

/** Judges from what was really spoken, words cut short included. */
export function judge(rules: readonly Rule[], transcript: readonly Turn[], course: Course): RuleVerdict[] {
  return rules.map((rule) => {
    const verdicts = rule.orders.map((order) => verdictOf(order, rule, transcript, course));
    const worst = verdicts.find(({ kept }) => kept === false) ??
      verdicts.find(({ kept }) => kept === null) ??
      verdicts.find(({ turn }) => turn !== null) ?? { kept: true, turn: null };
    return { rule: rule.text, ...worst };
  });
}

function verdictOf(order: Order, rule: Rule, transcript: readonly Turn[], course: Course): Verdict {
  const said = (text: string, from = 0) => {
    const wanted = stemsIn(text);
    const turn = transcript.findIndex(
      (one, index) => index >= from && one.speaker === 'assistant' && hasRun(stemsIn(one.text), wanted),
    );
    return turn < 0 ? undefined : turn;
  };
  switch (order.kind) {
    case 'forbid': {
      const broken = transcript.findIndex(
        ({ speaker, text }) => speaker === 'assistant' && speaksOf(text, order.topics),
      );
      return broken < 0 ? { kept: true, turn: null } : { kept: false, turn: broken };
    }
    case 'reply': {
      const from = course.setOff.get(rule);
      if (from === undefined) return { kept: true, turn: null };
      const turn = said(order.say, from);
      return turn === undefined ? { kept: false, turn: from } : { kept: true, turn };
    }
    case 'say': {
      const turn = said(order.text);
      if (turn !== undefined) return { kept: true, turn };
      return { kept: course.isThrough ? false : null, turn: null };
    }
    case 'minutes': {
      const isWithin = course.elapsedMs <= order.minutes * 60_000;
      if (course.isMeasured) return { kept: isWithin, turn: null };
      return { kept: course.elapsedMs <= order.minutes * 48_000 ? true : null, turn: null };
    }
    case 'transfer':
    case 'end':
      return { kept: true, turn: course.setOff.get(rule) ?? null };
    case 'menu':
      return { kept: course.keys === '' ? null : true, turn: null };
    case 'no-question':
    case 'manner':
    case 'pace':
      return { kept: true, turn: null };
    case 'refused':
      return course.setOff.has(rule)
        ? { kept: false, turn: course.setOff.get(rule) ?? null }
        : { kept: null, turn: null };
    case 'unknown':
      return { kept: null, turn: null };
  }
}

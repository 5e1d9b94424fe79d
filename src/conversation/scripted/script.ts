import type { Answer } from '../../domain/call-result.ts';
import type { Heard } from '../mind.ts';
import { alsoAnswers, type Clock, kindOf, type QuestionKind, type Reading, round } from './questions.ts';
import { asksFor } from './rules.ts';

export interface Question {
  text: string;
  kind: QuestionKind;
  /** A rule forbids it. */
  isDropped: boolean;
  isAsked: boolean;
  answer: Omit<Answer, 'question'> | undefined;
}

/** The questions of a call: which one is being asked, and what came of each. */
export class Script {
  readonly #questions: Question[];
  #current: Question | undefined;

  constructor(texts: readonly string[], forbidden: readonly string[][]) {
    this.#questions = texts.map((text) => {
      const isDropped = text.trim() === '' || asksFor(text, forbidden);
      return { text, kind: kindOf(text), isDropped, isAsked: false, answer: undefined };
    });
  }

  get current(): Question | undefined {
    return this.#current;
  }

  get questions(): readonly Question[] {
    return this.#questions;
  }

  /** What is still to be asked. */
  get ahead(): string[] {
    return this.#questions.filter(isOpen).map(({ text }) => text);
  }

  get isEmpty(): boolean {
    return this.#questions.every(({ isDropped }) => isDropped);
  }

  get hasNext(): boolean {
    return this.#questions.some(isOpen);
  }

  /** The next question that nothing has answered yet. */
  advance(): Question | undefined {
    this.#current = this.#questions.find(isOpen);
    if (this.#current) this.#current.isAsked = true;
    return this.#current;
  }

  /** Asks one out of turn. */
  ask(question: Question): void {
    question.isAsked = true;
    this.#current = question;
  }

  /** Undoes all that comes from now on. */
  wayBack(): () => void {
    const current = this.#current;
    const before = this.#questions.map(({ isAsked, answer }) => ({ isAsked, answer }));
    return () => {
      this.#current = current;
      for (const [index, question] of this.#questions.entries()) Object.assign(question, before[index]);
    };
  }

  /** No question is being asked any more. */
  leave(): void {
    this.#current = undefined;
  }

  record(question: Question, reading: Reading, { text, turn, confidence }: Heard): void {
    const words = text.trim() === '' ? null : text.trim();
    question.answer =
      reading.status === 'answered'
        ? { status: 'answered', answer: words, value: reading.value, turn, confidence: reading.confidence }
        : { status: reading.status, answer: words, value: null, turn, confidence: round(confidence) };
  }

  /** Who refuses the call refuses what was just asked. */
  refuseCurrent(turn: number): void {
    if (this.#current && !this.#current.answer)
      this.#current.answer = { status: 'refused', answer: null, value: null, turn, confidence: null };
  }

  /** "Yes, on Tuesday, and we are five": what plainly answers a later question need not be asked again. */
  answerOthers(answered: Question, { text, turn, confidence }: Heard, clock: Clock): void {
    if (answered.kind === 'open') return;
    for (const other of this.#questions.filter(isOpen)) {
      if (other.kind === answered.kind || other.kind === 'open' || other.kind === 'yes-no') continue;
      const found = alsoAnswers(other, text, clock);
      if (!found) continue;
      other.answer = {
        status: 'answered',
        answer: found.words,
        value: found.value,
        turn,
        confidence: round(0.8 * found.confidence * confidence),
      };
    }
  }

  answers(): Answer[] {
    return this.#questions.map(({ text, isAsked, answer }) => {
      const open = { status: isAsked ? ('unclear' as const) : ('not_asked' as const) };
      const none = { ...open, answer: null, value: null, turn: null, confidence: null };
      return { question: text, ...(answer ?? none) };
    });
  }
}

function isOpen({ isDropped, isAsked, answer }: Question): boolean {
  return !isDropped && !isAsked && !answer;
}

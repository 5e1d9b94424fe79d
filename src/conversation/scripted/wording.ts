import { sentences } from '../../speech/text/sentences.ts';
import { acknowledgements, type Mood, truths } from './phrases.ts';
import { speaksOf } from './rules.ts';

/** Words for the assistant's own sentences: none that is forbidden, none worn out. */
export class Wording {
  readonly #forbidden: readonly string[][];
  readonly #used = new Map<Mood, number>();

  constructor(forbidden: readonly string[][]) {
    this.#forbidden = forbidden;
  }

  isAllowed(text: string): boolean {
    return !speaksOf(text, this.#forbidden);
  }

  /** The first of these of which something may be said, without its forbidden sentences. */
  allowed(...ways: readonly string[]): string {
    for (const way of ways) {
      const said = sentences(way)
        .filter((sentence) => this.isAllowed(sentence))
        .join(' ');
      if (said !== '') return said;
    }
    return '';
  }

  acknowledge(mood: Mood): string {
    const said = this.#used.get(mood) ?? 0;
    this.#used.set(mood, said + 1);
    const all = acknowledgements[mood];
    return this.allowed(all[said % all.length] ?? '');
  }

  /** No rule silences it: where every way of saying it is forbidden, it is said nevertheless. */
  truth(): string {
    return truths.find((truth) => this.isAllowed(truth)) ?? truths[0];
  }
}

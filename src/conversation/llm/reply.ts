import { asksFor } from '../scripted/rules.ts';
import type { Wording } from '../scripted/wording.ts';
import { contentStems } from '../scripted/words.ts';

// A person on the phone takes in no more at once.
const mostSentences = 4;
const mostLetters = 600;

const machine =
  'robot|bot|chatbot|machine|computer|ai|a\\.i\\.|automated|artificial|virtual|recording|program|software';
const claimsToBeHuman = new RegExp(
  `\\b(?:i am|i'm|i’m|you are (?:talking|speaking) (?:to|with)|you're (?:talking|speaking) (?:to|with)|this is|as)` +
    `(?: (?:definitely|really|actually|indeed|certainly|absolutely|of course|just|very much))*` +
    `(?: not (?:an? )?(?:${machine})\\b| (?:an? )?(?:real |actual |live |living |normal )*(?:human|person|man|woman|guy)\\b)`,
  'i',
);
const tellsTheTruth = new RegExp(`\\b(?:${machine})\\b`, 'i');

/** What a model says in one turn, sentence by sentence: only what the rules and the safeguards let through. */
export class Reply {
  readonly said: string[] = [];
  /** Whether something was to be said that must not be. */
  hasDropped = false;
  readonly #wording: Wording;
  readonly #unasked: readonly string[][];
  #owesTruth: boolean;

  constructor(wording: Wording, unasked: readonly string[][], owesTruth: boolean) {
    this.#wording = wording;
    this.#unasked = unasked;
    this.#owesTruth = owesTruth;
  }

  get text(): string {
    return this.said.join(' ');
  }

  get hasAsked(): boolean {
    return this.said.some((sentence) => /\?["')\]]*$/.test(sentence));
  }

  /** What must be said before anything else is. */
  get owed(): string {
    return this.#owesTruth ? this.#wording.truth() : '';
  }

  /** What of a sentence is to be spoken, with what is owed before it. */
  admit(sentence: string): string[] {
    if (!this.#isAllowed(sentence)) {
      this.hasDropped = true;
      return [];
    }
    const isTruth = tellsTheTruth.test(sentence);
    const admitted = this.#owesTruth && !isTruth ? [this.#wording.truth(), sentence] : [sentence];
    this.#owesTruth = false;
    this.said.push(...admitted);
    return admitted;
  }

  #isAllowed(sentence: string): boolean {
    const isQuestion = sentence.endsWith('?');
    const isTooMuch = this.said.length >= mostSentences || this.text.length + sentence.length > mostLetters;
    if (isTooMuch && !(isQuestion && !this.hasAsked)) return false;
    if (this.said.includes(sentence) || claimsToBeHuman.test(sentence)) return false;
    return this.#wording.isAllowed(sentence) && !(sentence.includes('?') && asksFor(sentence, this.#unasked));
  }
}

/** Which of some questions a sentence asks, in its own words perhaps. */
export function askedIn<Q extends { text: string }>(sentence: string, questions: readonly Q[]): Q | undefined {
  if (!/\?["')\]]*$/.test(sentence)) return undefined;
  const likeness = questions.map((question) => likenessOf(sentence, question));
  const best = Math.max(...likeness);
  return best >= alike ? questions[likeness.indexOf(best)] : undefined;
}

/** "Please tell me how many live there" asks as well as a question does. */
export function isAskedFor(question: { text: string }, said: readonly string[]): boolean {
  return said.some((sentence) => likenessOf(sentence, question) >= alike);
}

const alike = 0.6;

/** How many of the question's words are in the sentence, from 0 to 1. */
function likenessOf(sentence: string, question: { text: string }): number {
  const said = new Set(contentStems(sentence));
  const words = new Set(contentStems(question.text));
  return [...words].filter((word) => said.has(word)).length / Math.max(1, words.size);
}

import { type Hearing, type Moonshine, type MoonshineResult, tokensOf, type Writing, wordTokens } from './moonshine.ts';
import { shortAnswers } from './short-answers.ts';

/** Longer utterances have a context of their own. */
export const shortSeconds = 2;
/** How much likelier a phrase is than the models believe, as a logarithm: of 0 to 4 the most that cost other answers little. */
const phraseBonus = 3;
/** More than these made no difference to speak of. */
const mostPhrases = 4;

/** What one of the models made of a sound. */
export interface Opinion {
  model: Pick<Moonshine, 'score'>;
  hearing: Hearing;
  writing: Writing;
}

interface Candidate {
  tokens: number[];
  isPhrase: boolean;
  result(score: number): MoonshineResult;
}

/** The likeliest of what the models wrote and of what people say when they say little, by the mean of their opinions. */
export async function weighShortAnswer(opinions: Opinion[]): Promise<MoonshineResult> {
  const candidates = [...ownCandidates(opinions), ...phraseCandidates(opinions.map(({ writing }) => writing))];
  const texts = candidates.map(({ tokens }) => tokens);
  const scores: number[][] = [];
  for (const { model, hearing } of opinions) scores.push(await model.score(hearing, texts));
  const weighed = candidates.map((candidate, index) => {
    const score = mean(scores.map((ofModel) => ofModel[index] as number));
    return { candidate, score, weight: score + (candidate.isPhrase ? phraseBonus : 0) };
  });
  const best = weighed.reduce((a, b) => (b.weight > a.weight ? b : a));
  return best.candidate.result(best.score);
}

/** Each text once, as the surest has it. */
function ownCandidates(opinions: Opinion[]): Candidate[] {
  const surest = opinions.map(({ writing }) => writing).sort((a, b) => b.confidence - a.confidence);
  return surest.flatMap((writing, index) => {
    const tokens = wordTokens(writing.tokens);
    if (surest.slice(0, index).some((other) => isSame(wordTokens(other.tokens), tokens))) return [];
    return { tokens, isPhrase: isPhrase(tokens), result: () => asAnswer(writing) };
  });
}

/** What people say when they say little is whole, whatever the model put behind it. */
export function asAnswer({ text, confidence, tokens }: Writing): MoonshineResult {
  return { text: isPhrase(wordTokens(tokens)) ? text.replace(/,$/, '.') : text, confidence, tokens };
}

function phraseCandidates(writings: Writing[]): Candidate[] {
  const own = writings.map(({ tokens }) => wordTokens(tokens));
  return (
    phrases
      // One that a model went beyond would drop words that were heard.
      .filter(({ tokens }) => !own.some((words) => isBeginning(tokens, words)))
      .map((phrase) => ({ ...phrase, limit: mean(writings.map((writing) => limitOf(phrase.tokens, writing))) }))
      .sort((a, b) => b.limit - a.limit)
      .slice(0, mostPhrases)
      .map(({ text, tokens }) => ({
        tokens,
        isPhrase: true,
        result: (score) => ({ text, confidence: Math.exp(score / (tokens.length + 1)), tokens }),
      }))
  );
}

/** A phrase can be no likelier than its beginning, up to where it leaves what was written. */
function limitOf(phrase: number[], { tokens, rows }: Writing): number {
  let limit = 0;
  for (const [place, token] of phrase.entries()) {
    const row = rows[place];
    if (!row) return limit;
    limit += row[token] as number;
    if (token !== tokens[place]) return limit;
  }
  return limit;
}

interface Phrase {
  text: string;
  tokens: number[];
}

const question = /^(?:who|what|why|when|where|how|are you|is this|can you|could you)\b/i;
const phrases: Phrase[] = shortAnswers.map((text) => ({
  text: `${text}${question.test(text) ? '?' : '.'}`,
  tokens: tokensOf(text),
}));

function isPhrase(tokens: number[]): boolean {
  return phrases.some((phrase) => isSame(phrase.tokens, tokens));
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isSame(a: number[], b: number[]): boolean {
  return a.length === b.length && isBeginning(a, b);
}

function isBeginning(short: number[], long: number[]): boolean {
  return short.every((token, index) => token === long[index]);
}

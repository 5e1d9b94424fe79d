/** The mean probability of tokens, from their logarithms; undefined where there are none. */
export function confidenceOf(logprobs: readonly number[]): number | undefined {
  if (logprobs.length === 0) return undefined;
  const mean = logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length;
  return Math.min(1, Math.max(0, Math.exp(mean)));
}

const shortestMs = 5;
const longestMs = 15;
const comparedMs = 10;

/** The length of the last period before a position of a ring of samples: the shift at which it resembles itself most. */
export function pitchOf(ring: Int16Array, mask: number, end: number, samplesPerMs: number): number {
  const length = comparedMs * samplesPerMs;
  let best = longestMs * samplesPerMs;
  let bestScore = 0;
  for (let lag = shortestMs * samplesPerMs; lag <= longestMs * samplesPerMs; lag++) {
    let product = 0;
    let energy = 1;
    // Every second sample is enough to find it.
    for (let i = 1; i <= length; i += 2) {
      const now = ring[(end - i) & mask] ?? 0;
      const before = ring[(end - i - lag) & mask] ?? 0;
      product += now * before;
      energy += before * before;
    }
    const score = product <= 0 ? 0 : (product * product) / energy;
    if (score > bestScore) {
      bestScore = score;
      best = lag;
    }
  }
  return best;
}

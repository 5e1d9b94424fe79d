// Of full scale; the voices' own silence is far below.
const quiet = 150;
const leadMs = 10;
const tailMs = 160;

/** A voice begins and ends with some 200 ms of silence each: in a conversation these are pauses that nobody meant. */
export function trimSilence(samples: Int16Array, sampleRate: number): Int16Array {
  const isLoud = (sample: number) => sample > quiet || sample < -quiet;
  const first = samples.findIndex(isLoud);
  if (first === -1) return samples.slice(0, 0);
  const last = samples.findLastIndex(isLoud);
  const from = Math.max(0, first - (leadMs * sampleRate) / 1_000);
  const to = Math.min(samples.length, last + 1 + (tailMs * sampleRate) / 1_000);
  return samples.slice(from, to);
}

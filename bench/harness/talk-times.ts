/** A stretch of sound, in milliseconds. */
export interface Stretch {
  startMs: number;
  endMs: number;
}

const windowMs = 10;
/** Louder than the noise of a line, softer than any voice. */
const loud = 250;
const faint = 100;

/** Where somebody is heard; pauses shorter than `pauseMs` belong to it. */
export function stretches(samples: Int16Array, sampleRate: number, pauseMs: number): Stretch[] {
  const size = (sampleRate * windowMs) / 1_000;
  const found: Stretch[] = [];
  for (let at = 0; at + size <= samples.length; at += size) {
    let sum = 0;
    for (let index = at; index < at + size; index++) sum += (samples[index] as number) ** 2;
    if (Math.sqrt(sum / size) < loud) continue;
    const startMs = (at * 1_000) / sampleRate;
    const last = found.at(-1);
    if (last && startMs - last.endMs < pauseMs) last.endMs = startMs + windowMs;
    else found.push({ startMs, endMs: startMs + windowMs });
  }
  return found;
}

/** The first sound of any word, the soft ones of an H included. */
export function firstSoundMs(samples: Int16Array, sampleRate: number): number {
  return (samples.findIndex((sample) => Math.abs(sample) > faint) * 1_000) / sampleRate;
}

/** From their last sound to our first, for each time that they spoke into our silence and we replied. */
export function turnGaps(ours: Stretch[], theirs: Stretch[]): number[] {
  return theirs.flatMap(({ startMs, endMs }, index) => {
    const isOverOurs = ours.some((our) => our.startMs < endMs && our.endMs > startMs);
    const reply = ours.find((our) => our.startMs >= endMs);
    const next = theirs[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
    return isOverOurs || !reply || reply.startMs > next ? [] : [reply.startMs - endMs];
  });
}

/** From their first sound into our voice until it is silent. */
export function stopTimes(ours: Stretch[], theirs: Stretch[], fromMs: number): number[] {
  return theirs.flatMap(({ startMs }) => {
    const cut = ours.find((our) => our.startMs < startMs && our.endMs > startMs);
    return cut && startMs >= fromMs ? [cut.endMs - startMs] : [];
  });
}

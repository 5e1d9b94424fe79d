/** Below full scale; -96 for digital silence. */
export function levelDb(frame: Int16Array): number {
  let sum = 0;
  let mean = 0;
  for (const sample of frame) {
    sum += sample * sample;
    mean += sample;
  }
  mean /= frame.length;
  // Without the offset that some gateways add.
  const power = Math.max(0, sum / frame.length - mean * mean);
  return power === 0 ? -96 : Math.max(-96, 10 * Math.log10(power) - 90.3);
}

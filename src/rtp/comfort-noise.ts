/** About -60 dBm0: heard as an open line, not as a sound. */
const lineAmplitude = 24;

export function noiseSample(amplitude: number): number {
  return Math.round((Math.random() * 2 - 1) * amplitude);
}

/** What the line carries while nobody speaks: complete silence sounds as if it were dead. */
export const lineNoise = Int16Array.from({ length: 16_000 }, () => noiseSample(lineAmplitude));

/** RFC 3389 §3: the first byte of a comfort noise packet is the level below full scale in dB. */
export function amplitudeOfComfortNoise(payload: Uint8Array): number {
  const decibels = (payload[0] ?? 127) & 0x7f;
  return Math.min(2_000, 32_768 * 10 ** (-decibels / 20) * Math.sqrt(3));
}

/** ITU-T Q.23: each key sounds one row and one column. */
export const dtmfRows: readonly number[] = [697, 770, 852, 941];
export const dtmfColumns: readonly number[] = [1209, 1336, 1477, 1633];
/** Row by row. */
export const dtmfKeys = '123A456B789C*0#D';

const toneMs = 100;
const pauseMs = 60;
// Of each of the two, some 9 dB below the loudest that G.711 carries.
const amplitude = 8000;

/** The sound of some keys; what is no key is left out. */
export function dtmfTones(digits: string, sampleRate: number): Int16Array {
  const keys = [...digits.toUpperCase()].map((digit) => dtmfKeys.indexOf(digit)).filter((key) => key !== -1);
  const toneSamples = Math.round((sampleRate * toneMs) / 1000);
  const keySamples = toneSamples + Math.round((sampleRate * pauseMs) / 1000);
  const pcm = new Int16Array(keys.length * keySamples);
  for (const [at, key] of keys.entries()) {
    const row = (2 * Math.PI * (dtmfRows[key >> 2] as number)) / sampleRate;
    const column = (2 * Math.PI * (dtmfColumns[key & 3] as number)) / sampleRate;
    for (let n = 0; n < toneSamples; n++) {
      pcm[at * keySamples + n] = Math.round(amplitude * (Math.sin(row * n) + Math.sin(column * n)));
    }
  }
  return pcm;
}

import type { Codec, Decoder, Encoder } from './codec.ts';

/** ITU-T G.711 §3.2, with the sample scaled to 16 bits. */
function muLawToLinear(code: number): number {
  const inverted = ~code & 0xff;
  const segment = (inverted >> 4) & 7;
  const magnitude = ((((inverted & 0x0f) << 3) + 0x84) << segment) - 0x84;
  return inverted & 0x80 ? -magnitude : magnitude;
}

/** ITU-T G.711 §3.1, with the sample scaled to 16 bits; every second bit is inverted on the line. */
function aLawToLinear(code: number): number {
  const toggled = code ^ 0x55;
  const segment = (toggled >> 4) & 7;
  const step = ((toggled & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return toggled & 0x80 ? magnitude : -magnitude;
}

function linearToMuLaw(sample: number): number {
  const magnitude = Math.min(sample < 0 ? -sample : sample, 32635) + 0x84;
  const segment = 31 - Math.clz32(magnitude >> 7);
  const code = (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f);
  return ~(sample < 0 ? code | 0x80 : code) & 0xff;
}

function linearToALaw(sample: number): number {
  // The negative half mirrors around -1/2, so that -1 is the smallest negative value and not a positive one.
  const magnitude = sample < 0 ? ~sample : sample;
  const segment = Math.max(0, 31 - Math.clz32(magnitude >> 7));
  const code = (segment << 4) | ((magnitude >> Math.max(4, segment + 3)) & 0x0f);
  return (sample < 0 ? code : code | 0x80) ^ 0x55;
}

function g711(name: string, payloadType: number, compress: (sample: number) => number, table: Int16Array): Codec {
  // By the 16 bits of the sample as they lie in memory.
  const codes = Uint8Array.from({ length: 65536 }, (_, bits) => compress((bits << 16) >> 16));
  const encode: Encoder = (pcm, payload) => {
    const count = Math.min(pcm.length, payload.length);
    for (let at = 0; at < count; at++) payload[at] = codes[(pcm[at] as number) & 0xffff] as number;
    return count;
  };
  const decode: Decoder = (payload, pcm) => {
    const count = Math.min(payload.length, pcm.length);
    for (let at = 0; at < count; at++) pcm[at] = table[payload[at] as number] as number;
    return count;
  };
  return {
    name,
    payloadType,
    clockRate: 8000,
    sampleRate: 8000,
    newEncoder: () => encode,
    newDecoder: () => decode,
  };
}

/** The 16-bit sample of each code. */
export const muLawSamples = Int16Array.from({ length: 256 }, (_, code) => muLawToLinear(code));
export const aLawSamples = Int16Array.from({ length: 256 }, (_, code) => aLawToLinear(code));

export const pcmu = g711('PCMU', 0, linearToMuLaw, muLawSamples);
export const pcma = g711('PCMA', 8, linearToALaw, aLawSamples);

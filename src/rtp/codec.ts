/** Returns the bytes written to `payload`. */
export type Encoder = (pcm: Int16Array, payload: Uint8Array) => number;
/** Returns the samples written to `pcm`. */
export type Decoder = (payload: Uint8Array, pcm: Int16Array) => number;

export type Codec = {
  name: string;
  /** The static one, or the one that we offer. */
  payloadType: number;
  /** RTP timestamps a second. */
  clockRate: number;
  /** Of the PCM. */
  sampleRate: 8_000 | 16_000;
  /** Each stream has its own, since a codec may remember. */
  newEncoder(): Encoder;
  newDecoder(): Decoder;
};

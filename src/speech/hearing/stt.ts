import type { Recogniser, Stt } from '../ports.ts';
import { UtteranceListener } from './listener.ts';
import { openVad } from './vad.ts';

/** Ears with any recogniser: where utterances begin and end is found out the same way for all. */
export function sttOf(recogniser: Recogniser): Stt {
  return {
    listen(options) {
      const { sampleRate, language } = options;
      const stream = recogniser.open({ sampleRate, ...(language && { language }) });
      return new UtteranceListener({ vad: openVad(sampleRate), stream }, options);
    },
    close: () => recogniser.close(),
  };
}

import { openVad } from '../hearing/vad.ts';
import type { LineRate, Stt, Transcript } from '../ports.ts';
import { AnswerDetector, type Beep, type Verdict } from './answer-detector.ts';

export interface Judgement {
  /** The last one counts; an earlier one was revised. */
  verdicts: Verdict[];
  beeps: Beep[];
  greetingEndMs: number | undefined;
  transcript: Transcript[];
}

const frameMs = 20;

/**
 * What the detector would have said of a call that sounded like this, and when: each text reaches it as
 * late as its recognition took, while the sound goes by faster than it was spoken.
 */
export async function judgeRecording(stt: Stt, samples: Int16Array, sampleRate: LineRate): Promise<Judgement> {
  const judgement: Judgement = { verdicts: [], beeps: [], greetingEndMs: undefined, transcript: [] };
  const detector = new AnswerDetector({
    sampleRate,
    onVerdict: (verdict) => judgement.verdicts.push(verdict),
    onBeep: (beep) => judgement.beeps.push(beep),
    onGreetingEnd: (atMs) => {
      judgement.greetingEndMs = atMs;
    },
  });
  let texts: { transcript: Transcript; isFinal: boolean; dueMs: number }[] = [];
  const listener = stt.listen({
    sampleRate,
    onPartial: (transcript) => texts.push({ transcript, isFinal: false, dueMs: Number.POSITIVE_INFINITY }),
    onFinal: (transcript) => {
      texts.push({ transcript, isFinal: true, dueMs: Number.POSITIVE_INFINITY });
      judgement.transcript.push(transcript);
    },
  });
  const vad = openVad(sampleRate);
  const size = (frameMs * sampleRate) / 1_000;
  let nowMs = 0;
  for (let at = 0; at + size <= samples.length; at += size) {
    nowMs += frameMs;
    const frame = samples.slice(at, at + size);
    detector.hear(frame, vad.hear(frame));
    const heardAt = performance.now();
    listener.hear(frame);
    await listener.settled();
    const dueMs = nowMs + performance.now() - heardAt;
    texts = texts.map((text) => ({ ...text, dueMs: Math.min(text.dueMs, dueMs) }));
    for (const { transcript, isFinal } of texts.filter((text) => text.dueMs <= nowMs)) {
      detector.understand(transcript.text, isFinal, transcript.startMs, transcript.endMs);
    }
    texts = texts.filter((text) => text.dueMs > nowMs);
  }
  listener.close();
  vad.close();
  return judgement;
}

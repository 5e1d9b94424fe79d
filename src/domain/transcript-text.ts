import type { TranscriptTurn } from './call-result.ts';

const names = { assistant: 'Assistant', callee: 'Callee' } as const;

/** `[00:03] Assistant: Hello!` */
export function transcriptLine(turn: TranscriptTurn): string {
  return `[${minutesAndSeconds(turn.startMs)}] ${names[turn.speaker]}: ${turn.text}${turn.interrupted ? ' [interrupted]' : ''}`;
}

export function minutesAndSeconds(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

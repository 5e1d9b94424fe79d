import type { Latency, TranscriptTurn } from '../domain/call-result.ts';

type TurnLatency = Latency['turns'][number];

/** What was said in a call, in the order in which it began, and how long it took. */
export class CallRecord {
  readonly turns: TranscriptTurn[] = [];
  introductionMs: number | null = null;
  readonly #latencies: TurnLatency[] = [];

  /** Something the person said, which is known a while after they began; the number of the turn. */
  heard(text: string, startMs: number, endMs: number): number {
    const before = this.turns.findLastIndex((turn) => turn.speaker === 'callee' || turn.startMs <= startMs);
    this.turns.splice(before + 1, 0, { speaker: 'callee', text, startMs, endMs, interrupted: false });
    return before + 1;
  }

  /** We begin to speak; what of it was said is known at its end. */
  beginSpeaking(startMs: number): TranscriptTurn {
    const turn: TranscriptTurn = { speaker: 'assistant', text: '', startMs, endMs: startMs, interrupted: false };
    this.turns.push(turn);
    return turn;
  }

  /** The number of the turn, unless nothing of it was heard. */
  endSpeaking(turn: TranscriptTurn, said: { spoken: string; isComplete: boolean }, endMs: number): number | undefined {
    Object.assign(turn, { text: said.spoken, endMs, interrupted: !said.isComplete });
    if (turn.text !== '') return this.turns.indexOf(turn);
    // Turns after it have their numbers already.
    if (turn === this.turns.at(-1)) this.turns.pop();
    return undefined;
  }

  addLatency(latency: TurnLatency): void {
    this.#latencies.push(latency);
  }

  get latency(): Latency {
    const sorted = this.#latencies.map(({ audioMs }) => audioMs).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
    return {
      introductionMs: this.introductionMs,
      turns: this.#latencies,
      audioMs: sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95) },
    };
  }
}

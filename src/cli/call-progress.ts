import type { MediaReport } from '../rtp/media-report.ts';
import type { Voice } from '../telephone/voice-call.ts';

/** How a call goes, on stderr: a line for each step and, at a terminal, what is sent and heard. */
export type CallProgress = {
  say(text: string): void;
  ringing(status: number): void;
  answered(voice: Voice): void;
  show(report: MediaReport): void;
  end(): void;
};

export function showCallProgress(stream: NodeJS.WriteStream = process.stderr): CallProgress {
  const startedAt = performance.now();
  let answeredAt = startedAt;
  let live = '';
  let lastStatus = 0;
  const since = (from: number) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
  const say = (text: string) => {
    stream.write(live ? `\r\x1b[K${text}\n${live}` : `${text}\n`);
  };
  return {
    say,
    ringing(status) {
      if (status === lastStatus) return;
      lastStatus = status;
      say(`  ${status === 180 ? 'ringing' : `progress (${status})`} after ${since(startedAt)}`);
    },
    answered({ codec, isEncrypted }) {
      answeredAt = performance.now();
      say(`  answered after ${since(startedAt)}: ${codec}, ${isEncrypted ? 'encrypted' : 'not encrypted'}`);
    },
    show({ sentPackets, receivedPackets, lostPackets, jitterMs }) {
      if (!stream.isTTY) return;
      live = `  ${since(answeredAt)}  sent ${sentPackets}  received ${receivedPackets}  lost ${lostPackets}  jitter ${jitterMs.toFixed(1)} ms`;
      stream.write(`\r\x1b[K${live}`);
    },
    end() {
      if (live) stream.write('\r\x1b[K');
      live = '';
    },
  };
}

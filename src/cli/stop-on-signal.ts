import { exitCode } from './failure.ts';
import { remark } from './output.ts';

// A launcher passes a Ctrl-C on that the terminal has already sent us: one press, two signals.
const secondSignalAfterMs = 1_000;

/** The first Ctrl-C asks to stop; another one a moment later does not wait any longer. */
export function stopOnSignal(): { signal: AbortSignal } {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt !== undefined) {
      if (Date.now() - firstAt > secondSignalAfterMs) process.exit(exitCode.interrupted);
      return;
    }
    firstAt = Date.now();
    remark('\nStopping after this batch …');
    controller.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return controller;
}

/** A controller that is aborted with any of `signals` too; `unlink` lets go of them, which may live much longer. */
export function linkedAbort(...signals: (AbortSignal | undefined)[]): {
  controller: AbortController;
  unlink: () => void;
} {
  const controller = new AbortController();
  const links = signals
    .filter((signal) => signal !== undefined)
    .map((signal) => {
      const abort = () => controller.abort(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      return () => signal.removeEventListener('abort', abort);
    });
  return {
    controller,
    unlink: () => {
      for (const unlink of links) unlink();
    },
  };
}

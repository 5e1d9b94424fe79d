/** Why a call is ended from outside: somebody asked for it, or this process stops. */
export type StopReason = 'operator' | 'stopping';

/** How whoever runs the service reaches into one call. */
export class CallControl {
  readonly #stop = new AbortController();
  /** What the operator wants said; whoever holds the conversation sets it. */
  onSay: (text: string) => void = () => {};

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get stopReason(): StopReason | undefined {
    return this.#stop.signal.aborted ? this.#stop.signal.reason : undefined;
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    this.#stop.abort(reason);
  }
}

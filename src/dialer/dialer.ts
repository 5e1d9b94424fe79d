import { setTimeout as sleep } from 'node:timers/promises';
import type { DueCall } from '../domain/due-call.ts';
import { outcome } from '../domain/outcome.ts';
import { callCommandsChannel, takeCommands } from '../store/call-commands.ts';
import { callsChannel } from '../store/calls.ts';
import type { DatabasePool } from '../store/database.ts';
import { abandonCall, claimCalls, releaseAllBut } from '../store/dialing.ts';
import { listen } from '../store/listen.ts';
import { joinNode, keepNodeAlive, leaveNode, recoverCalls } from '../store/nodes.ts';
import { CallControl } from './call-control.ts';

// A call that could not even be dialled is not worth trying again at once: the next try would fail alike.
const againAfterMs = 10_000;
// More accounts than this hardly ever wait at the same moment.
const accountsRemembered = 1_000;

const failed = outcome('failed', 'platform', 'The call broke off through a fault of the service.');

const endedByOperator = outcome('cancelled', 'operator', 'Ended by the operator.');

type Options = {
  db: DatabasePool;
  nodeId: string;
  label: string;
  trunk: string;
  /** At once, in this process. */
  maxCalls: number;
  /** At once, in all processes with this trunk. */
  trunkMaxCalls?: number | undefined;
  /** Whether nobody else places calls from this database: then what is under way at the start has nobody. */
  isExclusive: boolean;
  /** Places one call from `beginDialling` to `finishCall`. */
  placeCall: (call: DueCall, control: CallControl) => Promise<void>;
  onError: (error: unknown) => void;
  pollMs?: number;
  heartbeatMs?: number;
  deadAfterMs?: number;
};

export type Dialer = {
  readonly liveCalls: number;
  /** Takes no more calls, lets those under way end for a while, then ends them. */
  close(options?: { drainMs?: number }): Promise<void>;
};

/** Places the calls that are due, here and in any other process on this database, each exactly once. */
export async function openDialer(options: Options): Promise<Dialer> {
  const { db, nodeId, label, trunk, maxCalls, trunkMaxCalls, isExclusive, placeCall, onError } = options;
  const { pollMs = 1_000, heartbeatMs = 5_000, deadAfterMs = 30_000 } = options;
  const live = new Map<string, { control: CallControl; done: Promise<void> }>();
  const servedLast = new Set<string>();
  const abandoning = new AbortController();
  let isClosing = false;
  let closed: Promise<void> | undefined;

  await recoverCalls(db, { exceptNode: nodeId, deadAfterMs: isExclusive ? 'all others' : deadAfterMs });
  await joinNode(db, { id: nodeId, label, trunk });

  let mayHoldUnknown = false;

  async function takeDue(): Promise<void> {
    const limit = maxCalls - live.size;
    if (isClosing || limit <= 0) return;
    if (mayHoldUnknown) await releaseAllBut(db, nodeId, [...live.keys()]);
    mayHoldUnknown = true; // until the answer is here: it may get lost after the commit
    const calls = await claimCalls(db, { nodeId, limit, trunk, trunkMaxCalls, servedLast: [...servedLast] });
    mayHoldUnknown = false;
    for (const call of calls) {
      remember(call.accountId);
      const control = new CallControl();
      if (isClosing) control.stop('stopping');
      live.set(call.id, { control, done: run(call, control, live.get(call.id)?.done) });
    }
  }

  function remember(accountId: string): void {
    servedLast.delete(accountId);
    servedLast.add(accountId);
    const [oldest] = servedLast;
    if (servedLast.size > accountsRemembered && oldest !== undefined) servedLast.delete(oldest);
  }

  /** A call that was taken from us may come back while we are still about to let go of it: `earlier` is that. */
  async function run(call: DueCall, control: CallControl, earlier?: Promise<void>): Promise<void> {
    await earlier;
    try {
      if (!isClosing) await placeCall(call, control);
    } catch (error) {
      onError(error);
    }
    while (!(await isSettled(call.id, control)) && !abandoning.signal.aborted) {
      await sleep(pollMs, undefined, { signal: abandoning.signal }).catch(() => {});
    }
    if (live.get(call.id)?.control === control) live.delete(call.id);
    claims.wake();
  }

  /** Whatever came of it, this node does not hold the call any longer. */
  async function isSettled(callId: string, control: CallControl): Promise<boolean> {
    try {
      const { stopReason } = control;
      if (stopReason === 'operator') await abandonCall(db, nodeId, callId, endedByOperator);
      else await abandonCall(db, nodeId, callId, failed, { againAfterMs: stopReason ? 0 : againAfterMs });
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  async function giveCommands(): Promise<void> {
    if (live.size === 0) return;
    const taken = await takeCommands(db, nodeId);
    await claiming; // a call of which this is the first that we hear
    for (const { callId, command } of taken) {
      const control = live.get(callId)?.control;
      if (command.kind === 'hang-up') control?.stop('operator');
      else control?.onSay(command.text);
    }
  }

  let lastBeatAt = performance.now();
  let steadySince = lastBeatAt;

  async function beat(): Promise<void> {
    const isKnown = await keepNodeAlive(db, nodeId);
    const now = performance.now();
    // Whoever was cut off from the database cannot tell who else was, and takes nobody for dead.
    if (now - lastBeatAt > deadAfterMs / 2) steadySince = now;
    lastBeatAt = now;
    if (!isKnown) {
      for (const { control } of live.values()) control.stop('stopping'); // they have ended without us
      await joinNode(db, { id: nodeId, label, trunk });
    }
    if (now - steadySince >= deadAfterMs) await recoverCalls(db, { exceptNode: nodeId, deadAfterMs });
  }

  let claiming: Promise<unknown> = Promise.resolve();
  const claims = repeat(pollMs, onError, () => {
    const taking = takeDue();
    claiming = taking.catch(() => {});
    return taking;
  });
  const commands = repeat(pollMs, onError, giveCommands);
  const heartbeat = repeat(heartbeatMs, onError, beat);
  const listeners = [
    listen(db, callsChannel, { onNotify: () => claims.wake(), onError }),
    listen(db, callCommandsChannel, {
      onNotify: (node) => {
        if (node === undefined || node === nodeId) commands.wake();
      },
      onError,
    }),
  ];

  async function close(drainMs: number): Promise<void> {
    isClosing = true;
    await claims.close();
    const ended = Promise.all([...live.values()].map(({ done }) => done));
    const inTime = new AbortController();
    await Promise.race([ended, sleep(drainMs, undefined, { signal: inTime.signal }).catch(() => {})]);
    inTime.abort();
    for (const { control } of live.values()) control.stop('stopping');
    abandoning.abort();
    await ended;
    await Promise.all([commands.close(), heartbeat.close(), ...listeners.map((listener) => listener.close())]);
    await leaveNode(db, nodeId).catch(onError); // whoever recovers next finds that it is silent
  }

  return {
    get liveCalls() {
      return live.size;
    },
    close({ drainMs = 20_000 } = {}) {
      closed ??= close(drainMs);
      return closed;
    },
  };
}

/** Does the work at once, again whenever it is woken, and every so often; after a failure not before that time. */
function repeat(
  everyMs: number,
  onError: (error: unknown) => void,
  work: () => Promise<void>,
): { wake(): void; close(): Promise<void> } {
  const closing = new AbortController();
  let rest = new AbortController();
  const stopped = run();

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      rest = new AbortController(); // woken while it works, it does not rest
      const hasFailed = await work().then(
        () => false,
        (error) => {
          onError(error);
          return true;
        },
      );
      const { signal } = hasFailed ? closing : rest;
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  return {
    wake: () => rest.abort(),
    close() {
      closing.abort();
      rest.abort();
      return stopped;
    },
  };
}

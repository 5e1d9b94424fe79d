import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { dgramSockets } from './dgram-sockets.ts';
import { directSockets } from './direct-sockets.ts';
import { FrameClock, type FrameListener } from './frame-clock.ts';
import type { MediaCommand, MediaEvent, MediaThreadOptions } from './media-messages.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { PortPool } from './port-pool.ts';
import { RtpSession } from './session.ts';
import type { DatagramSocket } from './sockets.ts';
import type { SrtpKeys } from './srtp.ts';

if (!parentPort) throw new Error('This file is run as a worker thread');
const port = parentPort;
const options = workerData as MediaThreadOptions;
speakFirst();
const sockets = options.sockets === 'direct' ? directSockets() : dgramSockets();
// The thread does not own what it has opened directly: the process does.
process.on('exit', () => sockets.close());
const pool = new PortPool(options.ports);
type SessionCommand = Exclude<MediaCommand, { kind: 'open' | 'close' | 'lateness' | 'end' }>;

const sessions = new Map<number, GuardedSession>();
/** Those whose ports are not open yet; gone from here when they are closed before. */
const opening = new Set<number>();
const clock = new FrameClock({
  onWake: () => sockets.poll(),
  onServed: () => sockets.flush(),
  rest: sockets.rest,
});

// What happens within one round of the clock goes to the other thread as one message.
let events: MediaEvent[] = [];

function tell(event: MediaEvent): void {
  if (events.length === 0) setImmediate(sendEvents);
  events.push(event);
}

function sendEvents(): void {
  if (events.length === 0) return;
  const sent = events;
  events = [];
  port.postMessage(
    sent,
    sent.flatMap((event) => (event.kind === 'heard' ? [event.pcm.buffer as ArrayBuffer] : [])),
  );
}

/** A session and its port. A fault of ours in one call must not end the others. */
class GuardedSession implements FrameListener {
  readonly session: RtpSession;
  readonly port: number;
  readonly #id: number;

  constructor(id: number, session: RtpSession, ofPort: number) {
    this.#id = id;
    this.session = session;
    this.port = ofPort;
  }

  onFrame(frame: number, nowMs: number): void {
    try {
      this.session.onFrame(frame, nowMs);
    } catch (error) {
      fail(this.#id, error);
    }
  }

  onRtp(datagram: Buffer): void {
    try {
      this.session.onRtp(datagram);
    } catch (error) {
      fail(this.#id, error);
    }
  }

  onRtcp(datagram: Buffer): void {
    try {
      this.session.onRtcp(datagram);
    } catch (error) {
      fail(this.#id, error);
    }
  }
}

function fail(id: number, error: unknown): void {
  tell({ kind: 'failed', id, error: error as Error });
  close(id);
}

async function begin(id: number): Promise<void> {
  opening.add(id);
  let guarded: GuardedSession | undefined;
  const made = await openPorts(
    (datagram) => guarded?.onRtp(datagram),
    (datagram) => guarded?.onRtcp(datagram),
  );
  const isWanted = opening.delete(id);
  if (typeof made === 'string') return tell({ kind: 'not-opened', id, reason: made });
  const session = new RtpSession(made.rtp, made.rtcp, options.stalledAfterMs ?? 20_000, {
    onPlayed: (playback, playedMs, isComplete) => tell({ kind: 'played', id, playback, playedMs, isComplete }),
    onHeard: (pcm) => tell({ kind: 'heard', id, pcm: pcm.slice() }),
    onDigit: (digit) => tell({ kind: 'digit', id, digit }),
    onStalled: () => tell({ kind: 'stalled', id }),
    onRecordingFailed: (error) => tell({ kind: 'recording-failed', id, reason: error.message }),
  });
  guarded = new GuardedSession(id, session, made.port);
  sessions.set(id, guarded);
  if (isWanted) tell({ kind: 'opened', id, port: made.port });
  else close(id);
}

/** A free pair; ports that another program holds are passed over. */
async function openPorts(
  onRtp: (datagram: Buffer) => void,
  onRtcp: (datagram: Buffer) => void,
): Promise<{ rtp: DatagramSocket; rtcp: DatagramSocket; port: number } | string> {
  for (let attempts = pool.available; attempts > 0; attempts--) {
    const candidate = pool.take();
    if (candidate === undefined) break;
    let rtp: DatagramSocket | undefined;
    try {
      rtp = await sockets.open(options.host, candidate, onRtp);
      const rtcp = rtp && (await sockets.open(options.host, candidate + 1, onRtcp));
      if (rtp && rtcp) return { rtp, rtcp, port: candidate };
    } catch (error) {
      rtp?.close();
      pool.give(candidate);
      return (error as Error).message;
    }
    rtp?.close();
    pool.give(candidate);
  }
  return 'All ports for media are in use';
}

async function close(id: number): Promise<void> {
  opening.delete(id);
  const open = sessions.get(id);
  if (!open) return;
  // From here on it obeys nothing more, though its recording may take a while to finish.
  sessions.delete(id);
  clock.remove(open);
  try {
    await open.session.close();
  } catch (error) {
    tell({ kind: 'failed', id, error: error as Error });
  }
  pool.give(open.port);
  tell({ kind: 'closed', id, report: open.session.report });
}

function obey(command: MediaCommand): void {
  switch (command.kind) {
    case 'open':
      begin(command.id);
      return;
    case 'close':
      close(command.id);
      return;
    case 'end':
      clock.stop();
      return port.close();
    case 'lateness':
      return tell({ kind: 'lateness', lateness: clock.takeLateness(), freePorts: pool.available });
  }
  const open = sessions.get(command.id);
  if (!open) return;
  try {
    obeyIn(open, command);
  } catch (error) {
    fail(command.id, error);
  }
}

function obeyIn(guarded: GuardedSession, command: SessionCommand): void {
  const { session } = guarded;
  switch (command.kind) {
    case 'connect':
      session.connect(withBuffers(command.media));
      return clock.add(guarded);
    case 'play':
      return session.play(command.playback, command.pcm);
    case 'stop-playing':
      return session.stopPlaying();
    case 'send-digits':
      return session.sendDigits(command.digits);
    case 'hear':
      session.hears = command.hears;
      return;
    case 'record':
      return session.record(command.path);
    case 'report':
      return tell({ kind: 'report', id: command.id, report: session.report });
  }
}

/** A Buffer comes from another thread as a plain Uint8Array. */
function withBuffers(media: NegotiatedMedia): NegotiatedMedia {
  const keys = ({ suite, key }: SrtpKeys): SrtpKeys => ({ suite, key: Buffer.from(key) });
  return { ...media, srtp: media.srtp && { ours: keys(media.srtp.ours), theirs: keys(media.srtp.theirs) } };
}

port.on('message', (command: MediaCommand) => {
  obey(command);
  sockets.flush();
});

/** Linux counts the priority of each thread by itself, and lets only some users raise it. */
function speakFirst(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    // then it goes like all others
  }
}

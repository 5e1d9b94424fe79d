import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Media } from '../src/rtp/media.ts';
import { UserAgent } from '../src/sip/user-agent.ts';
import { Telephone } from '../src/telephone/telephone.ts';
import { plainMedia } from '../test/harness/media.ts';
import { type Figure, type Measure, toSample } from './figure.ts';
import { quietMachine } from './harness/quiet-machine.ts';

const host = '127.0.0.1';
const settleMs = 3_000;
const measureMs = 8_000;
const latenessLimitMs = 5;
const steps = [100, 400, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000, 2_250, 2_500, 2_750, 3_000];
const cpuAt = [100, 400, 1_000];
const timedCalls = 1_000;
const callsAtOnce = 20;

/** Calls with voice in both directions on one media thread, each with jitter buffer and codec. */
export const measureMedia: Measure = async ({ signal }) => {
  await quietMachine(signal);
  const concurrent = await measureConcurrent(signal);
  await quietMachine(signal);
  return [...concurrent, ...(await measureFirstPacket())];
};

function start(script: string): ChildProcess {
  return fork(fileURLToPath(new URL(`./harness/${script}`, import.meta.url)), { serialization: 'advanced' });
}

async function measureConcurrent(signal: AbortSignal): Promise<Figure[]> {
  const peer = start('media-peer.ts');
  const media = new Media({ host, ports: { from: 20_000, to: 32_000 } });
  const figures: Figure[] = [];
  let [most, lateness] = [0, 0];
  try {
    for (const calls of steps) {
      await connect(media, peer, calls - media.size);
      await sleep(settleMs, undefined, { signal });
      await media.state();
      const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
      await sleep(measureMs, undefined, { signal });
      const { user, system } = process.cpuUsage(cpu);
      const share = (user + system) / 1000 / (performance.now() - startedAt);
      const { lateness: late } = await media.state();
      if (cpuAt.includes(calls)) {
        figures.push(single(`CPU for each of ${calls} calls`, '% of a core', (100 * share) / calls));
        figures.push(single(`lateness of packets at ${calls} calls, p99`, 'ms', late.p99Ms));
      }
      if (late.p99Ms > latenessLimitMs) break;
      [most, lateness] = [calls, late.p99Ms];
    }
  } finally {
    peer.kill('SIGKILL');
    await media.close();
  }
  return [
    single(`calls at once with p99 lateness of at most ${latenessLimitMs} ms`, 'calls', most),
    single('their p99 lateness', 'ms', lateness),
    ...figures,
  ];
}

function single(name: string, unit: string, value: number): Figure {
  return { name, unit, ours: toSample([value]) };
}

async function connect(media: Media, peer: ChildProcess, calls: number): Promise<void> {
  const lines = await Promise.all(Array.from({ length: calls }, () => media.open()));
  peer.send(lines.map(({ port }) => port));
  const [ports] = (await once(peer, 'message')) as [number[]];
  for (const [i, line] of lines.entries()) {
    const rtpPort = ports[i] as number;
    line.connect(plainMedia({ host, rtpPort, rtcpPort: rtpPort + 1 }));
    if (i % 20 === 0) await sleep(4); // as calls come, not all in one moment
  }
}

/** From the callee's 200 to the first packet of ours, while other calls come and go. */
async function measureFirstPacket(): Promise<Figure[]> {
  const callee = start('timing-callee.ts');
  const [port] = (await once(callee, 'message')) as [number];
  const delays: number[] = [];
  callee.on('message', (ms: number) => delays.push(ms));
  const media = new Media({ host, ports: { from: 20_000, to: 20_999 } });
  const userAgent = new UserAgent({ host, port: 0 });
  await userAgent.listen();
  const telephone = new Telephone({ userAgent, media, trunk: `sip:${host}:${port}` });
  try {
    let left = timedCalls;
    await Promise.all(
      Array.from({ length: callsAtOnce }, async () => {
        while (left-- > 0) {
          const call = telephone.call('+12025550100', '+12025550000', {
            onAnswered: () => void setTimeout(() => call.hangUp(), 100 + 200 * Math.random()),
          });
          await call.ended;
        }
      }),
    );
  } finally {
    callee.kill('SIGKILL');
    await userAgent.close();
    await media.close();
  }
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return [
    single('200 OK to our first RTP packet, median', 'ms', at(0.5)),
    single(`the same, p99 of ${sorted.length} calls`, 'ms', at(0.99)),
  ];
}

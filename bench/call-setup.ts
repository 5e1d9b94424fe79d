import { setTimeout as sleep } from 'node:timers/promises';
import { UserAgent } from '../src/sip/user-agent.ts';
import { compare, type Measure } from './figure.ts';
import { interleave } from './harness/interleave.ts';
import { sippKeepsUp, withSippCallee } from './harness/sipp.ts';

const rounds = 3;
const stepSeconds = 4;
/** The rate grows by this much until it cannot be kept up. */
const growth = 1.2;
/** A call that sipp has dropped, as it does beyond what it can keep up with, ends after so long. */
const answerMs = 4_000;
const lowestRate = { ours: 800, sipp: 3_000 };

const offer = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 6000 RTP/AVP 0',
  'a=rtpmap:0 PCMU/8000',
  '',
].join('\r\n');

/** The most calls a second that are set up and torn down with none failed, beside sipp, both calling a sipp. */
export const measureCallSetup: Measure = async ({ signal }) => {
  const rates = await interleave(
    rounds,
    {
      ours: () => highestRate(lowestRate.ours, (rate) => withSippCallee(signal, (port) => keepsUp(port, rate))),
      sipp: () =>
        highestRate(lowestRate.sipp, (rate) => withSippCallee(signal, (port) => sippKeepsUp(port, rate, stepSeconds))),
    },
    signal,
  );
  return [
    compare({ name: 'calls set up and torn down', unit: 'calls/s', goal: 0.4 }, rates.ours, {
      name: 'sipp calling sipp',
      rounds: rates.sipp,
    }),
  ];
};

async function highestRate(from: number, isKept: (rate: number) => Promise<boolean>): Promise<number> {
  let kept = 0;
  for (let rate = from; await isKept(Math.round(rate)); rate *= growth) kept = Math.round(rate);
  return kept;
}

async function keepsUp(port: number, rate: number): Promise<boolean> {
  const agent = new UserAgent({ host: '127.0.0.1', port: 0 });
  await agent.listen();
  try {
    const startedAt = performance.now();
    const calls: Promise<boolean>[] = [];
    const elapsedMs = () => performance.now() - startedAt;
    while (calls.length < rate * stepSeconds) {
      const due = Math.min(rate * stepSeconds, Math.floor((elapsedMs() * rate) / 1000));
      while (calls.length < due) calls.push(isAnswered(agent, port));
      await sleep(1);
    }
    const wereAnswered = await Promise.all(calls);
    return wereAnswered.every(Boolean) && elapsedMs() < stepSeconds * 1050 + 1_000;
  } finally {
    await agent.close();
  }
}

async function isAnswered(agent: UserAgent, port: number): Promise<boolean> {
  const call = agent.invite(`sip:service@127.0.0.1:${port}`, {
    from: 'sip:bench@127.0.0.1',
    offer,
    ringMs: answerMs,
    onAnswered: () => call.hangUp(),
  });
  return (await call.ended).kind === 'answered';
}

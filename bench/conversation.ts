import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readCredentials } from '../src/credentials-file.ts';
import type { CallResource } from '../src/domain/call.ts';
import { freePort } from '../src/free-port.ts';
import { readWav } from '../src/rtp/wav.ts';
import { introMessage, questions } from './conversation-texts.ts';
import { type Figure, type Measure, percentile, toSample } from './figure.ts';
import { fetchToken, startService, tokenForm, withDataDir } from './harness/service.ts';
import { firstSoundMs, stopTimes, stretches, turnGaps } from './harness/talk-times.ts';

const atOnce = [1, 10, 20, 30, 40];
/** Calls in each place, one after the other. */
const inTurn = 2;
const interrupters = 20;
const listeners = 24;
/** Their hello at the pick-up is no interruption. */
const pickUpMs = 2_000;

interface Talked {
  call: CallResource;
  firstWordMs: number;
  ours: { startMs: number; endMs: number }[];
  theirs: { startMs: number; endMs: number }[];
}

/** Whole conversations over SIP and RTP, with the people in a process of their own, measured on the recordings. */
export const measureConversation: Measure = async ({ signal }) => {
  const figures: Figure[] = [];
  const figure = (name: string, unit: string, value: number) => figures.push({ name, unit, ours: toSample([value]) });
  for (const calls of atOnce) {
    const talked = await talk({ calls, numbers: numbers('0', calls * Math.max(inTurn, 6 / calls)), signal });
    const gaps = talked.flatMap(({ ours, theirs }) => turnGaps(ours, theirs));
    const first = talked.map(({ firstWordMs }) => firstWordMs);
    const all = `with ${calls === 1 ? 'one call' : `${calls} calls`} at once`;
    figure(`answer to first word ${all}, p99 (at most 60)`, 'ms', percentile(first, 0.99));
    figure(`turn gap ${all}, p50 of ${gaps.length} (at most 500)`, 'ms', percentile(gaps, 0.5));
    figure(`turn gap ${all}, p95 (at most 800)`, 'ms', percentile(gaps, 0.95));
    const done = talked.filter(({ call }) => call.outcome?.kind === 'completed').length;
    figure(`conversations completed ${all}`, '%', (100 * done) / talked.length);
  }
  const interrupted = await talk({ calls: 4, numbers: numbers('1', interrupters), signal });
  const stops = interrupted.flatMap(({ ours, theirs }) => stopTimes(ours, theirs, pickUpMs));
  figure(`barge-in to silence, p50 of ${stops.length}`, 'ms', percentile(stops, 0.5));
  figure('barge-in to silence, p95 (at most 200)', 'ms', percentile(stops, 0.95));
  const heard = await talk({ calls: 4, numbers: numbers('2', listeners), signal });
  const said = heard.flatMap(({ ours, theirs }) => stopTimes(ours, theirs, pickUpMs));
  const falseStops = heard.flatMap(({ call }) =>
    (call.transcript ?? []).slice(0, -1).filter((turn) => turn.interrupted),
  );
  figure(
    `back-channels that ended our sentence, of ${said.length} (at most 2)`,
    '%',
    (100 * falseStops.length) / said.length,
  );
  return figures;
};

function numbers(persona: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `+1202556${persona}${String(index).padStart(3, '0')}`);
}

async function talk(options: { calls: number; numbers: string[]; signal: AbortSignal }): Promise<Talked[]> {
  const { calls, signal } = options;
  const ringMs = calls * 500;
  const callee = fork(fileURLToPath(new URL('./harness/talking-callee.ts', import.meta.url)), [String(ringMs)]);
  try {
    const [sipPort] = (await once(callee, 'message')) as [number];
    return await withDataDir(async (dataDir) => {
      const port = await freePort();
      const env = {
        PARLEY_MAX_CALLS: String(calls),
        PARLEY_SIP_TRUNK: `sip:127.0.0.1:${sipPort}`,
        PARLEY_SIP_PORT: '0',
      };
      const service = await startService({ dataDir, port, signal, env });
      try {
        return await callAll({ dataDir, port, ...options });
      } finally {
        await service.stop();
      }
    });
  } finally {
    callee.kill();
  }
}

async function callAll(options: {
  dataDir: string;
  port: number;
  numbers: string[];
  signal: AbortSignal;
}): Promise<Talked[]> {
  const { dataDir, port, signal } = options;
  const credentials = await readCredentials(dataDir);
  if (!credentials) throw new Error('The service wrote no credentials');
  const token = await fetchToken(port, '/oauth2/token', tokenForm(credentials));
  const url = `http://127.0.0.1:${port}`;
  const ids: string[] = [];
  for (const toPhoneNumber of options.numbers) {
    const response = await fetch(`${url}/outbound`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Ada Lovelace',
        toPhoneNumber,
        fromPhoneNumber: credentials.fromPhoneNumber,
        introMessage,
        customQuestions: questions,
        customRules: [],
        formInfo: [],
      }),
    });
    ids.push(((await response.json()) as { callId: string }).callId);
  }
  return Promise.all(
    ids.map(async (id): Promise<Talked> => {
      for (;;) {
        await sleep(1_000, undefined, { signal });
        const response = await fetch(`${url}/api/v1/calls/${id}`, { headers: { 'x-api-key': credentials.apiKey } });
        const call = (await response.json()) as CallResource;
        if (call.status !== 'ended') continue;
        if (call.recordingUrl === null) throw new Error(`A call was not answered: ${call.outcome?.reason}`);
        const { channels, sampleRate } = readWav(await readFile(join(dataDir, 'recordings', `${id}.wav`)));
        const [ours = new Int16Array(), theirs = new Int16Array()] = channels;
        const firstWordMs = firstSoundMs(ours, sampleRate);
        return {
          call,
          firstWordMs,
          ours: stretches(ours, sampleRate, 300),
          theirs: stretches(theirs, sampleRate, 600),
        };
      }
    }),
  );
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { systemClock } from './clock.ts';
import type { Config, SpeechConfig, TelephoneConfig } from './config.ts';
import { LlmMind } from './conversation/llm/llm-mind.ts';
import type { Brief, Mind } from './conversation/mind.ts';
import { ScriptedMind } from './conversation/scripted/scripted-mind.ts';
import { openDialer } from './dialer/dialer.ts';
import { placeCall } from './dialer/place-call.ts';
import { timeZoneOf } from './domain/time-zone.ts';
import type { Log } from './log.ts';
import { codecNamed } from './rtp/codecs.ts';
import { Media } from './rtp/media.ts';
import { openPhoneNetwork } from './simulator/open-phone-network.ts';
import { openLanguageModel } from './speech/cloud/language-model.ts';
import { openSpeech, type Speech } from './speech/open-speech.ts';
import type { LineRate } from './speech/ports.ts';
import type { DatabasePool } from './store/database.ts';
import { localAddressTowards } from './telephone/local-address.ts';
import { type OpenTelephone, openTelephone } from './telephone/open-telephone.ts';

const loopback = '127.0.0.1';
const usualSipPort = 5060;
const drainMs = 20_000;

export type CallingOptions = {
  config: Config;
  db: DatabasePool;
  log: Log;
  /** Tells this process from others on the same database. */
  label: string;
  /** What to undo when the process ends, last first; also when opening failed half-way. */
  closers: (() => Promise<unknown>)[];
};

/**
 * Opens everything that makes calls of rows: voice and ears, telephone, mind and dialer. Where there is no
 * trunk the simulated phone network takes its place, and its address is given.
 */
export async function openCalling(options: CallingOptions): Promise<string | undefined> {
  const { config, db, log, label, closers } = options;
  const { telephone: telephoneConfig, recordingsFolder } = config;
  await mkdir(recordingsFolder, { recursive: true, mode: 0o700 });
  const speech = await openSpeech({
    ...config.speech,
    phraseFolder: join(config.dataDir, 'phrases'),
    onWorkerLost: (reason) => log.warn({ reason }, 'a speech worker was lost and replaced'),
  });
  closers.push(() => speech.close());

  const media = new Media({ host: await hostOf(telephoneConfig), ports: telephoneConfig.rtpPorts });
  closers.push(() => media.close());
  const network = telephoneConfig.trunk === undefined ? await simulate(telephoneConfig, media, speech) : undefined;
  const trunk = telephoneConfig.trunk ?? (network as string);
  const { telephone, close } = await openOnUsualPort(telephoneConfig, media, trunk);
  closers.push(close);

  const nodeId = newId();
  await speech.ready;
  const dialer = await openDialer({
    db,
    nodeId,
    label,
    trunk,
    maxCalls: config.maxCalls,
    trunkMaxCalls: config.trunkMaxCalls,
    isExclusive: config.databaseUrl === undefined,
    placeCall: (call, control) =>
      placeCall(call, control, {
        db,
        nodeId,
        clock: systemClock,
        telephone,
        lineRates: lineRatesOf(telephoneConfig),
        speech,
        openMind: mindOf(config.speech),
        recordingsFolder,
        timeZoneOf,
        ringMs: config.ringSeconds * 1_000,
        onFault: (err) => log.error({ err, callId: call.id }, 'something of a call was lost'),
      }),
    onError: (err) => log.error({ err }, 'the dialer met a fault'),
  });
  closers.push(() => {
    const { liveCalls: calls } = dialer;
    if (calls > 0)
      log.info({ calls, seconds: drainMs / 1_000 }, 'waiting for calls to end; a second signal does not wait');
    return dialer.close({ drainMs });
  });
  return network;

  /** Without a trunk there is somebody to call all the same. */
  async function simulate({ simulatorPort }: TelephoneConfig, media: Media, speech: Speech): Promise<string> {
    const network = await openPhoneNetwork({
      host: media.host,
      port: simulatorPort,
      media,
      speech: speech.embedded,
      onError: (err) => log.error({ err }, 'a simulated call went wrong'),
    });
    closers.push(() => network.close());
    return network.trunk;
  }
}

async function hostOf({ host, trunk, proxy }: TelephoneConfig): Promise<string> {
  return host ?? (trunk === undefined ? loopback : await localAddressTowards(proxy ?? trunk));
}

/** A port that was not chosen gives way where there is no trunk that could be told of it. */
async function openOnUsualPort(config: TelephoneConfig, media: Media, trunk: string): Promise<OpenTelephone> {
  const open = (port: number) => openTelephone(config, { media, trunk, port });
  if (config.port !== undefined) return open(config.port);
  return open(usualSipPort).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || config.trunk !== undefined) throw error;
    return open(0);
  });
}

function lineRatesOf({ codecs }: TelephoneConfig): LineRate[] {
  return [...new Set(codecs.map((name) => codecNamed(name).sampleRate as LineRate))];
}

function mindOf({ llm, vendors }: SpeechConfig): (brief: Brief) => Mind {
  if (!llm) return (brief) => new ScriptedMind(brief);
  const model = openLanguageModel(llm, vendors);
  return (brief) => new LlmMind(brief, { model });
}

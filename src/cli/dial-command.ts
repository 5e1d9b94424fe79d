import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { loadTelephoneConfig } from '../config.ts';
import type { MediaReport } from '../rtp/media-report.ts';
import type { Voice, VoiceCallEnd } from '../telephone/voice-call.ts';
import { showCallProgress } from './call-progress.ts';
import { describeCall } from './describe-call.ts';
import { exitCode, Failure } from './failure.ts';
import { outputOf } from './output.ts';
import { loadSound, type Sound } from './sound-file.ts';
import { toNumber } from './validate.ts';
import { withTelephone } from './with-telephone.ts';

type DialOptions = {
  from?: string;
  play?: string;
  record?: string;
  dtmf?: string;
  seconds?: number;
  ring: number;
};

const simulatedCaller = '+12025550000';
const defaultSeconds = 10;

export function addDialCommand(program: Command): void {
  program
    .command('dial')
    .description('place one raw call through the trunk, to see and hear whether it works')
    .argument('<number>', 'whom to call, such as +12025550100', toNumber)
    .option('--from <number>', 'the number that calls; needed with a trunk', toNumber)
    .option('--play <file.wav>', 'what to say')
    .option('--record <file.wav>', 'record the call: we left, they right')
    .option('--dtmf <keys>', 'keys to press once it is answered: 0-9 * # A-D', toKeys)
    .option('--seconds <n>', `hang up so long after the answer; else after the file, or ${defaultSeconds}`, toSeconds)
    .option('--ring <n>', 'give up after ringing for so many seconds', toSeconds, 60)
    .addHelpText(
      'after',
      `\nWithout PARLEY_SIP_TRUNK the call goes to the simulated phone network.\nThe exit code is 0 when the call was answered.\n\nExamples:\n  parley dial +12025550100\n  parley dial +12025550112 --dtmf 1 --record menu.wav --seconds 20`,
    )
    .action(dial);
}

async function dial(number: string, options: DialOptions, command: Command): Promise<void> {
  const config = loadTelephoneConfig();
  const from = options.from ?? (config.trunk === undefined ? simulatedCaller : undefined);
  if (from === undefined) throw new Failure(exitCode.usage, 'Through a trunk, --from must say which number calls.');
  const sound = options.play === undefined ? undefined : await loadSound(options.play);
  if (options.record !== undefined) await checkFolder(options.record);
  const output = outputOf(command);
  const progress = showCallProgress();
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const end = await withTelephone(config, async ({ telephone }, trunk) => {
    progress.say(`Calling ${number} from ${from} through ${config.trunk ?? `the simulated phone network at ${trunk}`}`);
    const call = telephone.call(number, from, {
      signal: stop.signal,
      ringMs: options.ring * 1000,
      ...(options.record !== undefined && { recordTo: options.record }),
      onRinging: (status) => progress.ringing(status),
      onEarlyMedia: () => progress.say('  sound before the answer'),
      onDigit: (digit) => progress.say(`  they pressed ${digit}`),
      onRecordingFailed: (reason) => progress.say(`  the recording failed: ${reason}`),
      onAnswered: (voice) => {
        progress.answered(voice);
        watch(voice, progress.show, call.ended);
        speak(voice, sound, options).then(() => call.hangUp());
      },
    });
    return call.ended;
  });
  progress.end();
  output.result(toResult(number, from, end), describeCall(end, options.record));
  process.exitCode = stop.signal.aborted
    ? exitCode.interrupted
    : end.kind === 'answered'
      ? exitCode.ok
      : exitCode.failed;
}

/** Presses the keys, says what is to be said, and comes back when it is time to hang up. */
async function speak(voice: Voice, sound: Sound | undefined, { dtmf, seconds }: DialOptions): Promise<void> {
  if (dtmf !== undefined) voice.sendDigits(dtmf);
  const said = sound && voice.play(sound.at(voice.sampleRate));
  if (seconds !== undefined || !sound) await pause((seconds ?? defaultSeconds) * 1000);
  else await said;
}

/** Keeps nobody waiting once the call is over. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}

async function watch(voice: Voice, show: (report: MediaReport) => void, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    show(await voice.report());
    await Promise.race([pause(500), ended]);
  }
}

function toResult(number: string, from: string, { media, ...end }: VoiceCallEnd) {
  const msBetween = (a: Date | null, b: Date | null) => (a && b ? b.getTime() - a.getTime() : null);
  return {
    number,
    from,
    ...end,
    postDialDelayMs: msBetween(end.startedAt, end.ringingAt ?? end.answeredAt),
    ringMs: msBetween(end.ringingAt, end.answeredAt ?? end.endedAt),
    talkMs: msBetween(end.answeredAt, end.endedAt),
    media,
  };
}

async function checkFolder(file: string): Promise<void> {
  await access(dirname(file), constants.W_OK).catch(() => {
    throw new Failure(exitCode.usage, `${file} cannot be written: there is no folder ${dirname(file)} to write to.`);
  });
}

function toKeys(value: string): string {
  if (!/^[0-9*#A-Da-d]+$/.test(value)) throw new InvalidArgumentError('Keys are 0-9, *, # and A-D.');
  return value.toUpperCase();
}

function toSeconds(value: string): number {
  const seconds = Number(value);
  if (!(seconds > 0 && seconds <= 86_400)) throw new InvalidArgumentError('It must be a number of seconds.');
  return seconds;
}

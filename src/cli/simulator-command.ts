import { type Command, InvalidArgumentError } from 'commander';
import { loadSpeechConfig, loadTelephoneConfig } from '../config.ts';
import { Media } from '../rtp/media.ts';
import { people } from '../simulator/people.ts';
import { PhoneNetwork } from '../simulator/phone-network.ts';
import type { Voice } from '../simulator/voice.ts';
import type { IncomingCallEnd } from '../sip/incoming-call.ts';
import type { Speech } from '../speech/open-speech.ts';
import { exitCode, Failure } from './failure.ts';
import { printable, remark } from './output.ts';
import { loadSound } from './sound-file.ts';

type SimulatorOptions = { port: number; host: string; play?: string; hum?: true };

const numbers = [...people].map(([number, { about }]) => `  ${number}  ${about}`);

export function addSimulatorCommand(program: Command): void {
  program
    .command('simulator')
    .description('run the simulated phone network alone, as a SIP and RTP peer to test against')
    .option('--port <port>', 'SIP over UDP and TCP', toPort, 5060)
    .option('--host <address>', 'local address of SIP and RTP', '127.0.0.1')
    .option('--play <file.wav>', 'what its people say, in place of their words')
    .option('--hum', 'its people hum and hear no words: for many calls at once')
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      `\nNumbers:\n${numbers.join('\n')}\n  any other      a friendly person\n\nExample:\n  parley simulator --port 5060\n\nPARLEY_RTP_PORTS are the ports of its media.`,
    )
    .action(run);
}

async function run(options: SimulatorOptions): Promise<void> {
  const sound = options.play === undefined ? undefined : await loadSound(options.play);
  const speech = sound || options.hum ? undefined : await openEmbeddedSpeech();
  try {
    await serve(options, speech, sound && (async (_text, sampleRate) => sound.at(sampleRate)));
  } finally {
    await speech?.close();
  }
}

/** Loaded when it is used: the engines would slow down every other command. People who are not there need no vendor. */
async function openEmbeddedSpeech(): Promise<Speech> {
  const { workers } = loadSpeechConfig();
  const { openSpeech } = await import('../speech/open-speech.ts');
  return openSpeech({ tts: 'embedded', stt: 'embedded', vendors: {}, workers });
}

async function serve(options: SimulatorOptions, speech: Speech | undefined, voice: Voice | undefined): Promise<void> {
  const media = new Media({ host: options.host, ports: loadTelephoneConfig().rtpPorts });
  const network = new PhoneNetwork({
    host: options.host,
    port: options.port,
    media,
    ...(speech && { speech: speech.forCall() }),
    ...(voice && { voice }),
    onCall: (number, about) => remark(`${printable(number)} is called: ${about}`),
    onEnd: (number, end) => remark(`${printable(number)} ${describe(end)}`),
    onError: (error) => remark(`A call went wrong: ${(error as Error).message}`),
  });
  await network.listen().catch(async (error: NodeJS.ErrnoException) => {
    await media.close();
    throw new Failure(exitCode.failed, explain(error, options));
  });
  await speech?.ready;
  process.stdout.write(
    `The simulated phone network listens at ${network.trunk} (UDP and TCP).\n${numbers.join('\n')}\n  any other      a friendly person\nCtrl-C ends it.\n`,
  );
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await network.close();
  await media.close();
}

function describe({ kind, reason }: IncomingCallEnd): string {
  return kind === 'answered' ? `answered; ${reason}` : `${kind}: ${reason}`;
}

function explain(error: NodeJS.ErrnoException, { host, port }: SimulatorOptions): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} is already in use. Choose another with --port.`;
  return `Cannot listen on ${host}, port ${port}: ${error.message}`;
}

function toPort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_534) throw new InvalidArgumentError('It must be a port from 0 to 65534.');
  return port;
}

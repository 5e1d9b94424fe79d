import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { joined } from '../rtp/pcm.ts';
import { wavHeader } from '../rtp/wav.ts';
import { fliteVoices } from '../speech/embedded/flite.ts';
import type { LineRate, Transcript } from '../speech/ports.ts';
import { exitCode, Failure } from './failure.ts';
import { outputOf, printable, remark } from './output.ts';
import { loadSound, type Sound } from './sound-file.ts';

type SayOptions = { output: string; voice?: string; pace: number; rate: LineRate };

const frameMs = 20;
/** So that the last word is followed by the silence that ends an utterance. */
const silenceAfterMs = 500;

export function addSpeechCommands(program: Command): void {
  program
    .command('say')
    .description('speak a text into a WAV file, to try voices')
    .argument('<text>', 'what to say; - reads it from stdin')
    .requiredOption('-o, --output <file.wav>', 'where the sound goes; - for stdout')
    .option('--voice <name>', `one of ${fliteVoices.join(', ')}, or one of the vendor's when PARLEY_TTS names one`)
    .option('--pace <factor>', 'how fast, from 0.5 to 2', toPace, 1)
    .option('--rate <hertz>', '8000 as on most telephone lines, or 16000', toRate, 16_000)
    .addHelpText('after', `\nExample:\n  parley say "Hello, this is Anna from Acme." --voice rms -o hello.wav`)
    .action(say);
  program
    .command('transcribe')
    .description('write down what is said in a WAV file')
    .argument('<file.wav>', 'a recording; of several channels the mixture is heard')
    .addHelpText(
      'after',
      `\nWith --json: text, and segments with startMs, endMs and confidence.\n\nExample:\n  parley transcribe hello.wav`,
    )
    .action(transcribe);
  program
    .command('detect')
    .description('tell who or what answers in a WAV file: a person, voicemail, a screener, a menu, …')
    .argument('<file.wav>', 'the other side of a call, from the answer on')
    .addHelpText(
      'after',
      `\nThe times are those of a live call: how long recognition took is part of them.\n\nExample:\n  parley detect answer.wav --json`,
    )
    .action(detect);
}

/** Loaded when it is used: the engines would slow down every other command. */
const withSpeech: typeof import('./with-speech.ts').withSpeech = async (use) =>
  (await import('./with-speech.ts')).withSpeech(use);

async function say(text: string, options: SayOptions, command: Command): Promise<void> {
  const { voice, pace, rate: sampleRate } = options;
  const words = (text === '-' ? await readStdin() : text).trim();
  if (words === '') throw new Failure(exitCode.usage, 'There is nothing to say.');
  const pieces = await withSpeech(async ({ tts }) => {
    const spoken: Int16Array[] = [];
    for await (const piece of tts.speak({ text: words, ...(voice && { voice }), pace, sampleRate })) spoken.push(piece);
    return spoken;
  });
  const sound = joined(...pieces);
  if (sound.length === 0) throw new Failure(exitCode.usage, 'There is nothing in this text that can be said.');
  const file = Buffer.concat([wavHeader(sampleRate, 1, sound.byteLength), new Uint8Array(sound.buffer)]);
  if (options.output === '-') {
    process.stdout.write(file);
    return;
  }
  await writeFile(options.output, file).catch((error: Error) => {
    throw new Failure(exitCode.usage, `${options.output} cannot be written: ${error.message}`);
  });
  const seconds = sound.length / sampleRate;
  outputOf(command).result({ file: options.output, seconds, sampleRate }, [
    `${options.output}: ${seconds.toFixed(1)} s at ${sampleRate / 1_000} kHz`,
  ]);
}

async function transcribe(path: string, _options: unknown, command: Command): Promise<void> {
  const sound = await loadSound(path);
  const sampleRate = lineRateOf(sound);
  const output = outputOf(command);
  const segments: Transcript[] = [];
  await withSpeech(async ({ stt }) => {
    const listener = stt.listen({
      sampleRate,
      onFinal: (segment) => {
        if (segment.text === '') return;
        segments.push(segment);
        if (!output.json) process.stdout.write(`${clock(segment.startMs)}  ${printable(segment.text)}\n`);
      },
    });
    const samples = joined(sound.at(sampleRate), silence(sampleRate));
    const size = (frameMs * sampleRate) / 1_000;
    for (let at = 0; at + size <= samples.length; at += size) {
      listener.hear(samples.slice(at, at + size));
      await listener.settled();
    }
    await listener.end();
  });
  const text = segments.map((segment) => segment.text).join(' ');
  output.result({ text, seconds: sound.seconds, segments }, []);
  if (segments.length === 0) remark('No speech was found.');
}

async function detect(path: string, _options: unknown, command: Command): Promise<void> {
  const sound = await loadSound(path);
  const sampleRate = lineRateOf(sound);
  const { verdicts, beeps, greetingEndMs, transcript } = await withSpeech(async ({ stt }) =>
    (await import('../speech/answer/judge-recording.ts')).judgeRecording(
      stt,
      joined(sound.at(sampleRate), silence(sampleRate)),
      sampleRate,
    ),
  );
  const verdict = verdicts.at(-1);
  const text = transcript.map((segment) => segment.text).join(' ');
  outputOf(command).result(
    {
      kind: verdict?.kind ?? null,
      confidence: verdict?.confidence ?? null,
      atMs: verdict?.atMs ?? null,
      verdicts,
      beeps,
      greetingEndMs: greetingEndMs ?? null,
      text,
      seconds: sound.seconds,
    },
    [
      ...verdicts.map(
        ({ kind, confidence, atMs, reason, isRevision }) =>
          `${clock(atMs)}  ${isRevision ? 'rather ' : ''}${kind} (${confidence.toFixed(2)}): ${reason}`,
      ),
      ...beeps.map(
        ({ startMs, endMs, frequency }) => `${clock(startMs)}  beep until ${clock(endMs)}, ${Math.round(frequency)} Hz`,
      ),
      ...(greetingEndMs === undefined ? [] : [`${clock(greetingEndMs)}  the greeting is over`]),
      ...(verdict ? [] : ['The recording is too short to tell.']),
    ],
  );
}

function lineRateOf(sound: Sound): LineRate {
  return sound.rate <= 8_000 ? 8_000 : 16_000;
}

function silence(sampleRate: LineRate): Int16Array {
  return new Int16Array((silenceAfterMs * sampleRate) / 1_000);
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function toPace(value: string): number {
  const pace = Number(value);
  if (!(pace >= 0.5 && pace <= 2)) throw new InvalidArgumentError('It must be a number from 0.5 to 2.');
  return pace;
}

function toRate(value: string): LineRate {
  if (value === '8000') return 8_000;
  if (value === '16000') return 16_000;
  throw new InvalidArgumentError('It must be 8000 or 16000.');
}

function clock(ms: number): string {
  const seconds = ms / 1_000;
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${(seconds % 60).toFixed(1).padStart(4, '0')}`;
}

import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { ask, refusal, Unreachable } from './ask-service.ts';
import { Failure } from './failure.ts';
import { fetchToken } from './fetch-token.ts';
import { addClientOptions, findService, need, type Service, type ServiceFlags } from './find-service.ts';
import { outputOf, remark } from './output.ts';
import { addSteeringCommands, checkApiKey, watch } from './steer-call.ts';
import { collect } from './validate.ts';

type CallOptions = ServiceFlags & {
  to?: string;
  from?: string;
  name?: string;
  introMessage?: string;
  introNotes?: string;
  voicemail?: string;
  question?: string[];
  rule?: string[];
  info?: Record<string, string>[];
  idempotencyKey?: string;
  watch?: boolean;
};

type Acceptance = { callId: string; status: string; message: string; warnings: string[] };

export function addCallCommand(program: Command): void {
  const call = program
    .command('call')
    .description('place a call through a running service, watch it and steer it')
    .option('--to <number>', 'whom to call, such as +12025550100; needed')
    .option('--name <name>', 'the name of the person called; needed')
    .option('--from <number>', "the agent's number; else the one in credentials.json")
    .option('--intro-message <text>', 'exactly what is said first')
    .option('--intro-notes <text>', 'notes from which introduction and voicemail are made')
    .option('--voicemail <text>', 'exactly what is left on voicemail')
    .option('--question <text>', "a question to ask instead of the agent's; may be repeated", collect)
    .option('--rule <text>', "a rule to keep instead of the agent's; may be repeated", collect)
    .option('--info <key=value>', 'something to know about the person; may be repeated', collectInfo)
    .option('--idempotency-key <key>', 'the same key again never places a second call; else a random one')
    .option('--watch', 'show the call as it happens, and in the end its result; needs an API key')
    .option('--api-key <key>', 'for --watch; better in PARLEY_API_KEY, where no process list shows it');
  addClientOptions(call)
    .addHelpText(
      'after',
      '\nExamples:\n  parley call --to +12025550100 --name Ada --watch\n  parley call --to +12025550100 --name Ada --info company=Acme --question "When may we visit?"',
    )
    .action(place);
  addSteeringCommands(program, call);
}

async function place(options: CallOptions, command: Command): Promise<void> {
  const { to, name } = options;
  // Required of this command, but not of those below it: commander knows no such thing.
  if (to === undefined || name === undefined) {
    command.error(`error: required option '${to === undefined ? '--to <number>' : '--name <name>'}' not specified`);
  }
  const service = await findService(options);
  if (options.watch) await checkApiKey(service); // before there is a call that cannot be watched
  const accepted = await placeCall(service, { ...options, to, name });
  const warnings = accepted.warnings.map((warning) => `Warning: ${warning}`);
  if (!options.watch) {
    outputOf(command).result(accepted, [accepted.message, `callId ${accepted.callId}`, ...warnings]);
    return;
  }
  for (const line of [`callId ${accepted.callId}`, ...warnings, 'queued']) remark(line);
  await watch(service, accepted.callId, command);
}

function collectInfo(value: string, earlier: Record<string, string>[] = []): Record<string, string>[] {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be written key=value.');
  return [...earlier, { [value.slice(0, at)]: value.slice(at + 1) }];
}

async function placeCall(service: Service, options: CallOptions & { to: string; name: string }): Promise<Acceptance> {
  const body = JSON.stringify({
    name: options.name,
    toPhoneNumber: options.to,
    fromPhoneNumber: options.from ?? need(service.fromPhoneNumber, '--from', service),
    introMessage: options.introMessage,
    introNotes: options.introNotes,
    introVoicemail: options.voicemail,
    customQuestions: options.question,
    customRules: options.rule,
    formInfo: options.info ?? [],
  });
  const { access_token } = await fetchToken(service);
  const key = options.idempotencyKey ?? randomUUID();
  const headers = {
    authorization: `Bearer ${access_token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const answer = await ask(service.url, { method: 'POST', path: '/outbound', headers, body }).catch((error) => {
    throw error instanceof Unreachable ? unknownFate(error, key) : error;
  });
  if (answer.status === 200) return answer.body as Acceptance;
  throw refusal(service.url, answer);
}

function unknownFate(error: Unreachable, key: string): Failure {
  return new Failure(error.exitCode, error.message, {
    faults: [
      `Whether the call was accepted is not known. To make sure, without calling twice, repeat the command with --idempotency-key ${key}`,
    ],
  });
}

import type { Command } from 'commander';
import type { CallResource } from '../domain/call.ts';
import { ask, refusal } from './ask-service.ts';
import { describeEvent, describeResult } from './describe-result.ts';
import { exitCode } from './failure.ts';
import { addApiKeyOption, findService, need, type Service, type ServiceFlags } from './find-service.ts';
import { outputOf, remark } from './output.ts';
import { validateId } from './validate.ts';
import { watchCall } from './watch-call.ts';

/** `parley call show`, `watch`, `hangup` and `say`. */
export function addSteeringCommands(program: Command, call: Command): void {
  const subcommand = (name: string, description: string) => {
    const command = call
      .command(name)
      .description(description)
      .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: () => [...program.options] })
      .argument('<callId>', 'as parley call shows it', (id) => validateId(id, 'parley call'));
    return addApiKeyOption(command);
  };
  // Their options are parley call's too, which has taken them by then.
  const serviceOf = (command: Command) => findService(command.optsWithGlobals<ServiceFlags>());

  subcommand('show', 'show a call and how it went').action(async (callId: string, _, command: Command) => {
    await show(await serviceOf(command), callId, command);
  });
  subcommand('watch', 'show a call as it happens').action(async (callId: string, _, command: Command) => {
    const service = await serviceOf(command);
    await checkApiKey(service);
    await watch(service, callId, command);
  });
  subcommand('hangup', 'end a call, whether it waits, rings or talks').action(
    async (callId: string, _, command: Command) => {
      const ended = await askAboutCall(await serviceOf(command), callId, { method: 'POST', action: '/hangup' });
      outputOf(command).result(ended, [ended.outcome ? 'The call is cancelled.' : 'The call was told to end.']);
    },
  );
  subcommand('say', 'let the assistant say something in a conversation')
    .argument('<text>', 'what it says, word for word')
    .action(async (callId: string, text: string, _, command: Command) => {
      const service = await serviceOf(command);
      const told = await askAboutCall(service, callId, { method: 'POST', action: '/say', json: { text } });
      outputOf(command).result(told, ['The assistant was told to say it.']);
    });
}

/** Shows the call on stderr as it happens, and its result on stdout. */
export async function watch(service: Service, callId: string, command: Command): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const watched = await watchCall({
    url: service.url,
    apiKey: apiKeyOf(service),
    callId,
    signal: stop.signal,
    onEvent: (event) => remark(describeEvent(event, process.stderr)),
  });
  process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  if (watched === 'stopped') {
    remark(`No longer watching; the call goes on. To end it: parley call hangup ${callId}`);
    process.exitCode = exitCode.interrupted;
    return;
  }
  await show(service, callId, command);
}

async function show(service: Service, callId: string, command: Command): Promise<void> {
  const call = await askAboutCall(service, callId, { method: 'GET', action: '' });
  outputOf(command).result(call, describeResult(call, service.url));
}

function apiKeyOf(service: Service): string {
  return need(service.apiKey, '--api-key or PARLEY_API_KEY', service);
}

export async function checkApiKey(service: Service): Promise<void> {
  const headers = { 'x-api-key': apiKeyOf(service) };
  const answer = await ask(service.url, { method: 'GET', path: '/api/v1/calls?limit=1', headers });
  if (answer.status !== 200) throw refusal(service.url, answer);
}

async function askAboutCall(
  service: Service,
  callId: string,
  { method, action, json }: { method: 'GET' | 'POST'; action: string; json?: unknown },
): Promise<CallResource> {
  const answer = await ask(service.url, {
    method,
    path: `/api/v1/calls/${callId}${action}`,
    headers: {
      'x-api-key': apiKeyOf(service),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  if (answer.status === 200 || answer.status === 202) return answer.body as CallResource;
  throw refusal(service.url, answer);
}

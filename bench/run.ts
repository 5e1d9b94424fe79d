import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAnswerDetection } from './answer-detection.ts';
import { measureCallSetup } from './call-setup.ts';
import { measureContacts } from './contacts.ts';
import { measureContactsGrowth } from './contacts-growth.ts';
import { measureConversation } from './conversation.ts';
import { type Figure, type Measure, toTable } from './figure.ts';
import { measureMedia } from './media.ts';
import { measureOutbound } from './outbound.ts';
import { measureProcess } from './process.ts';
import { measureRecognition } from './recognition.ts';
import { measureSpeechDelay } from './speech-delay.ts';
import { measureTokens } from './tokens.ts';

const measures: Record<string, { about: string; measure: Measure }> = {
  tokens: { about: 'access tokens a second, beside oidc-provider', measure: measureTokens },
  outbound: { about: 'durably accepted calls a second, beside the bare statement', measure: measureOutbound },
  contacts: { about: 'contacts a second, beside the bare statement', measure: measureContacts },
  'contacts-growth': { about: 'how contacts a second hold up to 2 million rows', measure: measureContactsGrowth },
  'call-setup': { about: 'calls set up and torn down a second, beside sipp', measure: measureCallSetup },
  media: { about: 'calls with voice at once, their CPU and lateness', measure: measureMedia },
  'answer-detection': { about: 'who or what answers, beside the rules of Asterisk', measure: measureAnswerDetection },
  recognition: { about: 'words understood wrongly, on telephone speech', measure: measureRecognition },
  'speech-delay': { about: 'how soon text and sound are there, up to 40 calls at once', measure: measureSpeechDelay },
  conversation: { about: 'whole AI conversations, up to 40 at once', measure: measureConversation },
  process: { about: 'time to start and memory when idle', measure: measureProcess },
};

const help = `npm run bench -- [--json] [figure …]

Measures the service on an embedded PostgreSQL of its own, beside a reference in the same run.
Without names, all figures, which takes about 35 minutes:

${Object.entries(measures)
  .map(([name, { about }]) => `  ${name.padEnd(16)} ${about}`)
  .join('\n')}

  --json           raw figures of every round in place of tables
  --help           this text
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const asked = readArguments();
  if (typeof asked === 'string') {
    process.stdout.write(asked);
    return asked === help ? 0 : 2;
  }
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());
  const figures: Record<string, Figure[]> = {};
  if (!asked.json) process.stdout.write(`${describeMachine()}\n`);
  try {
    for (const name of asked.names) {
      figures[name] = (await measures[name]?.measure({ signal: interruption.signal })) ?? [];
      if (!asked.json) process.stdout.write(`\n${name}\n\n${toTable(figures[name])}\n`);
    }
  } catch (error) {
    if (interruption.signal.aborted) return 130;
    throw error;
  }
  if (asked.json) process.stdout.write(`${JSON.stringify({ machine: describeMachine(), figures }, null, 2)}\n`);
  return 0;
}

function readArguments(): { names: string[]; json: boolean } | string {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } },
    });
    if (values.help) return help;
    const unknown = positionals.filter((name) => !Object.hasOwn(measures, name));
    if (unknown.length > 0) return `There is no figure ${unknown.join(', ')}.\n\n${help}`;
    return { names: positionals.length > 0 ? positionals : Object.keys(measures), json: values.json === true };
  } catch (error) {
    return `${(error as Error).message}\n\n${help}`;
  }
}

function describeMachine(): string {
  const load = loadavg()[0]?.toFixed(2);
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores, load average ${load}`;
}

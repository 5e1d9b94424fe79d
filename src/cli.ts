import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { addAccountCommands } from './cli/account-commands.ts';
import { addAgentCommands } from './cli/agent-commands.ts';
import { addCallCommand } from './cli/call-command.ts';
import { addCampaignCommands } from './cli/campaign-commands.ts';
import { addClientCommands } from './cli/client-commands.ts';
import { addContactsCommands } from './cli/contacts-command.ts';
import { addDialCommand } from './cli/dial-command.ts';
import { exitCode, exitCodesHelp, hideSecrets, showFailure, toFailure } from './cli/failure.ts';
import { addKeyCommands, addSigningKeyCommands } from './cli/key-commands.ts';
import { addSimulatorCommand } from './cli/simulator-command.ts';
import { addSpeechCommands } from './cli/speech-commands.ts';
import { addTokenCommand } from './cli/token-command.ts';
import { addTrunkCommands } from './cli/trunk-command.ts';
import { addWebhookCommands } from './cli/webhook-commands.ts';
import { settingsHelp } from './config.ts';

// Whoever reads our output may leave early (parley agent list | head -1); what was begun is still done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const program = new Command('parley')
  .description('Outbound AI phone calls that you run yourself')
  .version(packageJson.version)
  .option('--json', 'write the result to stdout as JSON, and nothing else')
  .configureHelp({ showGlobalOptions: true })
  .configureOutput({ outputError: (text, write) => write(hideSecrets(text)) })
  .showHelpAfterError('Add --help to see how it is used.')
  .exitOverride()
  .addHelpText(
    'after',
    `
Examples:
  parley start
  parley call --to +12025550100 --name Ada
  parley contacts import people.csv
  parley dial +12025550100

${exitCodesHelp}

${settingsHelp()}`,
  );

program
  .command('start')
  .description('run the service')
  .configureHelp({ showGlobalOptions: false })
  .addHelpText('after', `\nExample:\n  PORT=8081 parley start\n\n${settingsHelp()}`)
  .action(async () => {
    await import('./main.ts');
  });
addAccountCommands(program);
addClientCommands(program);
addKeyCommands(program);
addAgentCommands(program);
addCampaignCommands(program);
addWebhookCommands(program);
addSigningKeyCommands(program);
addTokenCommand(program);
addCallCommand(program);
addContactsCommands(program);
addDialCommand(program);
addTrunkCommands(program);
addSimulatorCommand(program);
addSpeechCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage; // it has spoken
  const failure = toFailure(error);
  showFailure(failure);
  if (program.opts()['json'] === true) process.stdout.write(`${JSON.stringify({ error: failure }, null, 2)}\n`);
  return failure.exitCode;
}

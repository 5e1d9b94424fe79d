import type { Command } from 'commander';
import { callScope } from '../domain/account.ts';
import { fetchToken } from './fetch-token.ts';
import { addClientOptions, findService, type ServiceFlags } from './find-service.ts';
import { outputOf } from './output.ts';

export function addTokenCommand(program: Command): void {
  const token = program
    .command('token')
    .description('fetch an access token from a running service and print it')
    .option('--scope <scope>', 'what it is for; several are separated by spaces', callScope);
  addClientOptions(token)
    .addHelpText(
      'after',
      '\nExamples:\n  curl -H "Authorization: Bearer $(parley token)" …\n  parley token --json --url https://calls.example.com',
    )
    .action(async (options: ServiceFlags & { scope: string }, command: Command) => {
      const response = await fetchToken(await findService(options), options.scope);
      outputOf(command).result(response, [response.access_token]);
    });
}

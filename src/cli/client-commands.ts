import type { Command } from 'commander';
import { z } from 'zod';
import { hashSecret, newClientId, newSecret } from '../auth/secret.ts';
import { accountName, callScope } from '../domain/account.ts';
import { text } from '../domain/text.ts';
import type { Database } from '../store/database.ts';
import { createClient, listClients, revokeClient } from '../store/oauth-clients.ts';
import { isUniqueViolation } from '../store/page.ts';
import { accountOption, chooseAccount } from './choose-account.ts';
import { exitCode, Failure } from './failure.ts';
import { outputOf, remark, table } from './output.ts';
import { validate } from './validate.ts';
import { withDatabase } from './with-database.ts';

const clientInput = z.object({ name: accountName, external: text(1, 255).optional() });

export function addClientCommands(program: Command): void {
  const client = program
    .command('client')
    .description('make, list and revoke OAuth clients, which fetch access tokens for calls')
    .addHelpText('after', '\nExample:\n  parley client create --name "CRM"');

  client
    .command('create')
    .description('make a client; its secret is shown once')
    .option('--name <name>', 'what it is for (required)')
    .option('--external <client-id>', 'register a client id of the issuer in PARLEY_AUTH_ISSUER; it has no secret here')
    .addOption(accountOption())
    .addHelpText(
      'after',
      '\nExamples:\n  parley client create --name "CRM" --account Acme\n  parley client create --name "CRM" --external 0oa1b2c3d4',
    )
    .action(async (options: { name?: string; external?: string; account?: string }, command: Command) => {
      const { name, external } = validate(clientInput, options, { name: '--name', external: '--external' });
      await withDatabase(async (db) => {
        const { id: accountId } = await chooseAccount(db, options.account);
        const clientId = external ?? newClientId();
        const clientSecret = external === undefined ? newSecret('secret') : undefined;
        const secretHash = clientSecret === undefined ? null : hashSecret(clientSecret);
        await create(db, accountId, { clientId, name, secretHash, scopes: [callScope] });
        outputOf(command).result({ clientId, clientSecret, name, accountId, scopes: [callScope] }, [
          `client id      ${clientId}`,
          ...(clientSecret === undefined ? [] : [`client secret  ${clientSecret}`]),
        ]);
        if (clientSecret !== undefined) remark('The secret is not shown again: keep it now.');
      });
    });

  client
    .command('list')
    .description('list the clients of an account')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley client list --account Acme')
    .action((options: { account?: string }, command: Command) =>
      withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const clients = await listClients(db, account.id);
        const rows = clients.map(({ clientId, name, external, createdAt, revokedAt }) => ({
          'client id': clientId,
          state: revokedAt ? 'revoked' : external ? 'external' : 'active',
          created: createdAt.toISOString(),
          name,
        }));
        outputOf(command).result(clients, table(rows));
        if (clients.length === 0) remark('This account has no clients.');
      }),
    );

  client
    .command('revoke')
    .description('refuse a client and its tokens from now on')
    .argument('<client-id>')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley client revoke 5f0c1d2e3a4b5c6d7e8f901a2b')
    .action((clientId: string, options: { account?: string }, command: Command) =>
      withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        if (!(await revokeClient(db, account.id, clientId))) {
          throw new Failure(exitCode.notFound, 'This account has no such client, or it is revoked already.');
        }
        outputOf(command).result({ clientId, revoked: true }, [`Client ${clientId} is revoked.`]);
      }),
    );
}

async function create(db: Database, accountId: string, client: Parameters<typeof createClient>[2]): Promise<void> {
  try {
    await createClient(db, accountId, client);
  } catch (error) {
    if (!isUniqueViolation(error, 'oauth_clients_pkey')) throw error;
    throw new Failure(exitCode.refused, 'This client id is registered already.');
  }
}

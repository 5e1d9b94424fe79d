import type { Command } from 'commander';
import { z } from 'zod';
import { hashSecret, newSecret } from '../auth/secret.ts';
import { rotateSigningKey } from '../auth/signing-keys.ts';
import { accountName } from '../domain/account.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../store/api-keys.ts';
import { accountOption, chooseAccount } from './choose-account.ts';
import { exitCode, Failure } from './failure.ts';
import { outputOf, remark, table } from './output.ts';
import { validate, validateId } from './validate.ts';
import { withDatabase } from './with-database.ts';

const keyInput = z.object({ name: accountName });

export function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description('make, list and revoke API keys, which write campaign contacts and read results')
    .addHelpText('after', '\nExample:\n  parley key create --name "CRM"');

  key
    .command('create')
    .description('make an API key; it is shown once')
    .option('--name <name>', 'what it is for (required)')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley key create --name "CRM" --account Acme')
    .action(async (options: { name?: string; account?: string }, command: Command) => {
      const { name } = validate(keyInput, options, { name: '--name' });
      await withDatabase(async (db) => {
        const { id: accountId } = await chooseAccount(db, options.account);
        const apiKey = newSecret('key');
        const keyId = await createApiKey(db, accountId, { name, keyHash: hashSecret(apiKey) });
        outputOf(command).result({ keyId, apiKey, name, accountId }, [`id       ${keyId}`, `API key  ${apiKey}`]);
        remark('The key is not shown again: keep it now.');
      });
    });

  key
    .command('list')
    .description('list the API keys of an account')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley key list --account Acme')
    .action((options: { account?: string }, command: Command) =>
      withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const keys = await listApiKeys(db, account.id);
        const rows = keys.map(({ id, name, createdAt, revokedAt }) => ({
          id,
          state: revokedAt ? 'revoked' : 'active',
          created: createdAt.toISOString(),
          name,
        }));
        const values = keys.map(({ id, ...rest }) => ({ keyId: id, ...rest }));
        outputOf(command).result(values, table(rows));
        if (keys.length === 0) remark('This account has no API keys.');
      }),
    );

  key
    .command('revoke')
    .description('refuse an API key from now on')
    .argument('<key-id>')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley key revoke 019a2f6e-0000-7000-8000-000000000000')
    .action(async (id: string, options: { account?: string }, command: Command) => {
      const keyId = validateId(id, 'parley key list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        if (!(await revokeApiKey(db, account.id, keyId))) {
          throw new Failure(exitCode.notFound, 'This account has no such API key, or it is revoked already.');
        }
        outputOf(command).result({ keyId, revoked: true }, [`API key ${keyId} is revoked.`]);
      });
    });
}

export function addSigningKeyCommands(program: Command): void {
  program
    .command('keys')
    .description('the key that signs access tokens')
    .addHelpText('after', '\nExample:\n  parley keys rotate')
    .command('rotate')
    .description('sign with a new key from now on; tokens of the old one stay valid until they expire')
    .addHelpText('after', '\nExample:\n  parley keys rotate --json')
    .action((_options, command: Command) =>
      withDatabase(async (db) => {
        const kid = await rotateSigningKey(db);
        outputOf(command).result({ kid }, [`Tokens are now signed with key ${kid}.`]);
      }),
    );
}

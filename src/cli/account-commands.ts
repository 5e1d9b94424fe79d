import { Argument, type Command } from 'commander';
import { z } from 'zod';
import { type Account, accountInput, maxCalls, type Plan, plans } from '../domain/account.ts';
import { createAccount, deleteAccount, listAccounts, setMaxCalls, setPlan } from '../store/accounts.ts';
import { accountTable, findAccount } from './choose-account.ts';
import { exitCode, Failure } from './failure.ts';
import { outputOf, remark } from './output.ts';
import { validate } from './validate.ts';
import { withDatabase } from './with-database.ts';

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('make, list and close accounts, which own everything else')
    .addHelpText('after', '\nExamples:\n  parley account create --name "Acme"\n  parley account plan Acme basic');

  account
    .command('create')
    .description('make an account')
    .option('--name <name>', 'its name (required)')
    .option('--plan <plan>', `${plans.join(' or ')}; placing calls needs plus`, 'plus')
    .option('--max-calls <number>', 'most calls at once; without it, as many as the processes take', Number)
    .addHelpText('after', '\nExample:\n  parley account create --name "Acme" --plan plus')
    .action(async (options, command: Command) => {
      const input = validate(accountInput, options, { name: '--name', plan: '--plan', maxCalls: '--max-calls' });
      await withDatabase(async (db) => {
        const made = await createAccount(db, input);
        outputOf(command).result(toJson(made), [`Account ${made.id} (${made.name}, ${made.plan} plan)`]);
        remark(`Next: npx parley client create --name "Main" --account ${made.id}`);
      });
    });

  account
    .command('list')
    .description('list accounts')
    .addHelpText('after', '\nExample:\n  parley account list --json')
    .action((_options, command: Command) =>
      withDatabase(async (db) => {
        const accounts = await listAccounts(db);
        outputOf(command).result(accounts.map(toJson), accountTable(accounts));
        if (accounts.length === 0) remark('There are no accounts.');
      }),
    );

  account
    .command('plan')
    .description("change an account's plan")
    .argument('<account>', 'id or exact name')
    .addArgument(new Argument('<plan>', 'the new plan').choices(plans))
    .addHelpText('after', '\nExample:\n  parley account plan Acme plus')
    .action((asked: string, plan: Plan, _options, command: Command) =>
      withDatabase(async (db) => {
        const found = await findAccount(db, asked);
        if (!(await setPlan(db, found.id, plan))) throw vanished(found);
        outputOf(command).result(toJson({ ...found, plan }), [`Account ${found.id} is on the ${plan} plan.`]);
      }),
    );

  account
    .command('limit')
    .description('change how many calls an account may have at once')
    .argument('<account>', 'id or exact name')
    .argument('<max-calls>', 'a number, or none')
    .addHelpText('after', '\nExamples:\n  parley account limit Acme 20\n  parley account limit Acme none')
    .action(async (asked: string, limit: string, _options, command: Command) => {
      const given = { maxCalls: limit === 'none' ? null : Number(limit) };
      const wanted = validate(z.object({ maxCalls }), given, { maxCalls: '<max-calls>' }).maxCalls;
      await withDatabase(async (db) => {
        const found = await findAccount(db, asked);
        if (!(await setMaxCalls(db, found.id, wanted))) throw vanished(found);
        const said = wanted === null ? 'as many calls at once as the processes take' : `${wanted} calls at once`;
        outputOf(command).result(toJson({ ...found, maxCalls: wanted }), [`Account ${found.id} may have ${said}.`]);
      });
    });

  account
    .command('delete')
    .description('close an account: its clients, keys and tokens stop working at once, its data stays')
    .argument('<account>', 'id or exact name')
    .addHelpText('after', '\nExample:\n  parley account delete 019a2f6e-0000-7000-8000-000000000000')
    .action((asked: string, _options, command: Command) =>
      withDatabase(async (db) => {
        const found = await findAccount(db, asked);
        if (!(await deleteAccount(db, found.id))) throw vanished(found);
        outputOf(command).result({ accountId: found.id, deleted: true }, [`Account ${found.id} is closed.`]);
      }),
    );
}

function toJson({ id, ...account }: Account): object {
  return { accountId: id, ...account };
}

function vanished({ id }: Account): Failure {
  return new Failure(exitCode.notFound, `There is no account ${id} any more.`);
}

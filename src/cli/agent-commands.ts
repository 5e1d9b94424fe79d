import type { Command } from 'commander';
import { agentInput } from '../domain/agent.ts';
import { createAgent, deleteAgent, listAgents } from '../store/agents.ts';
import { accountOption, chooseAccount } from './choose-account.ts';
import { exitCode, Failure } from './failure.ts';
import { listAll } from './list-all.ts';
import { outputOf, remark, table } from './output.ts';
import { collect, validate, validateId } from './validate.ts';
import { withDatabase } from './with-database.ts';

type CreateOptions = {
  account?: string;
  number?: string;
  name?: string;
  company?: string;
  voice?: string;
  language?: string;
  question?: string[];
  rule?: string[];
  maxCalls?: number;
};

const flags = {
  phoneNumber: '--number',
  name: '--name',
  company: '--company',
  voice: '--voice',
  language: '--language',
  defaultQuestions: '--question',
  defaultRules: '--rule',
  maxCalls: '--max-calls',
};

export function addAgentCommands(program: Command): void {
  const agent = program
    .command('agent')
    .description('make, list and delete agents: the numbers that call, and how they speak')
    .addHelpText('after', '\nExample:\n  parley agent create --number +12025550000 --name Robin --company Acme');

  agent
    .command('create')
    .description('make an agent')
    .option('--number <number>', 'the number it calls from, such as +12025550000 (required)')
    .option('--name <name>', 'the name it goes by (required)')
    .option('--company <company>', 'on whose behalf it calls')
    .option('--voice <voice>', 'its voice')
    .option('--language <tag>', 'its language, such as en-US')
    .option('--question <text>', 'a question it asks by default; may be repeated', collect)
    .option('--rule <text>', 'a rule it keeps by default; may be repeated', collect)
    .option('--max-calls <number>', 'most calls at once; without it, as many as the account may have', Number)
    .addOption(accountOption())
    .addHelpText(
      'after',
      '\nExample:\n  parley agent create --number +12025550000 --name Robin --company Acme \\\n    --question "How did you hear about us?" --rule "Be brief."',
    )
    .action(async (options: CreateOptions, command: Command) => {
      const { account: asked, number, question, rule, ...rest } = options;
      const given = { ...rest, phoneNumber: number, defaultQuestions: question, defaultRules: rule };
      const input = validate(agentInput, given, flags);
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, asked);
        const made = await createAgent(db, account.id, input);
        if (!made) throw new Failure(exitCode.refused, 'Another agent of this account has this number.');
        outputOf(command).result(made, [`Agent ${made.agentId} (${made.name}, ${made.phoneNumber})`]);
      });
    });

  agent
    .command('list')
    .description('list the agents of an account, newest first')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley agent list --account Acme')
    .action((options: { account?: string }, command: Command) =>
      withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const agents = await listAll(
          (page) => listAgents(db, account.id, page),
          (row) => row.agentId,
        );
        const rows = agents.map(({ agentId, phoneNumber, language, voice, name, company }) => ({
          id: agentId,
          number: phoneNumber,
          language,
          voice,
          name: company ? `${name} (${company})` : name,
        }));
        outputOf(command).result(agents, table(rows));
        if (agents.length === 0) remark('This account has no agents.');
      }),
    );

  agent
    .command('delete')
    .description('delete an agent; its past calls stay')
    .argument('<agent-id>')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley agent delete 019a2f6e-0000-7000-8000-000000000000')
    .action(async (id: string, options: { account?: string }, command: Command) => {
      const agentId = validateId(id, 'parley agent list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const done = await deleteAgent(db, account.id, agentId);
        if (done === 'not_found') throw new Failure(exitCode.notFound, 'This account has no such agent.');
        if (done === 'has_unfinished_calls') {
          throw new Failure(
            exitCode.refused,
            'The agent still has calls that are queued or under way. Let them end or cancel them, then delete it.',
          );
        }
        outputOf(command).result({ agentId, deleted: true }, [`Agent ${agentId} is deleted.`]);
      });
    });
}

import { type Command, Option } from 'commander';
import { campaignInput } from '../domain/campaign.ts';
import { archiveCampaign, createCampaign, listCampaigns } from '../store/campaigns.ts';
import { accountOption, chooseAccount } from './choose-account.ts';
import { exitCode, Failure } from './failure.ts';
import { listAll } from './list-all.ts';
import { outputOf, remark, table } from './output.ts';
import { validate, validateId } from './validate.ts';
import { withDatabase } from './with-database.ts';

type CreateOptions = { account?: string; name?: string; country?: string; agent?: string };
type ListOptions = { account?: string; status?: 'active' | 'archived' };

const flags = { name: '--name', country: '--country', agentId: '--agent' };

export function addCampaignCommands(program: Command): void {
  const campaign = program
    .command('campaign')
    .description('make, list and archive campaigns, which hold contacts')
    .addHelpText('after', '\nExample:\n  parley campaign create --name "Spring" --country GB');

  campaign
    .command('create')
    .description('make a campaign')
    .option('--name <name>', 'its name (required)')
    .option('--country <code>', 'where numbers without a country code are; two letters (default US)')
    .option('--agent <agent-id>', 'the agent that calls for it')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley campaign create --name "Spring" --country GB --account Acme')
    .action(async (options: CreateOptions, command: Command) => {
      const { name, country, agent } = options;
      const input = validate(campaignInput, { name, country: country?.toUpperCase(), agentId: agent }, flags);
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const made = await createCampaign(db, account.id, input);
        if (!made) throw new Failure(exitCode.notFound, '--agent: this account has no such agent.');
        outputOf(command).result(made, [`Campaign ${made.campaignId} (${made.name}, ${made.country})`]);
      });
    });

  campaign
    .command('list')
    .description('list the campaigns of an account, newest first')
    .addOption(new Option('--status <status>', 'only these').choices(['active', 'archived']))
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley campaign list --status active --account Acme')
    .action((options: ListOptions, command: Command) =>
      withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const campaigns = await listAll(
          (page) => listCampaigns(db, account.id, { status: options.status }, page),
          (row) => row.campaignId,
        );
        const rows = campaigns.map(({ campaignId, status, country, createdAt, name }) => ({
          id: campaignId,
          status,
          country,
          created: createdAt,
          name,
        }));
        outputOf(command).result(campaigns, table(rows));
        if (campaigns.length === 0) remark('There are no such campaigns in this account.');
      }),
    );

  campaign
    .command('archive')
    .description('archive a campaign: it stays readable and takes no more contacts')
    .argument('<campaign-id>')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley campaign archive 019a2f6e-0000-7000-8000-000000000000')
    .action(async (id: string, options: { account?: string }, command: Command) => {
      const campaignId = validateId(id, 'parley campaign list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const archived = await archiveCampaign(db, account.id, campaignId);
        if (!archived) throw new Failure(exitCode.notFound, 'This account has no such campaign.');
        outputOf(command).result(archived, [`Campaign ${archived.campaignId} is archived.`]);
      });
    });
}

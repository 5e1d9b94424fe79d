import { type Command, Option } from 'commander';
import { newWebhookSecret } from '../auth/secret.ts';
import { namesPrivateHost } from '../domain/public-address.ts';
import {
  type Delivery,
  deliveryStates,
  mostWebhooks,
  type Webhook,
  webhookEvents,
  webhookInput,
  webhookPatch,
} from '../domain/webhook.ts';
import { enqueueTest, listDeliveries, replayDelivery } from '../store/deliveries.ts';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  patchWebhook,
  rotateWebhookSecret,
} from '../store/webhook-endpoints.ts';
import { accountOption, chooseAccount } from './choose-account.ts';
import { exitCode, Failure } from './failure.ts';
import { listAll } from './list-all.ts';
import { outputOf, printable, remark, table } from './output.ts';
import { collect, validate, validateId } from './validate.ts';
import { withDatabase } from './with-database.ts';

type AccountOptions = { account?: string };
type CreateOptions = AccountOptions & { url?: string; event?: string[]; description?: string };
type UpdateOptions = CreateOptions & { enable?: boolean; disable?: boolean };
type DeliveriesOptions = AccountOptions & { state?: Delivery['state'] };

const flags = { url: '--url', events: '--event', description: '--description', enabled: '--enable' };
const exampleId = '019a2f6e-0000-7000-8000-000000000000';
const eventHelp = `an event to send: ${webhookEvents.join(', ')}; may be repeated`;

export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('make and manage webhooks: where events of calls and campaigns are sent')
    .addHelpText('after', '\nExample:\n  parley webhook create --url https://example.com/parley');

  webhook
    .command('create')
    .description('make a webhook; its secret is shown once')
    .option('--url <url>', 'where events are sent (required)')
    .option('--event <type>', `${eventHelp}; default all`, collect)
    .option('--description <text>', 'what it is for')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley webhook create --url https://example.com/parley --event call.ended')
    .action(async (options: CreateOptions, command: Command) => {
      const { url, event, description } = options;
      const input = validate(webhookInput, { url, events: event, description }, flags);
      warnOfPrivateHost(input.url);
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const secret = newWebhookSecret();
        const made = await createWebhook(db, account.id, input, secret);
        if (!made) throw new Failure(exitCode.refused, `An account has ${mostWebhooks} webhooks at most.`);
        outputOf(command).result({ ...made, secret }, [...describe(made), `secret       ${secret}`]);
        remark('The secret is not shown again: keep it now.');
      });
    });

  webhook
    .command('list')
    .description('list the webhooks of an account, newest first')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  parley webhook list --account Acme')
    .action((options: AccountOptions, command: Command) =>
      withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const webhooks = await listAll(
          (page) => listWebhooks(db, account.id, page),
          (row) => row.webhookId,
        );
        const rows = webhooks.map((row) => ({ id: row.webhookId, state: stateOf(row), url: row.url }));
        outputOf(command).result(webhooks, table(rows));
        if (webhooks.length === 0) remark('This account has no webhooks.');
      }),
    );

  webhook
    .command('show')
    .description('show a webhook')
    .argument('<webhook-id>')
    .addOption(accountOption())
    .addHelpText('after', `\nExample:\n  parley webhook show ${exampleId}`)
    .action(async (id: string, options: AccountOptions, command: Command) => {
      const webhookId = validateId(id, 'parley webhook list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const found = orNotFound(await findWebhook(db, account.id, webhookId));
        outputOf(command).result(found, describe(found));
      });
    });

  webhook
    .command('update')
    .description('change a webhook; what is not given stays')
    .argument('<webhook-id>')
    .option('--url <url>', 'where events are sent')
    .option('--event <type>', eventHelp, collect)
    .option('--description <text>', 'what it is for')
    .option('--enable', 'send events again, also those that waited')
    .addOption(new Option('--disable', 'send nothing until it is enabled').conflicts('enable'))
    .addOption(accountOption())
    .addHelpText('after', `\nExample:\n  parley webhook update ${exampleId} --enable`)
    .action(async (id: string, options: UpdateOptions, command: Command) => {
      const webhookId = validateId(id, 'parley webhook list');
      const { url, event, description } = options;
      const enabled = options.enable ? true : options.disable ? false : undefined;
      const patch = validate(webhookPatch, { url, events: event, description, enabled }, flags);
      if (patch.url !== undefined) warnOfPrivateHost(patch.url);
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const changed = orNotFound(await patchWebhook(db, account.id, webhookId, patch));
        outputOf(command).result(changed, describe(changed));
      });
    });

  webhook
    .command('delete')
    .description('delete a webhook and its deliveries')
    .argument('<webhook-id>')
    .addOption(accountOption())
    .addHelpText('after', `\nExample:\n  parley webhook delete ${exampleId}`)
    .action(async (id: string, options: AccountOptions, command: Command) => {
      const webhookId = validateId(id, 'parley webhook list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        if (!(await deleteWebhook(db, account.id, webhookId))) throw notFound();
        outputOf(command).result({ webhookId, deleted: true }, [`Webhook ${webhookId} is deleted.`]);
      });
    });

  webhook
    .command('rotate')
    .description('sign with a new secret, shown once; the old one signs too for 24 hours')
    .argument('<webhook-id>')
    .addOption(accountOption())
    .addHelpText('after', `\nExample:\n  parley webhook rotate ${exampleId}`)
    .action(async (id: string, options: AccountOptions, command: Command) => {
      const webhookId = validateId(id, 'parley webhook list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const secret = newWebhookSecret();
        const rotated = orNotFound(await rotateWebhookSecret(db, account.id, webhookId, secret));
        outputOf(command).result({ ...rotated, secret }, [`secret       ${secret}`]);
        remark('The secret is not shown again: keep it now.');
      });
    });

  webhook
    .command('deliveries')
    .description('list what was sent or is to be sent, newest first')
    .argument('<webhook-id>')
    .addOption(new Option('--state <state>', 'only these').choices(deliveryStates))
    .addOption(accountOption())
    .addHelpText('after', `\nExample:\n  parley webhook deliveries ${exampleId} --state dead`)
    .action(async (id: string, options: DeliveriesOptions, command: Command) => {
      const webhookId = validateId(id, 'parley webhook list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const deliveries = await listAll(
          async (page) => {
            const found = await listDeliveries(db, account.id, webhookId, { state: options.state }, page);
            return orNotFound(found === 'not_found' ? undefined : found);
          },
          (row) => row.deliveryId,
        );
        const rows = deliveries.map((row) => ({
          id: row.deliveryId,
          type: row.type,
          state: row.state,
          attempts: String(row.attempts),
          created: row.createdAt,
          last: printable(row.lastError ?? String(row.lastStatus ?? '')),
        }));
        outputOf(command).result(deliveries, table(rows));
        if (deliveries.length === 0) remark('There are no such deliveries.');
      });
    });

  webhook
    .command('replay')
    .description('send a delivery again, with all its attempts')
    .argument('<webhook-id>')
    .argument('<delivery-id>')
    .addOption(accountOption())
    .addHelpText('after', `\nExample:\n  parley webhook replay ${exampleId} 019a2f6e-1111-7000-8000-000000000000`)
    .action(async (id: string, delivery: string, options: AccountOptions, command: Command) => {
      const webhookId = validateId(id, 'parley webhook list');
      const deliveryId = validateId(delivery, 'parley webhook deliveries');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const replayed = written(await replayDelivery(db, account.id, webhookId, deliveryId));
        outputOf(command).result(replayed, [`Delivery ${replayed.deliveryId} is sent again.`]);
      });
    });

  webhook
    .command('test')
    .description('send the event webhook.test')
    .argument('<webhook-id>')
    .addOption(accountOption())
    .addHelpText('after', `\nExample:\n  parley webhook test ${exampleId}`)
    .action(async (id: string, options: AccountOptions, command: Command) => {
      const webhookId = validateId(id, 'parley webhook list');
      await withDatabase(async (db) => {
        const account = await chooseAccount(db, options.account);
        const made = written(await enqueueTest(db, account.id, webhookId));
        outputOf(command).result(made, [`Delivery ${made.deliveryId} is on its way once the service runs.`]);
        remark(`See what came of it: npx parley webhook deliveries ${webhookId}`);
      });
    });
}

function describe(webhook: Webhook): string[] {
  return [
    `id           ${webhook.webhookId}`,
    `url          ${webhook.url}`,
    `events       ${webhook.events.join(', ')}`,
    `state        ${stateOf(webhook)}`,
    ...(webhook.description ? [`description  ${webhook.description}`] : []),
  ];
}

function stateOf({ disabledReason }: Webhook): string {
  if (disabledReason === null) return 'enabled';
  return disabledReason === 'gone' ? 'disabled: the receiver answered 410' : 'disabled';
}

// Whether it is allowed is a setting of the service, which may run elsewhere.
function warnOfPrivateHost(url: string): void {
  if (!namesPrivateHost(new URL(url))) return;
  remark('This address is not public: the service sends there only with PARLEY_WEBHOOK_PRIVATE=yes.');
}

function orNotFound<T>(found: T | undefined): T {
  if (found === undefined) throw notFound();
  return found;
}

function written(delivery: Delivery | 'not_found' | 'disabled'): Delivery {
  if (delivery === 'not_found') throw notFound();
  if (delivery === 'disabled') {
    throw new Failure(
      exitCode.refused,
      'The webhook is disabled. Enable it first: npx parley webhook update … --enable',
    );
  }
  return delivery;
}

function notFound(): Failure {
  return new Failure(exitCode.notFound, 'This account has no such webhook or delivery.');
}

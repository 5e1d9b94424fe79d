import { type Command, InvalidArgumentError } from 'commander';
import { loadClientConfig } from '../config.ts';
import { credentialsPath, readCredentials } from '../credentials-file.ts';
import { exitCode, Failure } from './failure.ts';

export type ServiceFlags = { url?: string; clientId?: string; clientSecret?: string; apiKey?: string };

/** A running service, and what we know to enter it. */
export type Service = {
  url: string;
  clientId: string | undefined;
  clientSecret: string | undefined;
  apiKey: string | undefined;
  campaignId: string | undefined;
  fromPhoneNumber: string | undefined;
};

export function addUrlOption(command: Command): Command {
  return command.option('--url <url>', 'address of the service; else PARLEY_URL, else credentials.json', readUrl);
}

export function addClientOptions(command: Command): Command {
  return addUrlOption(command)
    .option('--client-id <id>', 'OAuth client; else PARLEY_CLIENT_ID, else credentials.json')
    .option('--client-secret <secret>', 'its secret; better in PARLEY_CLIENT_SECRET, where no process list shows it');
}

export function addApiKeyOption(command: Command): Command {
  return addUrlOption(command).option(
    '--api-key <key>',
    'API key; better in PARLEY_API_KEY, where no process list shows it; else credentials.json',
  );
}

function readUrl(value: string): string {
  if (/^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be an http or https URL.');
}

/** From the flags, else the environment, else `credentials.json` of the data directory. */
export async function findService(flags: ServiceFlags): Promise<Service> {
  const config = loadClientConfig();
  const stored = await readCredentials(config.dataDir);
  const url = flags.url ?? config.url ?? stored?.baseUrl;
  if (url === undefined) {
    throw new Failure(
      exitCode.usage,
      `Which service? There is no ${credentialsPath(config.dataDir)}. ` +
        'Start one with: npx parley start, or give its address in --url or PARLEY_URL.',
    );
  }
  const { username, password } = new URL(url);
  if (username || password) throw new Failure(exitCode.usage, 'The address must not contain a user or password.');
  // Secrets are sent to the service they belong to, and to no other address.
  const own = stored?.baseUrl === url ? stored : undefined;
  return {
    url,
    clientId: flags.clientId ?? config.clientId ?? own?.clientId,
    clientSecret: flags.clientSecret ?? config.clientSecret ?? own?.clientSecret,
    apiKey: flags.apiKey ?? config.apiKey ?? own?.apiKey,
    campaignId: own?.campaignId,
    fromPhoneNumber: own?.fromPhoneNumber,
  };
}

/** A value that the command cannot do without. */
export function need(value: string | undefined, what: string, { url }: Service): string {
  if (value) return value;
  throw new Failure(exitCode.usage, `Give ${what} (no credentials.json for ${url} was found in the data directory).`);
}

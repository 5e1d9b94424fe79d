import type { Config } from './config.ts';
import type { Credentials } from './credentials-file.ts';
import { callScope } from './domain/account.ts';
import { describeError } from './log.ts';
import { DataDirectoryInUse } from './store/embedded/embedded-postgres.ts';

type Welcome = {
  publicUrl: string;
  credentials: Credentials | undefined;
  credentialsPath: string;
  /** The simulated phone network, if there is one. */
  network: string | undefined;
  ms: number;
};

/** What the terminal shows once calls are accepted. It names the file with the secrets, never the secrets. */
export function showWelcome({ publicUrl, credentials, credentialsPath, network, ms }: Welcome): void {
  const lines = [
    '',
    `Parley is ready at ${publicUrl} (started in ${(ms / 1000).toFixed(1)} s)`,
    `  API reference  ${publicUrl}/docs`,
    `  OpenAPI        ${publicUrl}/openapi.json`,
    `  Health         ${publicUrl}/health`,
  ];
  if (network) lines.push(`  Phone network  ${network} (simulated; PARLEY_SIP_TRUNK leads to real phones)`);
  if (credentials)
    lines.push(`  Credentials    ${credentialsPath}`, '', 'A first call:', '', firstCall(credentials, credentialsPath));
  else lines.push('', 'Accounts, clients, keys and agents are made with the parley command: npx parley --help');
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

function firstCall({ baseUrl, fromPhoneNumber }: Credentials, path: string): string {
  const read = (name: string) => `$(sed -n 's/.*"${name}": "\\(.*\\)".*/\\1/p' '${path}')`;
  const body = JSON.stringify({
    name: 'Ada',
    toPhoneNumber: '+12025550100',
    fromPhoneNumber,
    introMessage: 'Hello Ada, this is Robin from Parley.',
    formInfo: [{ company: 'Acme' }],
  });
  return [
    `  TOKEN=$(curl -s ${baseUrl}/oauth2/token -d grant_type=client_credentials \\`,
    `    -d "client_id=${read('clientId')}" \\`,
    `    -d "client_secret=${read('clientSecret')}" \\`,
    `    -d scope=${callScope} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl ${baseUrl}/outbound -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `    -d '${body}'`,
  ].join('\n');
}

/** Why Parley did not start, in words for whoever typed the command. */
export function explainStartFault(error: unknown, config: Config): string {
  const { code, message, severity, port } = error as Error & { code?: string; severity?: string; port?: number };
  if (error instanceof DataDirectoryInUse) return message;
  if (code === 'EADDRINUSE' && port === config.telephone.simulatorPort) {
    return `Port ${port} of the simulated phone network is already in use. Choose another: PARLEY_SIMULATOR_PORT=0 takes any free one.`;
  }
  if (code === 'EADDRINUSE') {
    return `Port ${config.port} is already in use. Stop what uses it, or choose another: PORT=8081 npm start`;
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `Not permitted: ${message}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `Cannot listen on HOST=${config.host}: ${message}`;
  if (config.databaseUrl && (severity || code === 'ECONNREFUSED' || /terminated|timeout/.test(message))) {
    return `The database at DATABASE_URL cannot be used: ${severity ? message : describeError(error)['message'] || code}`;
  }
  return `Parley could not start: ${message}`;
}

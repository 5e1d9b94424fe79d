import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const credentialsSchema = z.object({
  baseUrl: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  apiKey: z.string(),
  campaignId: z.string(),
  fromPhoneNumber: z.string(),
  adminToken: z.string(),
});

/** What `credentials.json` in the data directory holds: all a new user needs. */
export type Credentials = z.infer<typeof credentialsSchema>;

export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** Written whole or not at all, readable by its owner only. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const path = credentialsPath(dataDir);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  const path = credentialsPath(dataDir);
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return credentialsSchema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} is damaged. Please remove it and make new credentials with the parley command.`);
  }
}

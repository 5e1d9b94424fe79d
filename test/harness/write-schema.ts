import { writeFile } from 'node:fs/promises';
import { openPool } from '../../src/store/database.ts';
import { dumpSchema } from './schema-dump.ts';
import { globalSetup, globalTeardown } from './shared-postgres.ts';

await globalSetup();
const url = new URL(process.env['TEST_POSTGRES'] as string);
url.pathname = '/parley_template';
const pool = openPool({ url: url.href, connections: 1, onError: () => {} });
await writeFile(new URL('../../schema.sql', import.meta.url), await dumpSchema(pool));
await pool.end();
await globalTeardown();

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { dumpSchema } from '../../test/harness/schema-dump.ts';
import { createDatabase } from '../../test/harness/service.ts';
import { openPool } from './database.ts';
import { migrate } from './migrate.ts';

const pool = openPool({ url: await createDatabase(), connections: 10, onError: () => {} });
after(() => pool.end());

describe('migrations', () => {
  it('give the schema that schema.sql shows (npm run schema writes it)', async () => {
    const checkedIn = await readFile(new URL('../../schema.sql', import.meta.url), 'utf8');
    assert.equal(await dumpSchema(pool), checkedIn);
  });

  it('run once, also when several processes start together', async () => {
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const steps: string[] = [];
    await Promise.all(Array.from({ length: 3 }, () => migrate(pool, (name) => steps.push(name))));
    assert.deepEqual(steps, [...new Set(steps)]);
    assert.ok(steps.length > 0);
    await migrate(pool, () => assert.fail('nothing is left to do'));
  });

  it('refuse a database that a newer Parley made', async () => {
    await pool.query("INSERT INTO schema_migrations (name) VALUES ('999_future.sql')");
    await assert.rejects(migrate(pool), /newer Parley/);
  });
});

import type { Database } from '../../src/store/database.ts';

/** The schema as PostgreSQL understands it, in a form that reads well and compares line by line. */
export async function dumpSchema(db: Database): Promise<string> {
  const { rows: tables } = await db.query<{ oid: number; name: string }>(
    `SELECT oid, relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
  );
  const parts: string[] = [];
  for (const { oid, name } of tables) {
    const columns = await lines(
      db,
      `SELECT format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
         || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
         || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
       FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
      oid,
    );
    // Since version 18 PostgreSQL also lists NOT NULL as constraints; the columns show it already.
    const constraints = await lines(
      db,
      `SELECT format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS line
       FROM pg_constraint WHERE conrelid = $1 AND contype <> 'n' ORDER BY contype DESC, conname`,
      oid,
    );
    const indexes = await lines(
      db,
      `SELECT pg_get_indexdef(indexrelid) || ';' AS line FROM pg_index
       WHERE indrelid = $1 AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = $1)
       ORDER BY indexrelid::regclass::text`,
      oid,
    );
    const body = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
    parts.push([`CREATE TABLE ${name} (\n${body}\n);`, ...indexes].join('\n'));
  }
  return `-- Made by npm run schema from migrations/; not to be edited.\n\n${parts.join('\n\n')}\n`;
}

async function lines(db: Database, query: string, table: number): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(query, [table]);
  return rows.map((row) => row.line.replaceAll('public.', ''));
}

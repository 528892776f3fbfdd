import type { Knex } from 'knex';

/** Every row of every table, as text. */
export async function dumpTables(db: Knex): Promise<string> {
  const { rows: tables } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await db.raw<{ rows: { text: string }[] }>('select row_to_json(t)::text as text from ?? t', [name]);
      return [name, ...rows.map(({ text }) => text)].join('\n');
    }),
  );
  return texts.join('\n');
}

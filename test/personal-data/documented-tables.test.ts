import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { cloneDatabase } from '../support/database.ts';

it('the page about personal data describes the content of every table', async () => {
  const database = await cloneDatabase();
  try {
    const { rows } = await database.db.raw<{ rows: { name: string }[] }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'knex%' order by 1`,
    );
    const page = readFileSync('docs/operate/personal-data.md', 'utf8');
    const table = page.slice(page.indexOf('## Where personal data is'));
    const listed = new Set([...table.matchAll(/`([a-z]+_?[a-z_]+)`/g)].map(([, name]) => name!));
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.map(({ name }) => name).filter((name) => !listed.has(name))).toEqual([]);
  } finally {
    await database.drop();
  }
});

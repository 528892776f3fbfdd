import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Lookups } from './lookups.ts';

/** Arguments for Postgres that write each plan to a log. */
export const logPlans = [
  'session_preload_libraries=auto_explain',
  'logging_collector=on',
  'log_directory=log',
  'log_destination=jsonlog',
  'log_rotation_size=0',
].flatMap((setting) => ['-c', setting]);

/** A table with fewer rows may be read as a whole. */
const largeRows = 50_000;
const timesEach = 3;

export interface SequentialScan {
  lookup: string;
  table: string;
  statement: string;
}

/** Runs the look-ups again and returns those whose plan reads a large table as a whole. */
export async function findSequentialScans(db: Knex, dataFolder: string, lookups: Lookups): Promise<SequentialScan[]> {
  const { rows } = await db.raw<{ rows: { relname: string }[] }>(
    `select relname from pg_class where relkind in ('r', 'p') and relnamespace = cast('public' as regnamespace) and reltuples > ?`,
    [largeRows],
  );
  const large = new Set(rows.map(({ relname }) => relname));
  const found: SequentialScan[] = [];
  await logStatements(db, 0);
  try {
    for (const [lookup, send] of Object.entries(lookups)) {
      const seen = (await readLog(dataFolder)).length;
      for (let time = 0; time < timesEach; time += 1) await send();
      for (const plan of (await readLog(dataFolder)).slice(seen).flatMap(toPlan))
        for (const [, table] of plan.matchAll(/Seq Scan on (\w+)/g))
          if (large.has(table!)) found.push({ lookup, table: table!, statement: toStatement(plan) });
    }
  } finally {
    await logStatements(db, -1);
  }
  return found;
}

/** Takes effect in open sessions before their next statement. */
async function logStatements(db: Knex, minMs: number) {
  await db.raw(`alter system set auto_explain.log_min_duration = ${minMs}`);
  await db.raw(`alter system set auto_explain.log_nested_statements = on`);
  await db.raw('select pg_reload_conf()');
}

async function readLog(dataFolder: string): Promise<string[]> {
  const folder = join(dataFolder, 'log');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.join('').split('\n').filter(Boolean);
}

function toPlan(line: string): string[] {
  try {
    const { message = '' } = JSON.parse(line) as { message?: string };
    return message.includes('plan:') ? [message] : [];
  } catch {
    return [];
  }
}

const toStatement = (plan: string) => (/Query Text: ([\s\S]{0,200})/.exec(plan)?.[1] ?? '').replaceAll(/\s+/g, ' ');

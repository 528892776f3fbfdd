import { readFile, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { Knex } from 'knex';
import type { ImportReport } from '../../src/directory/import/report.ts';
import { callRollcall, type Ended } from '../cli/run-rollcall.ts';
import { until } from './until.ts';

export const encryptionKey = randomBytes(32);

/** The environment of a Rollcall on this database. */
export const targetEnv = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  ENCRYPTION_KEYS: encryptionKey.toString('base64'),
});

/** Runs `rollcall import polis`, and reads its report if it wrote one. */
export async function importFrom(
  sourceUrl: string,
  targetUrl: string,
  options: string[] = [],
  { stdin, env }: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Ended & { report: ImportReport | undefined }> {
  const file = join(tmpdir(), `report-${randomBytes(6).toString('hex')}.json`);
  const ended = await callRollcall(['import', 'polis', '--source', sourceUrl, '--report', file, ...options], {
    env: { ...targetEnv(targetUrl), ...env },
    ...(stdin !== undefined && { stdin }),
  });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  await rm(file, { force: true });
  return { ...ended, report: text === undefined ? undefined : (JSON.parse(text) as ImportReport) };
}

/** Lets the imports of a directory wait before they write. */
export async function holdWrites(db: Knex, directoryId: string) {
  const trx = await db.transaction();
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`import ${directoryId}`]);
  const waiting = () =>
    db('pg_locks as l')
      .join('pg_database as d', 'd.oid', 'l.database')
      .whereRaw(`d.datname = current_database() and l.locktype = 'advisory' and not l.granted`);
  return {
    isWaiting: (imports = 1) => until(async () => (await waiting()).length === imports, { timeoutMs: 60_000 }),
    release: () => trx.commit(),
  };
}

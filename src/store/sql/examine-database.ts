import type { Keyring } from '../../keyring.ts';
import { type Pooler, openDatabase } from '../database.ts';
import { readSchemaState, type SchemaState } from '../migrations/migrate.ts';
import type { Knex } from 'knex';
import { readUsedKeys } from '../encryption/keys-in-use.ts';
import { findMissingSettings } from './settings.ts';

export interface DatabaseFacts {
  version: number;
  versionText: string;
  now: Date;
  /** Duration of the query for `now`. */
  roundTripMs: number;
  schema: SchemaState;
  /** Whether the given keys open the stored values. Undefined if nothing is stored yet, or no keys were given. */
  keysFit: boolean | undefined;
  /** The statements that set them. */
  missingSettings: string[];
}

/** Inspects a database without changing it. */
export async function examineDatabase(url: string, keyring: Keyring | undefined, pooler?: Pooler): Promise<DatabaseFacts> {
  const db = openDatabase(url, { pooler, poolSize: 1, statementTimeoutMs: 5_000 });
  try {
    const { rows: first } = await db.raw<{ rows: { version: string; text: string }[] }>(
      `select current_setting('server_version_num') as version, current_setting('server_version') as text`,
    );
    const fromMs = Date.now();
    const { rows: times } = await db.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
    const roundTripMs = Date.now() - fromMs;
    const schema = await readSchemaState(db);
    const usedKeys = schema === 'known' || schema === 'newer' ? await readUsedKeys(db) : [];
    return {
      version: Number(first[0]!.version),
      versionText: first[0]!.text,
      now: times[0]!.now,
      roundTripMs,
      schema,
      keysFit: keyring === undefined || usedKeys.length === 0 ? undefined : usedKeys.every((id) => keyring.keyIds.includes(id)),
      missingSettings: await findMissingSettings(db),
    };
  } finally {
    await db.destroy();
  }
}

/**
 * Checks whether the database's disk is full. A sort that exceeds `work_mem` makes Postgres write a temporary file of four megabytes, which
 * fails on a full disk and leaves nothing behind.
 */
export async function probeDisk(db: Knex): Promise<'room' | 'full'> {
  try {
    await db.transaction(async (trx) => {
      await trx.raw(`set local work_mem = '64kB'`);
      await trx.raw(`set local statement_timeout = '2s'`);
      await trx.raw(
        `select max(length(filler)) from (
           select n, repeat('x', 1000) as filler from generate_series(1, 4000) n order by n desc offset 0
         ) sorted`,
      );
    });
    return 'room';
  } catch (error) {
    if ((error as { code?: unknown }).code === '53100') return 'full';
    throw error;
  }
}

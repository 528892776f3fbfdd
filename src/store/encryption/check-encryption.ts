import type { Knex } from 'knex';
import { StartupError } from '../../errors.ts';
import type { Keyring } from '../../keyring.ts';
import pg from 'pg';
import { failToConnect } from '../migrations/migrate.ts';

/**
 * Fails if the database holds values that this process cannot decrypt, then registers this process's first key as used. No value is sealed
 * before that is committed, so the list of used keys is complete.
 */
export async function checkEncryption(db: Knex, keyring: Keyring): Promise<void> {
  // The value is never read. The id of the transaction that wrote it identifies this database in feed cursors.
  await db.raw('insert into encryption_check (sealed) select ? where not exists (select from encryption_check)', [
    keyring.sealText('known', 'encryption check'),
  ]);
  const missing = (await readUsedKeys(db)).filter((id) => !keyring.keyIds.includes(id));
  if (missing.length > 0)
    throw new StartupError(
      `The secrets in this database were encrypted with another key. Add the key with the id ${missing.join(', ')} to ENCRYPTION_KEYS (or to the data folder). It is in use until \`rollcall keys rewrap\` reports that it is not.`,
    );
  await db.raw('insert into encryption_keys (id) values (?) on conflict do nothing', [keyring.keyIds[0]]);
}

/** Ids of the keys that may have sealed values in this database or in Temporal. */
export const readUsedKeys = (db: Knex): Promise<string[]> => db('encryption_keys').orderBy('first_used_at').pluck<string[]>('id');

/** Whether a database may hold encrypted values, which a new key could not open. Changes nothing. */
export async function isEncrypted(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: 'rollcall', connectionTimeoutMillis: 10_000 });
  // A lost connection fails the query in progress. Without a listener it would also end the process.
  client.on('error', () => undefined);
  await client.connect().catch(failToConnect);
  try {
    const { rows: tables } = await client.query<{ found: boolean }>(`select to_regclass('encryption_check') is not null as found`);
    if (!tables[0]!.found) return false;
    const { rows } = await client.query<{ found: boolean }>('select exists (select from encryption_check) as found');
    return rows[0]!.found;
  } finally {
    await client.end();
  }
}

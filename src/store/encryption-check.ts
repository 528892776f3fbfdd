import type { Knex } from 'knex';
import { StartupError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';

/**
 * Refuses to serve a database that holds anything this process could not read, and says that its own first key is used from now on.
 * Nothing is sealed before that is committed, so the list of keys is complete.
 */
export async function checkEncryption(db: Knex, keyring: Keyring): Promise<void> {
  // Read by nobody: the transaction that wrote it marks this database in feed cursors.
  await db.raw('insert into encryption_check (sealed) select ? where not exists (select from encryption_check)', [
    keyring.sealText('known', 'encryption check'),
  ]);
  const missing = (await readUsedKeys(db)).filter((id) => !keyring.keyIds.includes(id));
  if (missing.length > 0)
    throw new StartupError(
      `The secrets in this database were encrypted with another key: put the key with the id ${missing.join(', ')}, which is in use until \`rollcall keys rewrap\` says that it is not, into ENCRYPTION_KEYS (or back into the data folder).`,
    );
  await db.raw('insert into encryption_keys (id) values (?) on conflict do nothing', [keyring.keyIds[0]]);
}

/** Ids of the keys that something in this database, or in Temporal, may be sealed under. */
export const readUsedKeys = (db: Knex): Promise<string[]> => db('encryption_keys').orderBy('first_used_at').pluck<string[]>('id');

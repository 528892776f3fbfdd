import type { Knex } from 'knex';
import { StartupError } from '../../errors.ts';
import type { Keyring } from '../../keyring.ts';

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

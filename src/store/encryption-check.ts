import type { Knex } from 'knex';
import { StartupError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';

const context = 'encryption check';

/** Refuses to serve a database whose secrets this process could not read. */
export async function checkEncryption(db: Knex, keyring: Keyring): Promise<void> {
  await db.raw('insert into encryption_check (sealed) select ? where not exists (select from encryption_check)', [
    keyring.sealText('known', context),
  ]);
  const rows = await db('encryption_check').pluck<string[]>('sealed');
  try {
    for (const sealed of rows) keyring.openText(sealed, context);
  } catch (error) {
    throw new StartupError(
      'The secrets in this database were encrypted with another key: put the key it was set up with into ENCRYPTION_KEYS (or back into the data folder).',
      { cause: error },
    );
  }
}

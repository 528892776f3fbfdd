import type { Knex } from 'knex';
import { newId } from '../ids.ts';
import type { SecretColumns } from './secret-columns.ts';

/** The newest is the directory's. */
export async function addScimSecret(
  trx: Knex.Transaction,
  secretColumns: SecretColumns,
  { directoryId, secret, expiresAt }: { directoryId: string; secret: string; expiresAt: Date | undefined },
): Promise<void> {
  const sealed = secretColumns.seal(directoryId, 'scim_secret', secret);
  await trx('scim_secrets').insert({ id: newId(), directory_id: directoryId, secret: sealed, expires_at: expiresAt ?? null });
  await trx('directories').where({ id: directoryId }).update({ scim_secret: sealed });
}

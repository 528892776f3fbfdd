import type { Knex } from 'knex';
import type { Act } from '../../audit/act.ts';
import { toEntry, type RecordedAct } from '../../audit/to-entry.ts';

/**
 * Adds an entry to the audit log, in the transaction of the act: both are stored, or neither. A trigger gives the entry its place in the chain
 * when the transaction commits.
 */
export async function recordAct(trx: Knex, { directory, ...act }: Act): Promise<void> {
  const owned = directory && (await withOwner(trx, directory));
  await trx.raw('insert into audit_log (body) values (?)', [JSON.stringify(toEntry({ ...act, directory: owned }))]);
}

async function withOwner(trx: Knex, { id, tenant, product }: NonNullable<Act['directory']>): Promise<RecordedAct['directory']> {
  if (tenant !== undefined && product !== undefined) return { id, tenant, product };
  // Also a directory that is being deleted.
  return trx('all_directories').where({ id }).first<{ id: string; tenant: string; product: string } | undefined>('id', 'tenant', 'product');
}

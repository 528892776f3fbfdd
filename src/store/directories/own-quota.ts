import type { Knex } from 'knex';
import type { Quota } from '../../directory/quotas.ts';
import { toOwnQuotas } from './quota-columns.ts';

const keptMs = 5_000;

/** A directory's own limit, if it has one. It is remembered for some seconds: many requests at once ask the database once. */
export function createReadOwnLimit(db: Knex, quota: Quota): (directoryId: string) => Promise<number | undefined> {
  const known = new Map<string, Promise<number | undefined>>();

  return (directoryId) => {
    const limit = known.get(directoryId) ?? read(directoryId);
    if (!known.has(directoryId)) {
      known.set(directoryId, limit);
      setTimeout(() => known.delete(directoryId), keptMs).unref();
      limit.catch(() => known.delete(directoryId));
    }
    return limit;
  };

  async function read(directoryId: string): Promise<number | undefined> {
    const row = await db('directories').where({ id: directoryId }).first<{ quotas: Record<string, number> | null } | undefined>('quotas');
    return toOwnQuotas(row?.quotas ?? null)[quota];
  }
}

import type { Knex } from 'knex';
import type { Quota } from '../../directory/quotas.ts';
import { toOwnQuotas } from './quota-columns.ts';

const cacheMs = 5_000;

/** Reads a directory's own limit for a quota, if it has one. Results are cached for some seconds. */
export function createReadOwnLimit(db: Knex, quota: Quota): (directoryId: string) => Promise<number | undefined> {
  const cached = new Map<string, Promise<number | undefined>>();

  return (directoryId) => {
    const limit = cached.get(directoryId) ?? read(directoryId);
    if (!cached.has(directoryId)) {
      cached.set(directoryId, limit);
      setTimeout(() => cached.delete(directoryId), cacheMs).unref();
      limit.catch(() => cached.delete(directoryId));
    }
    return limit;
  };

  async function read(directoryId: string): Promise<number | undefined> {
    const row = await db('directories').where({ id: directoryId }).first<{ quotas: Record<string, number> | null } | undefined>('quotas');
    return toOwnQuotas(row?.quotas ?? null)[quota];
  }
}

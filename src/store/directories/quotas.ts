import type { Knex } from 'knex';
import { quotaNames, type DirectoryUsage, type Quota, type Quotas } from '../../directory/quotas.ts';

/** A directory's usage and its own quotas, as columns of `directories d`. */
export interface QuotaRow {
  user_count: number;
  group_count: number;
  membership_count: number;
  resource_bytes: number;
  quotas: Record<string, number> | null;
}

export const quotaColumns = 'd.user_count, d.group_count, d.membership_count, d.resource_bytes, d.quotas';

export const toUsage = (row: QuotaRow): DirectoryUsage => ({
  users: row.user_count,
  groups: row.group_count,
  memberships: row.membership_count,
  resourceBytes: row.resource_bytes,
});

export const toQuotaColumn = (own: Partial<Quotas>): Record<string, number> =>
  Object.fromEntries(Object.entries(own).map(([quota, limit]) => [quotaNames[quota as Quota].field, limit]));

/** Quotas are stored under the field names of the JSON API. */
export function toOwnQuotas(stored: Record<string, number> | null): Partial<Quotas> {
  if (stored === null) return {};
  return Object.fromEntries(
    (Object.keys(quotaNames) as Quota[]).flatMap((quota) => {
      const limit = stored[quotaNames[quota].field];
      return limit === undefined ? [] : [[quota, limit]];
    }),
  );
}

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

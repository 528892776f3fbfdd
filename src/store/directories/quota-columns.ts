import { quotaNames, type Holdings, type Quota, type Quotas } from '../../directory/quotas.ts';

/** What a directory holds and its own quotas, as columns of `directories d`. */
export interface HoldingsRow {
  user_count: number;
  group_count: number;
  membership_count: number;
  resource_bytes: number;
  quotas: Record<string, number> | null;
}

export const holdingsColumns = 'd.user_count, d.group_count, d.membership_count, d.resource_bytes, d.quotas';

export const toHoldings = (row: HoldingsRow): Holdings => ({
  users: row.user_count,
  groups: row.group_count,
  memberships: row.membership_count,
  resourceBytes: row.resource_bytes,
});

export const fromOwnQuotas = (own: Partial<Quotas>): Record<string, number> =>
  Object.fromEntries(Object.entries(own).map(([quota, limit]) => [quotaNames[quota as Quota].field, limit]));

/** They are stored under the names of the JSON API. */
export function toOwnQuotas(stored: Record<string, number> | null): Partial<Quotas> {
  if (stored === null) return {};
  return Object.fromEntries(
    (Object.keys(quotaNames) as Quota[]).flatMap((quota) => {
      const limit = stored[quotaNames[quota].field];
      return limit === undefined ? [] : [[quota, limit]];
    }),
  );
}

import type { Knex } from 'knex';
import { runDetached } from '../sql/statement-scope.ts';
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

/** Reads a directory's own limit for concurrent searches, if it has one. Results are cached for some seconds. */
export function createReadOwnSearchLimit(db: Knex): (directoryId: string) => Promise<number | undefined> {
  const cached = new Map<string, Promise<number | undefined>>();

  return (directoryId) => {
    const limit = cached.get(directoryId) ?? runDetached(() => read(directoryId));
    if (!cached.has(directoryId)) {
      cached.set(directoryId, limit);
      setTimeout(() => cached.delete(directoryId), cacheMs).unref();
      limit.catch(() => cached.delete(directoryId));
    }
    return limit;
  };

  async function read(directoryId: string): Promise<number | undefined> {
    const row = await db('directories').where({ id: directoryId }).first<{ quotas: Record<string, number> | null } | undefined>('quotas');
    return toOwnQuotas(row?.quotas ?? null).searches;
  }
}

/** The last event and the last acknowledged event of a directory, and the bytes up to each. */
export interface EventTotalsRow {
  last_sequence: number;
  acked_sequence: number | null;
  event_bytes: number | null;
  delivered_bytes: number | null;
}

/**
 * Columns of `directories d` and its `webhook_endpoints e`. Each event row has a running total, so two lookups are enough for any backlog.
 * There is no separate counter that could disagree with `acked_sequence` after a retry, a replay or a crash.
 */
export const eventTotals = `d.last_sequence, e.acked_sequence,
  (select total_bytes from stored_events where directory_id = d.id and sequence = d.last_sequence) as event_bytes,
  case when e.acked_sequence < d.last_sequence then
    (select total_bytes - bytes from stored_events where directory_id = d.id and sequence = e.acked_sequence + 1) end as delivered_bytes`;

/** Totals of the history: delivered events, the delivery log, and outcomes of changes. */
export interface HistoryTotalsRow extends EventTotalsRow {
  swept_bytes: number | null;
  log_bytes: number;
  trimmed_log_bytes: number;
  outcome_bytes: number;
  trimmed_outcome_bytes: number;
}

export const historyTotals = `${eventTotals},
  (select total_bytes - bytes from stored_events where directory_id = d.id and sequence = d.swept_sequence + 1) as swept_bytes,
  e.log_bytes, e.trimmed_log_bytes, d.outcome_bytes, d.trimmed_outcome_bytes`;

export const toUndeliveredBytes = ({ last_sequence: last, acked_sequence: acked, ...row }: EventTotalsRow): number =>
  last === acked ? 0 : Math.max(0, (row.event_bytes ?? 0) - (row.delivered_bytes ?? 0));

export const toHistoryBytes = (row: HistoryTotalsRow) => ({
  events: Math.max(0, toDeliveredTotal(row) - (row.swept_bytes ?? 0)),
  deliveries: Math.max(0, row.log_bytes - row.trimmed_log_bytes),
  outcomes: Math.max(0, row.outcome_bytes - row.trimmed_outcome_bytes),
});

/** The bytes of all events that were ever delivered or skipped. */
export const toDeliveredTotal = (row: EventTotalsRow): number => (row.event_bytes ?? 0) - toUndeliveredBytes(row);

interface SizeRow extends HistoryTotalsRow {
  id: string;
  resource_bytes: number;
  staged_bytes: number;
}

/**
 * Finds those of the directories whose users, groups, undelivered events, history, staged data and
 * uploaded files take more than so many bytes together.
 */
export async function findLargeDirectories(db: Knex, directoryIds: string[], moreThanBytes: number): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: SizeRow[] }>(
    `select d.id, d.resource_bytes, ${historyTotals},
       (select coalesce(cast(sum(staged_bytes) as float8), 0) from sync_runs where directory_id = d.id and not is_cleared)
         + (select coalesce(cast(sum(bytes) as float8), 0) from uploaded_files where directory_id = d.id) as staged_bytes
     from directories d join webhook_endpoints e on e.directory_id = d.id where d.id = any(cast(:directoryIds as uuid[]))`,
    { directoryIds },
  );
  return new Set(rows.filter((row) => sizeOf(row) > moreThanBytes).map(({ id }) => id));
}

function sizeOf(row: SizeRow): number {
  const { events, deliveries, outcomes } = toHistoryBytes(row);
  return row.resource_bytes + row.staged_bytes + toUndeliveredBytes(row) + events + deliveries + outcomes;
}

import type { Knex } from 'knex';
import { type HistoryTotalsRow, historyTotals, toHistoryBytes, toUndeliveredBytes } from './quotas.ts';

interface SizeRow extends HistoryTotalsRow {
  id: string;
  resource_bytes: number;
  staged_bytes: number;
}

/** Finds those of the directories whose users, groups, undelivered events, history and staged data take more than so many bytes together. */
export async function findLargeDirectories(db: Knex, directoryIds: string[], moreThanBytes: number): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: SizeRow[] }>(
    `select d.id, d.resource_bytes, ${historyTotals},
       (select coalesce(cast(sum(staged_bytes) as float8), 0) from sync_runs where directory_id = d.id and not is_cleared) as staged_bytes
     from directories d join webhook_endpoints e on e.directory_id = d.id where d.id = any(cast(:directoryIds as uuid[]))`,
    { directoryIds },
  );
  return new Set(rows.filter((row) => sizeOf(row) > moreThanBytes).map(({ id }) => id));
}

function sizeOf(row: SizeRow): number {
  const { events, deliveries, outcomes } = toHistoryBytes(row);
  return row.resource_bytes + row.staged_bytes + toUndeliveredBytes(row) + events + deliveries + outcomes;
}

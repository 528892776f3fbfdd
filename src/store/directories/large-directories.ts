import type { Knex } from 'knex';
import { type HistoryTotalsRow, historyTotals, toHistoryBytes, toUndeliveredBytes } from './quotas.ts';

interface SizeRow extends HistoryTotalsRow {
  id: string;
  resource_bytes: number;
}

/** Finds the directories whose users, groups, undelivered events and history take more than so many bytes together. */
export async function findLargeDirectories(db: Knex, moreThanBytes: number): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: SizeRow[] }>(
    `select d.id, d.resource_bytes, ${historyTotals} from directories d join webhook_endpoints e on e.directory_id = d.id`,
  );
  return new Set(rows.filter((row) => sizeOf(row) > moreThanBytes).map(({ id }) => id));
}

function sizeOf(row: SizeRow): number {
  const { events, deliveries, outcomes } = toHistoryBytes(row);
  return row.resource_bytes + toUndeliveredBytes(row) + events + deliveries + outcomes;
}

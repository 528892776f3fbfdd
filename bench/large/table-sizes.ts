import type { Knex } from 'knex';
import { startTable } from '../support/table.ts';

export interface TableState {
  table: string;
  rows: number;
  dead: number;
  updates: number;
  hot: number;
  vacuums: number;
  heapBytes: number;
  indexBytes: number;
}

/** Tables with at least 1 MiB. */
export async function readTables(db: Knex): Promise<TableState[]> {
  await db.raw('select pg_stat_force_next_flush()');
  const { rows } = await db.raw<{ rows: TableState[] }>(
    `select relname as table, n_live_tup as rows, n_dead_tup as dead, n_tup_upd as updates, n_tup_hot_upd as hot, autovacuum_count + vacuum_count as vacuums,
       pg_table_size(relid) as "heapBytes", pg_indexes_size(relid) as "indexBytes"
     from pg_stat_user_tables where pg_total_relation_size(relid) > 1048576 order by relname`,
  );
  return rows;
}

const toMiB = (bytes: number) => (bytes / 1_048_576).toFixed(0);

export function printTables(before: TableState[], after: TableState[], vacuumed: TableState[]): void {
  const print = startTable([
    { title: 'table', width: 18 },
    { title: 'rows', width: 9 },
    { title: 'table MiB', width: 9 },
    { title: 'indexes', width: 7 },
    { title: 'updates', width: 8 },
    { title: 'in page', width: 7 },
    { title: 'dead', width: 8 },
    { title: 'vacuums', width: 7 },
    { title: 'table MiB', width: 9 },
    { title: 'indexes', width: 7 },
    { title: 'after vacuum', width: 12 },
  ]);
  for (const state of after) {
    const former = before.find(({ table }) => table === state.table);
    const last = vacuumed.find(({ table }) => table === state.table);
    const updates = state.updates - (former?.updates ?? 0);
    print([
      state.table,
      String(state.rows),
      toMiB(former?.heapBytes ?? 0),
      toMiB(former?.indexBytes ?? 0),
      String(updates),
      updates === 0 ? '' : `${((100 * (state.hot - (former?.hot ?? 0))) / updates).toFixed(0)} %`,
      String(state.dead),
      String(state.vacuums - (former?.vacuums ?? 0)),
      toMiB(state.heapBytes),
      toMiB(state.indexBytes),
      last ? `${toMiB(last.heapBytes)} + ${toMiB(last.indexBytes)}` : '',
    ]);
  }
}

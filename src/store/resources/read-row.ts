import type { Knex } from 'knex';
import type { JsonObject } from '../../scim/json.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { ResponseMemory } from '../response-memory.ts';
import { weightOf } from '../sql/json-weight.ts';

/** A document that takes more memory is read by a statement of its own, once there is room for it among the responses. */
const maxUncounted = 32_768;

const columns = {
  users: 'directory_id, id, user_name, external_id, active, version, created_at, updated_at',
  groups: 'directory_id, id, display_name, display_name_key, external_id, namesake, version, created_at, updated_at',
};
type Table = keyof typeof columns;

/** A row, without its document if that is large. */
export interface WeighedRow {
  directory_id: string;
  id: string;
  resource: JsonObject | null;
  weight: number;
}

/** To be selected from `:table: r`: all that is shown of a row. */
export const weighedColumns = (table: Table): string =>
  `${columns[table].replaceAll(/\w+/g, 'r.$&')}, weighed.weight, case when weighed.weight <= ${maxUncounted} then r.resource end as resource`;
export const weighing = `cross join lateral (select ${weightOf('r.resource')} as weight offset 0) weighed`;

/** With its document, however large it is: a promise if that is still to be read. Undefined if it was deleted in between. */
export function complete<Row extends { resource: JsonObject }>(
  { db, memory }: { db: Knex; memory: ResponseMemory },
  table: Table,
  row: WeighedRow,
): Promise<Row | undefined> | Row {
  if (row.resource !== null) return row as unknown as Row;
  const { directory_id: directoryId, id } = row;
  return memory.read(directoryId, row.weight, async () => {
    const rows: Row[] = await db(table).where({ directory_id: directoryId, id });
    return rows[0];
  });
}

/** One of the directories has it at most. */
export async function readRow<Row extends { resource: JsonObject }>(
  deps: { db: Knex; memory: ResponseMemory },
  table: Table,
  { directoryIds, id }: { directoryIds: string[]; id: string },
): Promise<Row | undefined> {
  const rows = await runPrepared<WeighedRow>(
    deps.db,
    `row-of-${table}`,
    () =>
      `select ${weighedColumns(table)} from ${table} r ${weighing} where r.directory_id = any(cast(:directoryIds as uuid[])) and r.id = :id`,
    { directoryIds, id },
  );
  return rows[0] && complete<Row>(deps, table, rows[0]);
}

import type { Knex } from 'knex';
import type { Reference } from '../../directory/ports.ts';
import type { JsonObject } from '../../scim/json.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { ResponseMemory } from '../sql/response-memory.ts';
import { documentWeight } from './pushed-column.ts';

/** A larger document is read separately, after memory for it was reserved. */
const maxUnreserved = 32_768;

const columns = {
  users:
    'directory_id, id, public_id, user_name, external_id, active, version, created_at, updated_at, custom_attributes, lacks_required, group_roles, roles',
  groups: 'directory_id, id, public_id, display_name, display_name_key, external_id, namesake, version, created_at, updated_at',
};
type Table = keyof typeof columns;

/** A row whose document is null if it is large. */
export interface WeighedRow {
  directory_id: string;
  id: string;
  resource: JsonObject | null;
  weight: number;
}

/** The columns to select from the table as `r`, joined with `joinWeight`. */
export const weighedColumns = (table: Table): string =>
  `${columns[table].replaceAll(/\w+/g, 'r.$&')}, weighed.weight, ${['resource', 'pushed'].map((column) => `case when weighed.weight <= ${maxUnreserved} then r.${column} end as ${column}`).join(', ')}`;
export const joinWeight = (table: Table): string => `cross join lateral (select ${documentWeight('r', table)} as weight offset 0) weighed`;

/** Adds a large document to its row. Returns a promise only if it must read. Resolves with undefined if the row was deleted in the meantime. */
export function withDocument<Row extends { resource: JsonObject }>(
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

const conditions: Record<Reference['by'], string> = {
  key: 'r.id = :id',
  googleId: `r.external_id = :id and exists (select from directories d where d.id = r.directory_id and d.type = 'google')`,
};

/** Reads a row. Several directories may have imported the same ID, or pull from the same Google Workspace: the first of them counts. */
export async function readRow<Row extends { resource: JsonObject }>(
  deps: { db: Knex; memory: ResponseMemory },
  table: Table,
  directoryIds: string[],
  { by, id }: Reference,
): Promise<Row | undefined> {
  const rows = await runPrepared<WeighedRow>(
    deps.db,
    `row-of-${table}-by-${by}`,
    () =>
      `select ${weighedColumns(table)} from ${table} r ${joinWeight(table)}
       where r.directory_id = any(cast(:directoryIds as uuid[])) and ${conditions[by]} order by r.directory_id`,
    { directoryIds, id },
  );
  return rows[0] && withDocument<Row>(deps, table, rows[0]);
}

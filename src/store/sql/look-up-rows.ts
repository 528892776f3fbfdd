export interface Lookup {
  table: 'users' | 'groups' | 'group_members' | 'pending_members' | 'mutations';
  column: string;
  /** A query that returns the values to look up in the column. */
  values: string;
  /** A further condition on the rows. */
  and?: string | undefined;
}

export const boundValues = (binding: string, type: 'uuid' | 'text'): string => `select unnest(cast(:${binding} as ${type}[]))`;

/**
 * SQL for the rows of a directory whose column has one of the values, as `found`. It looks up each value separately and hides their number
 * from the planner. Otherwise, while a table is small, Postgres would read all rows of the directory for ten values, or would plan each
 * execution for its values, which takes longer than finding the rows.
 */
export const lookUpRows = ({ table, column, values, and }: Lookup): string =>
  `unnest(array(${values})) as lookup(lookup_value)
     cross join lateral (
       select * from ${table} where directory_id = :directoryId and ${column} = lookup.lookup_value${and ? ` and ${and}` : ''} offset 0
     ) found`;

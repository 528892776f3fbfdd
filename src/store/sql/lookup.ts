export interface LookUp {
  table: 'users' | 'groups' | 'group_members' | 'parked_members' | 'mutations';
  column: string;
  /** A query for what the column may be, */
  values: string;
  /** and what else must hold. */
  and?: string | undefined;
}

export const listed = (binding: string, type: 'uuid' | 'text'): string => `select unnest(cast(:${binding} as ${type}[]))`;

/**
 * The rows of a directory in which a column has one of some values, as `found`. Each value is looked up by itself, and the planner is not
 * shown how many there are. Otherwise, while a table is small, it would plan to read all rows of the directory for ten values, or plan every
 * execution anew for the very values, which takes longer than finding them.
 */
export const lookUp = ({ table, column, values, and }: LookUp): string =>
  `unnest(array(${values})) as sought(sought_value)
     cross join lateral (
       select * from ${table} where directory_id = :directoryId and ${column} = sought.sought_value${and ? ` and ${and}` : ''} offset 0
     ) found`;

/** Finds values that a statement binds, with their types. */
const castValue = /cast\(:(\w+) as ([\w[\]]+)\)/g;

/**
 * Rewrites a statement for one directory into one for several: what was a bound value is a column of `source`, which has a row for each
 * directory.
 */
export const bindToRows = (sql: string, names: ReadonlySet<string>, source: string): string =>
  sql.replaceAll(/(?<!:):(\w+)/g, (whole, name: string) => (names.has(name) ? `${source}."${name}"` : whole));

/** The columns of these names for `jsonb_to_recordset`, without those that the statement does not use. A column has the type of its first cast. */
export function columnsOf(sql: string, names: ReadonlySet<string>): string {
  const types = new Map([['directoryId', 'uuid']]);
  for (const [, name, type] of sql.matchAll(castValue)) if (names.has(name!) && !types.has(name!)) types.set(name!, type!);
  return [...types].map(([name, type]) => `"${name}" ${type}`).join(', ');
}

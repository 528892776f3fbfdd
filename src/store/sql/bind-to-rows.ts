/** Finds values that a statement binds, with their types. */
const castValue = /cast\(:(\w+) as ([\w[\]]+)\)/g;

/**
 * The values that a statement for one directory binds, as columns for `jsonb_to_recordset`. In the statement for several directories there is a
 * row for each. A column has the type of its first cast; values in `shared` are bound once.
 */
export function columnsOf(sql: string, shared: string[] = []): { sql: string; names: ReadonlySet<string> } {
  const types = new Map([['directoryId', 'uuid']]);
  for (const [, name, type] of sql.matchAll(castValue)) if (!shared.includes(name!) && !types.has(name!)) types.set(name!, type!);
  return { sql: [...types].map(([name, type]) => `"${name}" ${type}`).join(', '), names: new Set(types.keys()) };
}

/** Replaces these bound values by columns of `source`. */
export const bindToRows = (sql: string, names: ReadonlySet<string>, source: string): string =>
  sql.replaceAll(/(?<!:):(\w+)/g, (whole, name: string) => (names.has(name) ? `${source}."${name}"` : whole));

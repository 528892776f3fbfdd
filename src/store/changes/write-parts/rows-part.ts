import type { StatementPart } from '../../sql/statement-parts.ts';

/**
 * With more rows than this, an `any(array)` condition would take quadratic time, so it is omitted. The planner then expects a hundred rows and
 * looks up each row by its key.
 */
const maxInArray = 1_000;

/** Returns the condition if there are few rows, and a suffix for the name of the statement if there are many. */
export const ifFew = (rows: number, condition: string): { sql: string; variant: string } =>
  rows <= maxInArray ? { sql: `and ${condition}`, variant: '' } : { sql: '', variant: '-many' };

/**
 * A part that writes rows, or no part if there are no rows. The rows are bound as one JSON value under the part's name. For updates and deletes
 * their ids are also bound as an array, so that Postgres looks the rows up by key, whatever its statistics say.
 */
export const rowsPart = (
  name: string,
  sql: string,
  rows: unknown[],
  ids: Record<string, string[]> = {},
  { variant = '' }: { variant?: string } = {},
): StatementPart[] =>
  rows.length === 0
    ? []
    : [
        {
          name: `${name}${variant}`,
          sql,
          bindings: Object.fromEntries(Object.entries(ids).map(([key, values]) => [key, toArrayLiteral(values)])),
          json: { [name]: rows },
        },
      ];

/** An array as Postgres text. The driver can write arrays too, but takes ten times as long. */
const toArrayLiteral = (values: string[]) => `{${values.map(quote).join(',')}}`;
const quote = (value: string) => `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value}"`;

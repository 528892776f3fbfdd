import type { Part } from '../../sql/statement-parts.ts';

/**
 * Among more rows than this, each is looked up by its key: to look for each in an array of so many takes the square of their number. The
 * planner takes a list of rows for a hundred, and goes by the key then.
 */
const maxInArray = 1_000;

/** A condition on the ids of the rows, if there are few; and what distinguishes the statement. */
export const ifFew = (rows: number, condition: string): { sql: string; variant: string } =>
  rows <= maxInArray ? { sql: `and ${condition}`, variant: '' } : { sql: '', variant: '-many' };

/**
 * A part for some rows, none for no rows. They are bound as one JSON value under the part's name. Where rows are to be found, their
 * ids are bound besides: with an array Postgres goes by the key, whatever it guesses of the sizes of tables.
 */
export const part = (
  name: string,
  sql: string,
  rows: unknown[],
  ids: Record<string, string[]> = {},
  { variant = '' }: { variant?: string } = {},
): Part[] =>
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

/** As Postgres reads arrays. The driver writes them too, and takes ten times as long. */
const toArrayLiteral = (values: string[]) => `{${values.map(quote).join(',')}}`;
const quote = (value: string) => `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value}"`;

import type { Part } from '../statement.ts';

/**
 * A part for some rows, none for no rows. They are bound as one JSON value under the part's name. Where rows are to be found, their
 * ids are bound besides: with an array Postgres goes by the key, whatever it guesses of the sizes of tables.
 */
export const part = (
  name: string,
  sql: string,
  rows: unknown[],
  ids: Record<string, string[]> = {},
  more: Record<string, string> = {},
): Part[] => (rows.length === 0 ? [] : [{ name, sql, bindings: { [name]: JSON.stringify(rows), ...ids, ...more } }]);

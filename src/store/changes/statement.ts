import type { Knex } from 'knex';
import { createPause, stringifyPausing } from '../../pause.ts';
import { prepared } from '../prepared.ts';

/** One piece of a larger statement, with the values it binds. */
export interface Part {
  name: string;
  sql: string;
  bindings?: Record<string, unknown>;
  /** Bound as JSON. There may be very many rows, or very large ones. */
  json?: Record<string, unknown[]>;
}

/**
 * Runs the statement that some parts make up. Parts that are not needed cost time even when they have nothing to do, so each
 * combination is a statement of its own; Postgres parses and plans it once for each connection.
 */
export async function runParts<Row>(
  db: Knex | Knex.Transaction,
  { name, parts, join, bindings }: { name: string; parts: Part[]; join: (pieces: string[]) => string; bindings: Record<string, unknown> },
): Promise<Row[]> {
  const sql = join(parts.map((part) => part.sql));
  const values = Object.assign({}, bindings, ...parts.map((part) => part.bindings)) as Record<string, Knex.RawBinding>;
  const pause = createPause();
  for (const [key, rows] of parts.flatMap((part) => Object.entries(part.json ?? {}))) values[key] = await stringifyPausing(rows, pause);
  const { rows } = await db.raw<{ rows: Row[] }>(sql, values).options(prepared(`${name}${parts.map((part) => `-${part.name}`).join('')}`));
  return rows;
}

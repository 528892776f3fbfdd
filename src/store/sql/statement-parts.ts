import type { Knex } from 'knex';
import { createPause, stringifyPausing } from '../../shared/pause.ts';
import { runPrepared } from './run-prepared.ts';

/** One piece of a larger statement, with the values it binds. */
export interface Part {
  name: string;
  sql: string;
  bindings?: Record<string, unknown>;
  /** Bound as JSON. There may be very many rows, or very large ones. */
  json?: Record<string, unknown[]>;
}

interface Composition {
  name: string;
  parts: Part[];
  join: (pieces: string[]) => string;
  bindings: Record<string, unknown>;
}

/** A statement with all that it binds, the JSON written. Its text is composed when the statement is first used. */
export interface Statement {
  name: string;
  compose: () => string;
  values: Record<string, Knex.RawBinding>;
}

/**
 * Makes the statement that some parts make up. Parts that are not needed cost time even when they have nothing to do, so each
 * combination is a statement of its own; Postgres parses and plans it once for each connection.
 */
export async function composeParts({ name, parts, join, bindings }: Composition): Promise<Statement> {
  const values = Object.assign({}, bindings, ...parts.map((part) => part.bindings)) as Statement['values'];
  const pause = createPause();
  for (const [key, rows] of parts.flatMap((part) => Object.entries(part.json ?? {}))) {
    const written = stringifyPausing(rows, pause);
    values[key] = typeof written === 'string' ? written : await written;
  }
  return { name: `${name}${parts.map((part) => `-${part.name}`).join('')}`, compose: () => join(parts.map((part) => part.sql)), values };
}

export const runStatement = <Row>(db: Knex | Knex.Transaction, { name, compose, values }: Statement): Promise<Row[]> =>
  runPrepared(db, name, compose, values);

export const runParts = async <Row>(db: Knex | Knex.Transaction, composition: Composition): Promise<Row[]> =>
  runStatement<Row>(db, await composeParts(composition));

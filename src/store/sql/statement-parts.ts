import type { Knex } from 'knex';
import { createYieldToEventLoop, stringifyYielding } from '../../shared/yield-to-event-loop.ts';
import { runPrepared } from './run-prepared.ts';

/** A part of a statement, with the values that it binds. */
export interface StatementPart {
  name: string;
  sql: string;
  bindings?: Record<string, unknown>;
  arrays?: Record<string, string[]>;
  /** Rows that are bound as JSON. There may be many, and they may be large. */
  json?: Record<string, unknown[]>;
}

interface Composition {
  name: string;
  parts: StatementPart[];
  join: (parts: string[]) => string;
  bindings: Record<string, unknown>;
}

/** A statement and its values, with JSON already serialized. The text is composed when the statement is first used. */
export interface Statement {
  name: string;
  compose: () => string;
  values: Record<string, Knex.RawBinding>;
}

export const hasRows = ({ json = {} }: StatementPart): boolean => Object.values(json).some((rows) => rows.length > 0);

/**
 * Assembles a statement from parts. An unneeded part would cost time even without rows, so each combination of parts is a separate prepared
 * statement. Postgres parses and plans it once per connection.
 */
export async function composeParts({ name, parts, join, bindings }: Composition): Promise<Statement> {
  const values = Object.assign({}, bindings, ...parts.map((part) => part.bindings)) as Statement['values'];
  for (const [key, items] of parts.flatMap((part) => Object.entries(part.arrays ?? {}))) values[key] = toArrayLiteral(items);
  const pause = createYieldToEventLoop();
  for (const [key, rows] of parts.flatMap((part) => Object.entries(part.json ?? {}))) {
    const written = stringifyYielding(rows, pause);
    values[key] = typeof written === 'string' ? written : await written;
  }
  return { name: `${name}${parts.map((part) => `-${part.name}`).join('')}`, compose: () => join(parts.map((part) => part.sql)), values };
}

/** An array as Postgres text. The driver can write arrays too, but takes ten times as long. */
export const toArrayLiteral = (values: string[]) => `{${values.map(quote).join(',')}}`;
const quote = (value: string) => `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value}"`;

export const runStatement = <Row>(db: Knex | Knex.Transaction, { name, compose, values }: Statement): Promise<Row[]> =>
  runPrepared(db, name, compose, values);

export const runParts = async <Row>(db: Knex | Knex.Transaction, composition: Composition): Promise<Row[]> =>
  runStatement<Row>(db, await composeParts(composition));

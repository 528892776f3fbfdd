import type { Knex } from 'knex';
import { createHash } from 'node:crypto';

interface Prepared {
  name: string;
  uses: number;
}

interface Compiled {
  /** With `$1` for each value, in the order of these keys. */
  text: string;
  keys: string[];
}

const statements = new Map<string, Prepared>();
/** By their text, which differs for each name. Knex takes a statement apart at each call, which takes longer than to compose it. */
const compiled = new Map<string, Compiled>();
/** After so many uses a statement is planned anew: the tables of a new database grow from nothing, and a plan made then reads them all. */
const replanAfter = [50, 500, 5_000];

/**
 * Runs a statement that is needed again and again: Postgres parses and plans it once for each connection. `:key` stands for a value. There are
 * as many texts as names; nothing in a text comes from a request.
 */
export async function runPrepared<Row>(
  db: Knex | Knex.Transaction,
  name: string,
  sql: string,
  values: Record<string, Knex.RawBinding>,
): Promise<Row[]> {
  const { text, keys } = compile(sql, values);
  const { rows } = await db.raw<{ rows: Row[] }>(text).options({ name: nameOnce(name), values: keys.map((key) => valueOf(values, key)) });
  return rows;
}

function compile(sql: string, values: object): Compiled {
  let found = compiled.get(sql);
  if (!found) {
    const keys: string[] = [];
    const text = sql.replaceAll(/(?<!:):(\w+)/g, (whole, key: string) => (Object.hasOwn(values, key) ? `$${keys.push(key)}` : whole));
    compiled.set(sql, (found = { text, keys }));
  }
  return found;
}

function valueOf(values: Record<string, Knex.RawBinding>, key: string): Knex.RawBinding {
  const value = values[key];
  if (value === undefined) throw new Error(`The statement has no value for ${key}.`);
  return value;
}

function nameOnce(name: string): string {
  let statement = statements.get(name);
  if (!statement) statements.set(name, (statement = { name: shorten(name), uses: 0 }));
  statement.uses += 1;
  const { uses } = statement;
  return `${statement.name}-${replanAfter.filter((limit) => uses > limit).length}`;
}

/** Postgres cuts names at 63 bytes. */
const shorten = (name: string) => `rollcall-${name.length > 40 ? createHash('sha256').update(name).digest('hex').slice(0, 40) : name}`;

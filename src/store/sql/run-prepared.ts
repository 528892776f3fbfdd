import type { Knex } from 'knex';
import { createHash } from 'node:crypto';

interface Prepared {
  /** The name in Postgres. */
  name: string;
  uses: number;
  /** How often it was replanned. */
  version: number;
  /** The directory that used it first. Empty if it concerns no single directory. */
  owner: string;
  /** Has a `$n` for each value, in the order of `keys`. */
  text: string;
  keys: string[];
}

const statements = new Map<string, Prepared>();
/**
 * Postgres keeps each prepared statement for the lifetime of its connection (about 0.2 MiB each), and a Bulk request determines the parts of
 * its statement. The limits are higher than what identity providers need. Beyond them a statement is composed and planned for each use, or
 * keeps its first plan. One directory cannot take all places.
 */
const [maxKept, maxKeptPerDirectory] = [100, 60];
const [kept, replanned] = [createPlaces(), createPlaces()];
/** A statement is replanned after these numbers of uses. A plan from a new, almost empty database reads whole tables. */
const replanAfter = [50, 500, 5_000];

/**
 * Runs a statement that is used often. It is composed once, and Postgres parses and plans it once per connection. The name determines the
 * text: `:key` stands for a value, and no part of the text comes from a request.
 */
export async function runPrepared<Row>(
  db: Knex | Knex.Transaction,
  name: string,
  compose: () => string,
  values: Record<string, Knex.RawBinding>,
): Promise<Row[]> {
  const statement = statements.get(name) ?? prepare(name, compose(), values);
  const isKept = statements.has(name);
  if (isKept) countUse(statement);
  const { text, keys, version } = statement;
  const { rows } = await db.raw<{ rows: Row[] }>(text).options({
    ...(isKept && { name: `${statement.name}-${version}` }),
    values: keys.map((key) => valueOf(values, key)),
  });
  return rows;
}

function prepare(name: string, sql: string, values: Record<string, Knex.RawBinding>): Prepared {
  const keys: string[] = [];
  const text = sql.replaceAll(/(?<!:):(\w+)/g, (whole, key: string) => (Object.hasOwn(values, key) ? `$${keys.push(key)}` : whole));
  const owner = typeof values['directoryId'] === 'string' ? values['directoryId'] : '';
  const statement = { name: shorten(name), uses: 0, version: 0, owner, text, keys };
  if (kept.take(owner)) statements.set(name, statement);
  return statement;
}

function countUse(statement: Prepared): void {
  statement.uses += 1;
  if (statement.uses > (replanAfter[statement.version] ?? Infinity) && replanned.take(statement.owner)) statement.version += 1;
}

function createPlaces() {
  const takenBy = new Map<string, number>();
  let taken = 0;
  return {
    take(owner: string): boolean {
      const own = takenBy.get(owner) ?? 0;
      if (taken >= maxKept || (owner !== '' && own >= maxKeptPerDirectory)) return false;
      takenBy.set(owner, own + 1);
      taken += 1;
      return true;
    },
  };
}

function valueOf(values: Record<string, Knex.RawBinding>, key: string): Knex.RawBinding {
  const value = values[key];
  if (value === undefined) throw new Error(`The statement has no value for ${key}.`);
  return value;
}

/** Postgres cuts names at 63 bytes. */
const shorten = (name: string) => `rollcall-${name.length > 40 ? createHash('sha256').update(name).digest('hex').slice(0, 40) : name}`;

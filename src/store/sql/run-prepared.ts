import type { Knex } from 'knex';
import { createHash } from 'node:crypto';

interface Prepared {
  /** The name in Postgres, without its version. */
  name: string;
  uses: number;
  /** How often it was replanned. */
  version: number;
  usedAtMs: number;
  /** The directory that used it first. Empty if it concerns no single directory. */
  owner: string;
  /** Has a `$n` for each value, in the order of `keys`. */
  text: string;
  keys: string[];
}

/**
 * Postgres keeps each prepared statement for the lifetime of its connection (about 0.2 MiB each), and a Bulk request determines the parts of
 * its statement. The limits are higher than what identity providers need. Beyond them a statement is composed and planned for each use.
 */
const [maxKept, maxKeptPerDirectory] = [100, 60];
/** A statement that was not used for this long gives its place to one that is. */
const idleMs = 600_000;
/** A statement is replanned after these numbers of uses. A plan from a new, almost empty database reads whole tables. */
const replanAfter = [50, 500, 5_000];

/** The signature that knex uses, and what `pg` remembers of a connection. */
export interface PreparingConnection {
  query(config: { text: string; name?: string | undefined }, callback: (error: unknown, result?: unknown) => void): unknown;
  connection: { parsedStatements: Record<string, string> };
}

/** The part of knex's client that runs a query on a connection: of the pool, or of a transaction. */
interface KnexClient {
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<void>;
  query(connection: object, sent: object): Promise<{ response: { rows: unknown[] } }>;
}

export function createPreparedStatements({ prefix = 'rollcall-', now = Date.now } = {}) {
  const names = createNames(prefix);
  const statements = createStatements(names, now);
  return { runPrepared, dropUnused: names.dropUnused };

  /**
   * Runs a statement that is used often. It is composed once, and Postgres parses and plans it once per connection. The name determines the
   * text: `:key` stands for a value, and no part of the text comes from a request.
   */
  async function runPrepared<Row>(
    db: Knex | Knex.Transaction,
    name: string,
    compose: () => string,
    values: Record<string, Knex.RawBinding>,
  ): Promise<Row[]> {
    const statement = statements.get(name) ?? prepare(name, compose(), values);
    const isKept = statements.use(name);
    const { text, keys } = statement;
    return sendQuery(db, {
      sql: text,
      bindings: [],
      options: { ...(isKept && { name: versionOf(statement) }), values: keys.map((key) => valueOf(values, key)) },
    });
  }

  function prepare(name: string, sql: string, values: Record<string, Knex.RawBinding>): Prepared {
    const keys: string[] = [];
    const text = sql.replaceAll(/(?<!:):(\w+)/g, (whole, key: string) => (Object.hasOwn(values, key) ? `$${keys.push(key)}` : whole));
    const owner = typeof values['directoryId'] === 'string' ? values['directoryId'] : '';
    const statement = { name: `${prefix}${shorten(name)}`, uses: 0, version: 0, usedAtMs: now(), owner, text, keys };
    statements.keep(name, statement);
    return statement;
  }
}

/** Sends a query without knex's query builder, which would take about as long as the driver. */
async function sendQuery<Row>(db: Knex | Knex.Transaction, sent: { sql: string; bindings: []; options: object }): Promise<Row[]> {
  const client = db.client as KnexClient;
  const connection = await client.acquireConnection();
  try {
    const { response } = await client.query(connection, sent);
    return response.rows as Row[];
  } finally {
    void client.releaseConnection(connection);
  }
}

type Names = ReturnType<typeof createNames>;

/** The names of the statements that have a place, by which a connection knows which of its statements to drop. */
function createNames(prefix: string) {
  const names = new Set<string>();
  /** Increases when a name is dropped. */
  let dropped = 0;

  return {
    add: (statement: Prepared) => names.add(versionOf(statement)),
    drop(statement: Prepared): void {
      names.delete(versionOf(statement));
      dropped += 1;
    },

    /** Lets a connection drop the statements that gave up their places, before it prepares another one. */
    dropUnused(connection: PreparingConnection): void {
      const query = connection.query.bind(connection);
      const parsed = connection.connection.parsedStatements;
      const dropping = new Set<string>();
      let seen = dropped;
      connection.query = (config, ...rest) => {
        const unused = config.name === undefined || seen === dropped ? [] : Object.keys(parsed).filter(isUnused);
        seen = dropped;
        for (const name of unused) dropping.add(name);
        return dropAll(unused, () => query(config, ...rest));
      };

      function isUnused(name: string): boolean {
        return name.startsWith(prefix) && !names.has(name) && !dropping.has(name);
      }

      /** One after the other: a connection of `pg` may have one query at a time. */
      function dropAll([name, ...others]: string[], done: () => unknown): unknown {
        if (name === undefined) return done();
        return query({ text: `deallocate "${name.replaceAll('"', '""')}"` }, (error) => {
          dropping.delete(name);
          if (!error) delete parsed[name];
          dropAll(others, done);
        });
      }
    },
  };
}

/** The statements that have a place, within the limits of all directories together and of each one. */
function createStatements(names: Names, now: () => number) {
  /** The least recently used statement comes first. */
  const statements = new Map<string, Prepared>();
  const kept = new Map<string, number>();

  return {
    get: (name: string) => statements.get(name),

    /** Returns false if the statement has no place. */
    use(name: string): boolean {
      const statement = statements.get(name);
      if (!statement) return false;
      statement.uses += 1;
      statement.usedAtMs = now();
      statements.delete(name);
      statements.set(name, statement);
      if (statement.uses > (replanAfter[statement.version] ?? Infinity)) {
        names.drop(statement);
        statement.version += 1;
        names.add(statement);
      }
      return true;
    },

    keep(name: string, statement: Prepared): void {
      const { owner } = statement;
      if (!makePlace(owner)) return;
      kept.set(owner, countKept(owner) + 1);
      statements.set(name, statement);
      names.add(statement);
    },
  };

  /** A directory with fewer statements displaces the least recently used one of the directory with the most. */
  function makePlace(owner: string): boolean {
    const own = countKept(owner);
    if (owner !== '' && own >= maxKeptPerDirectory) return remove((other) => other.owner === owner && isIdle(other));
    if (statements.size < maxKept || remove(isIdle)) return true;
    const [most, count] = [...kept].reduce((one, other) => (other[1] > one[1] ? other : one));
    return count > own + 1 && remove((other) => other.owner === most);
  }

  /** Removes the least recently used of these statements. */
  function remove(matches: (statement: Prepared) => boolean): boolean {
    for (const [name, statement] of statements) {
      if (!matches(statement)) continue;
      statements.delete(name);
      kept.set(statement.owner, countKept(statement.owner) - 1);
      if (countKept(statement.owner) === 0) kept.delete(statement.owner);
      names.drop(statement);
      return true;
    }
    return false;
  }

  function countKept(owner: string): number {
    return kept.get(owner) ?? 0;
  }

  function isIdle({ usedAtMs }: Prepared): boolean {
    return now() - usedAtMs > idleMs;
  }
}

export const { runPrepared, dropUnused } = createPreparedStatements();

const versionOf = ({ name, version }: Prepared) => `${name}-${version}`;

function valueOf(values: Record<string, Knex.RawBinding>, key: string): Knex.RawBinding {
  const value = values[key];
  if (value === undefined) throw new Error(`The statement has no value for ${key}.`);
  return value;
}

/** Postgres cuts names at 63 bytes. */
const shorten = (name: string) => (name.length > 40 ? createHash('sha256').update(name).digest('hex').slice(0, 40) : name);

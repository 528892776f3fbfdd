import pg from 'pg';
import { AppError, StartupError } from '../../errors.ts';
import { newestPolis, polisHash, type PolisRow } from '../../directory/import/polis-records.ts';
import type { Counts, Kind, PolisSource, SourceDirectory } from '../../directory/import/ports.ts';
import { isDatabaseAway } from '../sql/outages.ts';
import { isEncrypted, readPolisKey, readPolisValue, type StoredValue } from './polis-value.ts';

const connectTimeoutMs = 10_000;

/** The tables of Polis 26.2. */
const storeColumns = ['key', 'value', 'iv', 'tag', 'createdAt', 'modifiedAt', 'namespace'];
const lastMigration = 1_733_850_225_778;

export interface PolisDatabase extends PolisSource {
  close(): Promise<void>;
}

interface StoredRow extends Omit<StoredValue, 'value'> {
  key: string;
  /** Null if it is large. */
  value: string | null;
  bytes: number;
  created_at: Date;
  modified_at: Date | null;
}

/**
 * Opens a Postgres, CockroachDB or YugabyteDB of Polis. Everything is read in one read-only transaction, so all
 * rows are of one moment, and Polis may write meanwhile.
 */
export async function openPolisDatabase(url: string, encryptionKey: string | undefined): Promise<PolisDatabase> {
  const key = readPolisKey(encryptionKey);
  const client = new pg.Client({ connectionString: url, application_name: 'rollcall import', connectionTimeoutMillis: connectTimeoutMs });
  // A lost connection fails the statement in progress.
  client.on('error', () => undefined);
  try {
    await client.connect().catch(throwConnectionError);
    const query = translateFailures(client);
    await query('begin transaction isolation level repeatable read read only');
    await query('set statement_timeout = 0');
    await query('set idle_in_transaction_session_timeout = 0');
    const { hasNamespaces } = await assertPolisTables(query);
    const reader = createReader({ query, key, hasNamespaces });
    await assertKeyDecrypts(query, reader.inNamespace(directoryNamespace), key);
    return {
      ...toSource(reader),
      name: nameOf(url),
      isDatabase: true,
      isNewestFirst: false,
      close: () => client.end().catch(() => undefined),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

const nameOf = (url: string) => {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
};

function throwConnectionError(error: unknown): never {
  const { code } = error as { code?: string };
  const reason =
    code === '28P01' || code === '28000'
      ? 'rejects the user or the password'
      : code === '3D000'
        ? 'has no such database'
        : `does not respond (${code ?? 'no connection'})`;
  throw new StartupError(`The Postgres at --source ${reason}. Nothing was written.`, { cause: error });
}

const notPolis = (reason: string) =>
  new StartupError(
    `The database at --source is not one of Polis: ${reason}. Pass the address that Polis has in DB_URL. Nothing was written.`,
  );
const tooNew = (what: string) =>
  new StartupError(
    `The database at --source belongs to a newer Polis than ${newestPolis}, which this version of Rollcall cannot read (${what}): use a newer Rollcall. Nothing was written.`,
  );

async function assertPolisTables(query: Query): Promise<{ hasNamespaces: boolean }> {
  const { rows }: { rows: { table_name: string; column_name: string }[] } = await query(
    `select table_name, column_name from information_schema.columns
     where table_schema = any(current_schemas(false)) and table_name in ('jackson_store', 'jackson_index', '_jackson_migrations')`,
  );
  const columnsOf = (table: string) => rows.filter((row) => row.table_name === table).map((row) => row.column_name);
  const columns = columnsOf('jackson_store');
  if (columns.length === 0) throw notPolis('it has no table jackson_store that the user can read');
  if (columnsOf('jackson_index').length === 0) throw notPolis('it has no table jackson_index that the user can read');
  const missing = storeColumns.find((name) => name !== 'namespace' && !columns.includes(name));
  if (missing !== undefined) throw notPolis(`its table jackson_store has no column ${missing}`);
  const unknown = columns.find((name) => !storeColumns.includes(name));
  if (unknown !== undefined) throw tooNew(`column ${unknown} of jackson_store`);
  if (columnsOf('_jackson_migrations').length > 0) {
    const found: { rows: { name: string }[] } = await query('select name from _jackson_migrations where "timestamp" > $1', [lastMigration]);
    if (found.rows[0]) throw tooNew(`migration ${found.rows[0].name}`);
  }
  return { hasNamespaces: columns.includes('namespace') };
}

type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

const translateFailures =
  (client: pg.Client): Query =>
  async (text, values) => {
    try {
      return await client.query(text, values);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === undefined || isDatabaseAway(error))
        throw new AppError('unavailable', 'Lost the connection to the Postgres at --source. Run the import again to continue.', {
          cause: error,
        });
      const advice = code === insufficientPrivilege ? 'grant its user SELECT on the tables of Polis' : 'see its log';
      throw new AppError('invalid_request', `The Postgres at --source rejects a query (${code}): ${advice}. Nothing more was written.`, {
        cause: error,
      });
    }
  };
const insufficientPrivilege = '42501';

/** A condition on `jackson_store s`. Its parameters begin with $1. */
interface Condition {
  sql: string;
  values: unknown[];
}

async function assertKeyDecrypts(query: Query, directories: Condition, key: Buffer | undefined): Promise<void> {
  const { rows }: { rows: StoredValue[] } = await query(
    `select s.value, s.iv, s.tag from jackson_store s where ${directories.sql} and s.iv is not null limit 20`,
    directories.values,
  );
  const encrypted = rows.filter(isEncrypted);
  if (encrypted.length === 0) return;
  if (!key)
    throw new StartupError(
      "The rows at --source are encrypted: pass the value of Polis' DB_ENCRYPTION_KEY as --source-encryption-key. Nothing was written.",
    );
  if (encrypted.every((row) => 'problem' in readPolisValue(row, key)))
    throw new StartupError(
      "--source-encryption-key does not decrypt the rows at --source: pass the value of Polis' DB_ENCRYPTION_KEY. Nothing was written.",
    );
}

const directoryNamespace = 'dsync:config';
const eventNamespace = 'dsync:events';
const setupLinkNamespace = 'setup:link';
const namespaceOf = (kind: 'users' | 'groups' | 'members', { tenant, product }: SourceDirectory) => `dsync:${kind}:${tenant}:${product}`;

const digestLength = 40;
const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** Larger values are read one by one, so that memory does not depend on their number. */
const largeBytes = 65_536;
const maxValueBytes = 16_777_216;

/** Polis writes `createdAt` in the time zone of the database, and `modifiedAt` in UTC. */
const columns = `s."key", case when octet_length(s.value) <= ${largeBytes} then s.value end as value, octet_length(s.value) as bytes, s.iv, s.tag,
  cast(s."createdAt" as timestamptz) as created_at, s."modifiedAt" at time zone 'UTC' as modified_at`;
const changedAt = `coalesce(s."modifiedAt" at time zone 'UTC', cast(s."createdAt" as timestamptz))`;

interface Statement {
  from: string;
  order: string;
  values: unknown[];
}

type Reader = ReturnType<typeof createReader>;

function createReader({ query, key, hasNamespaces }: { query: Query; key: Buffer | undefined; hasNamespaces: boolean }) {
  let cursors = 0;
  return {
    /** Selects the rows of a namespace. A tenant may contain a colon, so the length of the key is compared too. Old rows have no namespace. */
    inNamespace(namespace: string): Condition {
      const prefix = `${namespace}:`;
      const byKey = `s."key" like $1 and length(s."key") = $2`;
      const values = [`${escapeLike(prefix)}%`, prefix.length + digestLength];
      if (!hasNamespaces) return { sql: `(${byKey})`, values };
      return { sql: `(s.namespace = $3 or (s.namespace is null and ${byKey}))`, values: [...values, namespace] };
    },

    async count({ from, values }: Omit<Statement, 'order'>): Promise<number> {
      const { rows }: { rows: { count: string }[] } = await query(`select count(*) as count ${from}`, values);
      return Number(rows[0]!.count);
    },

    /** A server-side cursor. Each step reads about the same number of bytes. */
    async *read({ from, order, values }: Statement): AsyncGenerator<PolisRow[]> {
      cursors += 1;
      const cursor = `rollcall_${cursors}`;
      await query(`declare ${cursor} no scroll cursor for select ${columns} ${from} order by ${order}`, values);
      try {
        const fetchNext = (size: number) => query(`fetch forward ${size} from ${cursor}`);
        let [size, fetched] = [firstRows, fetchNext(firstRows)];
        for (;;) {
          const { rows }: { rows: StoredRow[] } = await fetched;
          const isLast = rows.length < size;
          const bytes = rows.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
          size = Math.max(1, Math.min(maxRows, 4 * size, Math.floor((stepBytes * rows.length) / Math.max(1, bytes))));
          // Fetches the next rows while the caller uses these.
          if (!isLast) fetched = fetchNext(size);
          fetched.catch(() => undefined);
          yield* toRows(rows);
          if (isLast) return;
        }
      } finally {
        await query(`close ${cursor}`).catch(() => undefined);
      }
    },
  };

  /** Keeps the order, and yields each large value by itself. */
  async function* toRows(rows: StoredRow[]): AsyncGenerator<PolisRow[]> {
    let small: PolisRow[] = [];
    for (const row of rows) {
      if (row.value !== null) {
        small.push({ ...toRowHead(row), ...readPolisValue({ ...row, value: row.value }, key) });
        continue;
      }
      if (small.length > 0) yield small;
      small = [];
      yield [{ ...toRowHead(row), ...(await readLarge(row)) }];
    }
    if (small.length > 0) yield small;
  }

  async function readLarge(row: StoredRow): Promise<{ value: unknown } | { problem: string }> {
    if (row.bytes > maxValueBytes) return { problem: `its value has ${row.bytes} bytes, and at most ${maxValueBytes} are read` };
    const { rows }: { rows: { value: string }[] } = await query('select value from jackson_store where "key" = $1', [row.key]);
    return readPolisValue({ ...row, value: rows[0]!.value }, key);
  }
}

const toRowHead = ({ key, created_at: createdAt, modified_at: modifiedAt }: StoredRow) => ({
  key,
  createdAt,
  modifiedAt: modifiedAt ?? undefined,
});

const firstRows = 20;
const maxRows = 500;
const stepBytes = 1_048_576;

function toSource(reader: Reader): Omit<PolisSource, 'name' | 'isDatabase' | 'isNewestFirst'> {
  const { inNamespace, count, read } = reader;
  const allOf = (namespace: string): Statement => {
    const { sql, values } = inNamespace(namespace);
    return { from: `from jackson_store s where ${sql}`, order: 's."createdAt", s."key"', values };
  };
  const unindexed = (namespace: string): Statement => {
    const { from, order, values } = allOf(namespace);
    return {
      from: `${from} and not exists (
        select 1 from jackson_index i where i."storeKey" = s."key" and i."key" like $${values.length + 1})`,
      order,
      values: [...values, `${escapeLike(`${namespace}:directoryId:`)}%`],
    };
  };

  /** Searching for rows without an index is slow, so this only counts them. */
  async function countUnindexed(namespace: string, { siblings, unindexed: policy }: SourceDirectory): Promise<number> {
    if (policy === 'ignore') return 0;
    let known = 0;
    for (const id of siblings) known += await count(indexed(namespace, id));
    return (await count(allOf(namespace))) - known;
  }

  async function* readResources(namespace: string, directory: SourceDirectory, since: Date | undefined): AsyncGenerator<PolisRow[]> {
    yield* read(changedSince(indexed(namespace, directory.polisId), since));
    if ((await countUnindexed(namespace, directory)) === 0) return;
    for await (const rows of read(changedSince(unindexed(namespace), since)))
      yield directory.unindexed === 'own'
        ? rows
        : rows.map(({ key, createdAt, modifiedAt }) => ({ key, createdAt, modifiedAt, problem: ambiguousDirectory }));
  }

  return {
    listDirectories: () => read(allOf(directoryNamespace)),

    async count(directory): Promise<Counts> {
      const countResources = async (kind: 'users' | 'groups') => {
        const namespace = namespaceOf(kind, directory);
        return (await count(indexed(namespace, directory.polisId))) + (await countUnindexed(namespace, directory));
      };
      return {
        users: await countResources('users'),
        groups: await countResources('groups'),
        memberships: await count(allOf(namespaceOf('members', directory))),
      };
    },

    read(kind: Kind, directory, since) {
      if (kind === 'memberships') return read(changedSince(allOf(namespaceOf('members', directory)), since));
      return readResources(namespaceOf(kind, directory), directory, since);
    },

    countQueued: (polisId) => count(indexed(eventNamespace, polisId)),
    listSetupLinks: () => read(allOf(setupLinkNamespace)),
    readQueued: (polisId) => read({ ...indexed(eventNamespace, polisId), order: 's."createdAt", i.id' }),
  };
}

/**
 * Selects rows with an index entry for the directory, once each: Polis may have written an entry twice. It groups, since an anti-join of the
 * entries with themselves takes quadratic time when the statistics are out of date.
 */
const indexed = (namespace: string, polisId: string): Statement => ({
  from: `from jackson_store s, (select min(id) as id, "storeKey" from jackson_index where "key" = $1 group by "storeKey") i
    where s."key" = i."storeKey"`,
  order: 'i.id',
  values: [`${namespace}:directoryId:${polisHash(polisId)}`],
});

const ambiguousDirectory = 'it has no index, and its tenant and product have several directories';

const changedSince = ({ from, order, values }: Statement, since: Date | undefined): Statement =>
  since ? { from: `${from} and ${changedAt} > $${values.length + 1}`, order, values: [...values, since] } : { from, order, values };

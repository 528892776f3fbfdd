import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Keyring } from '../../keyring.ts';
import { keyUserTimeoutMs } from './keys-in-use.ts';
import { keyIdSql, sealedColumns, type SealedColumn } from './sealed-columns.ts';

export interface SealedCount {
  kind: string;
  keyId: string;
  count: number;
}

/** Counts the values that each key has sealed, in one snapshot. */
export const countSealed = (db: Knex): Promise<SealedCount[]> =>
  db.transaction(
    async (trx) => {
      await trx.raw('set local statement_timeout = 0');
      const counts: SealedCount[] = [];
      for (const sealed of sealedColumns) {
        const { rows } = await trx.raw<{ rows: { key_id: string; count: number }[] }>(
          `select ${keyIdSql(sealed)} as key_id, count(*) as count from ${sealed.table} where ${sealed.column} is not null group by 1 order by 1`,
        );
        counts.push(...rows.map((row) => ({ kind: sealed.kind, keyId: row.key_id, count: row.count })));
      }
      return counts;
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );

interface Rewrapped {
  kind: string;
  rewrapped: number;
  /** Values whose key is not in the keyring, or that are damaged. */
  unreadable: number;
}

const maxPasses = 20;
const pauseBetweenPassesMs = 250;

/**
 * Reseals all values with the first key of the keyring. Each batch is one statement that writes a value only if it is unchanged since it was
 * read. It skips locked rows; the next pass retries them. After a crash, another run continues with the remaining values.
 */
export async function rewrapAll(db: Knex, keyring: Keyring, onBatch: (kind: string, rows: number) => void): Promise<Rewrapped[]> {
  const all: Rewrapped[] = [];
  for (const sealed of sealedColumns) {
    const result: Rewrapped = { kind: sealed.kind, rewrapped: 0, unreadable: 0 };
    for (let pass = 1; pass <= maxPasses; pass += 1) {
      const { rewrapped, skipped, unreadable } = await rewrapColumn(db, keyring, sealed, (rows) => onBatch(sealed.kind, rows));
      result.rewrapped += rewrapped;
      result.unreadable = unreadable;
      if (skipped === 0) break;
      await sleep(pauseBetweenPassesMs);
    }
    if (result.rewrapped + result.unreadable > 0) all.push(result);
  }
  return all;
}

type Row = Record<string, string> & { sealed: string | Buffer };

/** One pass over all rows of a column. */
async function rewrapColumn(db: Knex, keyring: Keyring, sealed: SealedColumn, onBatch: (rows: number) => void) {
  const result = { rewrapped: 0, skipped: 0, unreadable: 0 };
  for (let rows = await readBatch(db, keyring, sealed); rows.length > 0; rows = await readBatch(db, keyring, sealed, rows.at(-1))) {
    const renewed = rows.flatMap((row) => reseal(keyring, sealed, row) ?? []);
    const written = renewed.length > 0 ? await writeBatch(db, sealed, renewed) : 0;
    result.rewrapped += written;
    result.skipped += renewed.length - written;
    result.unreadable += rows.length - renewed.length;
    onBatch(written);
  }
  return result;
}

async function readBatch(db: Knex, { keyIds }: Keyring, sealed: SealedColumn, last?: Row): Promise<Row[]> {
  const { table, column, key, contextColumns, batchSize } = sealed;
  const keys = key.map(({ name }) => name);
  const columns = [...new Set([...keys, ...contextColumns])];
  return db.transaction(async (trx) => {
    // Finding the last of many rows may take long.
    await trx.raw('set local statement_timeout = 0');
    const { rows } = await trx.raw<{ rows: Row[] }>(
      `select ${columns.join(', ')}, ${column} as sealed from ${table}
     where ${column} is not null and ${keyIdSql(sealed)} <> ?
       ${last ? `and (${keys.join(', ')}) > (${key.map(({ type }) => `cast(? as ${type})`).join(', ')})` : ''}
     order by ${keys.join(', ')} limit ?`,
      [keyIds[0], ...(last ? keys.map((name) => last[name]!) : []), batchSize],
    );
    return rows;
  });
}

/** Reseals a row's value. Returns undefined if the value cannot be opened. */
function reseal(keyring: Keyring, { type, contextOf }: SealedColumn, row: Row): { row: Row; renewed: string | Buffer } | undefined {
  const context = contextOf(row);
  try {
    return {
      row,
      renewed:
        type === 'text'
          ? keyring.sealText(keyring.openText(row.sealed as string, context), context)
          : keyring.seal(keyring.open(row.sealed as Buffer, context), context),
    };
  } catch {
    return undefined;
  }
}

async function writeBatch(
  db: Knex,
  { table, column, key, type }: SealedColumn,
  renewed: { row: Row; renewed: string | Buffer }[],
): Promise<number> {
  const names = key.map(({ name }) => name);
  const isGiven = names.map((name, at) => `t.${name} = given.k${at}`).join(' and ');
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `with given as (
       select * from unnest(${[...key.map((one) => `cast(? as ${one.type}[])`), `cast(? as ${type}[])`, `cast(? as ${type}[])`].join(', ')})
         as given(${[...names.map((_, at) => `k${at}`), 'former', 'renewed'].join(', ')})
     ), locked as materialized (
       select ${names.map((name) => `t.${name}`).join(', ')} from ${table} t join given on ${isGiven} and t.${column} = given.former
       for no key update of t skip locked
     )
     update ${table} t set ${column} = given.renewed from given, locked
     where ${isGiven} and ${names.map((name) => `locked.${name} = t.${name}`).join(' and ')} and t.${column} = given.former`,
    [
      ...names.map((name) => renewed.map(({ row }) => row[name]!)),
      renewed.map(({ row }) => toParameter(row.sealed)),
      renewed.map((one) => toParameter(one.renewed)),
    ],
  );
  return rowCount;
}

const toParameter = (value: string | Buffer): string => (typeof value === 'string' ? value : `\\x${value.toString('hex')}`);

/** Allows processes to start without these keys, unless a process encrypts with them again. */
export async function retireKeys(db: Knex, keyIds: string[]): Promise<void> {
  await db.raw(
    `delete from encryption_keys where id = any(:keyIds) and not exists (
       select from encryption_key_users where key_ids[1] = encryption_keys.id and seen_at > now() - :timeoutMs * interval '1 millisecond')`,
    { keyIds, timeoutMs: keyUserTimeoutMs },
  );
}

import type { Knex } from 'knex';
import type { AttributeStore, DirectoryMapping, RecomputeKey } from '../../directory/attributes/ports.ts';
import type { AttributeRules } from '../../directory/attributes/compute-attributes.ts';
import type { AttributeSchema } from '../../directory/attributes/attribute.ts';
import type { AttributeMapping, Origin } from '../../directory/attributes/source.ts';
import type { DirectoryType, InactiveUsers } from '../../directory/directories/directory.ts';
import { toHiding } from '../../directory/directories/hiding.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { isSameJson } from '../../scim/json.ts';
import { recordAct } from '../audit/record-act.ts';

interface MappingRow {
  product: string;
  type: DirectoryType;
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
  schema: AttributeSchema | null;
  attribute_mapping: AttributeMapping | null;
  user_count: number;
  recompute_id: string | null;
  done: number;
  requested_at: Date;
  finished_at: Date | null;
}

/** Of one request. */
const startedAtOnce = 50;

export const createAttributeStore = (db: Knex): AttributeStore => ({
  getSchema: (product) => readSchema(db, product),

  setSchema: (product, schema, check, { repeats = false } = {}) =>
    changeRules(db, async (trx) => {
      // Mappings of the product wait until this has ended.
      await lockSchema(trx, product);
      const former = await readSchema(trx, product);
      // The directories were computed with it, or are being computed.
      if (!repeats && isSameJson(former, schema)) return [];
      await check(former, (names) => countMapped(trx, product, names));
      if (schema.length === 0) await trx('attribute_schemas').where({ product }).delete();
      else
        await trx('attribute_schemas')
          .insert({ product, attributes: JSON.stringify(schema) })
          .onConflict('product')
          .merge({ attributes: JSON.stringify(schema), updated_at: trx.raw('clock_timestamp()') });
      await recordAct(trx, {
        action: 'attribute_schema.updated',
        targets: [{ type: 'attribute_schema', id: product, product }],
        changes: { attributes: { from: describeSchema(former), to: describeSchema(schema) } },
      });
      return requestRecomputes(trx, { product });
    }),

  async getMapping(directoryId) {
    const { rows } = await db.raw<{ rows: MappingRow[] }>(
      `select d.product, d.type, d.inactive_users, d.inactive_users_upto, a.attributes as schema, d.attribute_mapping, d.user_count,
         r.id as recompute_id, r.done, r.requested_at, r.finished_at
       from directories d
         left join attribute_schemas a on a.product = d.product left join attribute_recomputes r on r.directory_id = d.id
       where d.id = :directoryId`,
      { directoryId },
    );
    return rows[0] && toDirectoryMapping(rows[0]);
  },

  setMapping: (directoryId, mapping, check, { repeats = false } = {}) =>
    changeRules(db, async (trx) => {
      const directory = await trx('directories').where({ id: directoryId }).first<{ product: string } | undefined>('product');
      if (!directory) return undefined;
      await lockSchema(trx, directory.product, { isShared: true });
      check(await readSchema(trx, directory.product));
      const { rows } = await trx.raw<{ rows: { attribute_mapping: AttributeMapping | null }[] }>(
        'select attribute_mapping from directories where id = :directoryId for no key update',
        { directoryId },
      );
      const [former] = rows;
      if (!former) return undefined;
      const isSame = !repeats && isSameJson(former.attribute_mapping ?? {}, mapping);
      if (isSame && (await trx('attribute_recomputes').where({ directory_id: directoryId }).first('id'))) return { recompute: undefined };
      await trx('all_directories')
        .where({ id: directoryId })
        .update({ attribute_mapping: JSON.stringify(mapping) });
      await recordAct(trx, {
        action: 'directory.mapping_updated',
        directory: { id: directoryId },
        changes: { attributes: { from: describeMapping(former.attribute_mapping ?? {}), to: describeMapping(mapping) } },
      });
      const [recompute] = await requestRecomputes(trx, { directoryId });
      return { recompute };
    }),
});

/** The audit log says that there is a constant, and not which. */
const describeOrigin = (origin: Origin) => ('path' in origin ? origin.path : '(constant)');

const describeMapping = (mapping: AttributeMapping) =>
  Object.fromEntries(
    Object.entries(mapping).map(([name, source]) => [
      name,
      source && ('first_of' in source ? source.first_of : [source]).map(describeOrigin),
    ]),
  );

const describeSchema = (schema: AttributeSchema) =>
  Object.fromEntries(schema.map(({ name, type, multiValued }) => [name, multiValued ? `${type}[]` : type]));

const lockNotAvailable = '55P03';
const isLocked = (error: unknown) => (error as { code?: unknown }).code === lockNotAvailable;
const inUse = (cause: unknown) =>
  new AppError(
    'unavailable',
    'The attributes of this product are in use by an import, a sync or another change. Nothing was changed; try again in a minute.',
    { cause },
  );

async function changeRules<Result>(db: Knex, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction(work);
  } catch (error) {
    throw isLocked(error) ? inUse(error) : error;
  }
}

/** Whoever has locked the schema knows that they do not change until its transaction ends. */
export async function readImportedRules(
  trx: Knex,
  { id, product, type }: { id: string; product: string; type: DirectoryType },
): Promise<AttributeRules | undefined> {
  const schema = await readSchema(trx, product);
  if (schema.length === 0) return undefined;
  const row = await trx('directories').where({ id }).first<{ attribute_mapping: AttributeMapping | null } | undefined>('attribute_mapping');
  return { type, schema, mapping: row?.attribute_mapping ?? {} };
}

async function readSchema(db: Knex, product: string): Promise<AttributeSchema> {
  const row = await db('attribute_schemas').where({ product }).first<{ attributes: AttributeSchema } | undefined>('attributes');
  return row?.attributes ?? [];
}

/** Also for a product whose schema does not exist yet. */
export const lockSchema = (trx: Knex, product: string, { isShared = false } = {}) =>
  trx.raw(`select pg_advisory_xact_lock${isShared ? '_shared' : ''}(hashtextextended(:key, 7265636534))`, { key: product });

async function countMapped(trx: Knex.Transaction, product: string, names: string[]): Promise<number> {
  if (names.length === 0) return 0;
  const { rows } = await trx.raw<{ rows: [{ count: number }] }>(
    `select count(*) as count from directories where product = :product and jsonb_exists_any(attribute_mapping, cast(:names as text[]))`,
    { product, names },
  );
  return rows[0].count;
}

/**
 * In the transaction that changes what users follow from. The revision increases, so that no change is decided on what was read before: a user
 * that the recomputation has passed cannot get the old attributes. To an import that follows Polis that is no change.
 *
 * It waits only shortly for a directory, and holds none meanwhile: changes of all others would wait too.
 */
async function requestRecomputes(
  trx: Knex.Transaction,
  { directoryId, product }: { directoryId?: string; product?: string },
): Promise<RecomputeKey[]> {
  return withShortWaits(trx, async (attempt) => {
    const { rows } = await attempt.raw<{ rows: { directory_id: string; id: string }[] }>(
      `with concerned as materialized (
       select id, revision from all_directories where ${directoryId === undefined ? 'product = :product' : 'id = :directoryId'} and deleting_at is null
       order by id for no key update
     ), moved as (
       update all_directories d set revision = d.revision + 1 from concerned where d.id = concerned.id
     ), import_goes_on as (
       update imported_directories i set revision = i.revision + 1
       from concerned where i.directory_id = concerned.id and i.revision = concerned.revision
     )
     insert into attribute_recomputes as r (directory_id, id)
       select id, ${directoryId === undefined ? 'gen_random_uuid()' : 'cast(:newId as uuid)'} from concerned
     on conflict (directory_id) do update set id = excluded.id, after = null, done = 0, requested_at = excluded.requested_at,
       progressed_at = excluded.progressed_at, finished_at = null
     returning r.directory_id, r.id`,
      directoryId === undefined ? { product: product! } : { directoryId, newId: newId() },
    );
    return rows.slice(0, startedAtOnce).map((row) => ({ directoryId: row.directory_id, recomputeId: row.id }));
  });
}

const lockAttempts = 3;

async function withShortWaits<Result>(trx: Knex.Transaction, work: (attempt: Knex.Transaction) => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await trx.transaction(async (attempt) => {
        await attempt.raw(`set local lock_timeout = '1s'`);
        return work(attempt);
      });
    } catch (error) {
      if (!isLocked(error) || attempts === lockAttempts) throw error;
    }
  }
}

const toDirectoryMapping = (row: MappingRow): DirectoryMapping => ({
  product: row.product,
  type: row.type,
  hiding: toHiding(row.inactive_users, row.inactive_users_upto),
  schema: row.schema ?? [],
  mapping: row.attribute_mapping ?? {},
  users: row.user_count,
  recompute:
    row.recompute_id === null
      ? undefined
      : { id: row.recompute_id, done: row.done, requestedAt: row.requested_at, finishedAt: row.finished_at ?? undefined },
});

import type { Knex } from 'knex';
import type { AttributeStore, DirectoryMapping } from '../../directory/attributes/ports.ts';
import type { AttributeSchema } from '../../directory/attributes/attribute.ts';
import type { AttributeMapping, Origin } from '../../directory/attributes/source.ts';
import type { DirectoryType, InactiveUsers } from '../../directory/directories/directory.ts';
import { toHiding } from '../../directory/directories/hiding.ts';
import { isSameJson } from '../../scim/json.ts';
import { recordAct } from '../audit/record-act.ts';
import { changeRules, type RecomputeRow, recomputeColumns, requestRecomputes, toRecomputeState } from './request-recomputes.ts';

interface MappingRow extends RecomputeRow {
  product: string;
  type: DirectoryType;
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
  schema: AttributeSchema | null;
  attribute_mapping: AttributeMapping | null;
  user_count: number;
}

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
         ${recomputeColumns}
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

export async function readSchema(db: Knex, product: string): Promise<AttributeSchema> {
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

const toDirectoryMapping = (row: MappingRow): DirectoryMapping => ({
  product: row.product,
  type: row.type,
  hiding: toHiding(row.inactive_users, row.inactive_users_upto),
  schema: row.schema ?? [],
  mapping: row.attribute_mapping ?? {},
  users: row.user_count,
  recompute: toRecomputeState(row),
});

import type { Knex } from 'knex';

export interface Model {
  kind: 'users' | 'members';
  /** What one entry alone holds, and was pushed. */
  field: 'id' | 'group_id';
  value: string;
}

/**
 * The ancestor keeps everything as text under a digest, and the digests under the keys of an index. The model's copies stand under
 * digests that nobody asks for, and under the model's keys.
 */
export async function fillAncestor(db: Knex, { kind, field, value }: Model, count: number) {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `with model as materialized (
       select s.* from jackson_store s
       where s.namespace like cast(:namespace as text) and cast(s.value as jsonb) ->> cast(:field as text) = :value
     ), copies as (
       insert into jackson_store
       select copy.* from model
         cross join generate_series(2, cast(:count as int)) n
         cross join lateral jsonb_populate_record(cast(model as jackson_store),
           jsonb_build_object('key', model.namespace || ':' || left(encode(sha256(convert_to(:value || n, 'UTF8')), 'hex'), 40))) copy
       returning key
     ), found as (
       insert into jackson_index (key, "storeKey")
       select i.key, copies.key from copies, model join jackson_index i on i."storeKey" = model.key
     )
     select from copies`,
    { namespace: `dsync:${kind}:%`, field, value, count },
  );
  if (rowCount !== count - 1) throw new Error(`The ancestor has ${rowCount} copies instead of ${count - 1}.`);
  await db.raw('vacuum (analyze) jackson_store, jackson_index');
}

import type { Knex } from 'knex';
import type { RecomputeStore } from '../../directory/attributes/ports.ts';
import { exactDocumentWeight } from '../resources/pushed-column.ts';

/** Limits the memory of a batch, in bytes, as of the batches of a sync. A batch has at least one user. */
const maxBatchWeight = 8_388_608;

export const createRecomputeStore = (db: Knex): RecomputeStore => ({
  /** In the order of the keys. Users that are created meanwhile are computed when they are. */
  async nextUsers({ directoryId, recomputeId }, limit) {
    const { rows } = await db.raw<{ rows: { ids: string[] | null }[] }>(
      `select array(
         select cast(id as text) from (
           select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
           from (
             select u.id, ${exactDocumentWeight('u.', 'users')} as weight from users u
             where u.directory_id = :directoryId and (r.after is null or u.id > r.after) order by u.directory_id, u.id limit :limit
           ) next
         ) weighed where weight_before < :maxBatchWeight order by id
       ) as ids
       from attribute_recomputes r join directories d on d.id = r.directory_id
       where r.directory_id = :directoryId and r.id = :recomputeId and r.finished_at is null`,
      { directoryId, recomputeId, limit, maxBatchWeight },
    );
    return rows[0] && (rows[0].ids ?? []);
  },

  async mayWakeDelivery({ directoryId }) {
    return (await db('webhook_endpoints').where({ directory_id: directoryId, wake: true }).first('id')) !== undefined;
  },

  async noteProgress({ directoryId, recomputeId }, { after, users }) {
    await db.raw(
      `update attribute_recomputes set after = :after, done = done + :users, progressed_at = clock_timestamp()
       where directory_id = :directoryId and id = :recomputeId and (after is null or after < :after)`,
      { directoryId, recomputeId, after, users },
    );
  },

  async postpone({ directoryId, recomputeId }) {
    await db('attribute_recomputes')
      .where({ directory_id: directoryId, id: recomputeId, finished_at: null })
      .update({ progressed_at: db.raw('clock_timestamp()') });
  },

  async finish({ directoryId, recomputeId }) {
    await db('attribute_recomputes')
      .where({ directory_id: directoryId, id: recomputeId })
      .update({ finished_at: db.raw('clock_timestamp()') });
  },

  async findUnfinished(limit) {
    const { rows } = await db.raw<{ rows: { directory_id: string; id: string }[] }>(
      `select r.directory_id, r.id from attribute_recomputes r join directories d on d.id = r.directory_id
       where r.finished_at is null and r.progressed_at < now() - interval '30 seconds' order by r.progressed_at limit :limit`,
      { limit },
    );
    return rows.map((row) => ({ directoryId: row.directory_id, recomputeId: row.id }));
  },
});

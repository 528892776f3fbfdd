import type { Knex } from 'knex';
import type { RecomputeStore } from '../../directory/attributes/ports.ts';

export const createRecomputeStore = (db: Knex): RecomputeStore => ({
  /** In the order of the keys. Users that are created meanwhile are computed when they are. */
  async nextUsers({ directoryId, recomputeId }, limit) {
    const { rows } = await db.raw<{ rows: { ids: string[] | null }[] }>(
      `select array(
         select cast(u.id as text) from users u
         where u.directory_id = :directoryId and (r.after is null or u.id > r.after) order by u.directory_id, u.id limit :limit
       ) as ids
       from attribute_recomputes r join directories d on d.id = r.directory_id
       where r.directory_id = :directoryId and r.id = :recomputeId and r.finished_at is null`,
      { directoryId, recomputeId, limit },
    );
    return rows[0] && (rows[0].ids ?? []);
  },

  async noteProgress({ directoryId, recomputeId }, { after, users }) {
    await db.raw(
      `update attribute_recomputes set after = :after, done = done + :users, progressed_at = clock_timestamp()
       where directory_id = :directoryId and id = :recomputeId and (after is null or after < :after)`,
      { directoryId, recomputeId, after, users },
    );
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

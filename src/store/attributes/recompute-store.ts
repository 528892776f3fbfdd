import type { Knex } from 'knex';
import type { RecomputeStore } from '../../directory/attributes/ports.ts';
import { documentWeight } from '../resources/pushed-column.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/** Limits the memory of a batch, in bytes, as of the batches of a sync. A batch has at least one user. */
const maxBatchWeight = 8_388_608;

export const createRecomputeStore = (db: Knex): RecomputeStore => ({
  /** In the order of the keys. Users that are created meanwhile are computed when they are. */
  async nextUsers({ directoryId, recomputeId }, limit, { after = firstId } = {}) {
    const [row] = await runPrepared<{ noted: string[]; ids: string[] | null; is_busy: boolean }>(db, 'recompute-next', composeNext, {
      directoryId,
      recomputeId,
      limit,
      after,
      maxBatchWeight,
    });
    if (!row) return undefined;
    const isNoted = row.noted.length > 0;
    return { userIds: isNoted ? row.noted : (row.ids ?? []), isNoted, isBusy: row.is_busy };
  },

  async mayWakeDelivery({ directoryId }) {
    return (await db('webhook_endpoints').where({ directory_id: directoryId, wake: true }).first('id')) !== undefined;
  },

  async noteProgress({ directoryId, recomputeId }, { after, users }) {
    await db.raw(
      `update attribute_recomputes set ${after === undefined ? '' : 'after = :after, '}done = done + :users, progressed_at = clock_timestamp()
       where directory_id = :directoryId and id = :recomputeId ${after === undefined ? '' : 'and (after is null or after < :after)'}`,
      { directoryId, recomputeId, users, ...(after !== undefined && { after }) },
    );
  },

  async postpone({ directoryId, recomputeId }) {
    await db('attribute_recomputes')
      .where({ directory_id: directoryId, id: recomputeId, finished_at: null })
      .update({ progressed_at: db.raw('clock_timestamp()') });
  },

  /**
   * A change that notes users locks this row. So with the lock, a statement that begins now sees the users of all changes that have found the
   * recomputation unfinished; later ones find that it has ended, and begin it again.
   */
  finish: ({ directoryId, recomputeId }) =>
    db.transaction(async (trx) => {
      const locked = await trx('attribute_recomputes').where({ directory_id: directoryId, id: recomputeId }).forUpdate().first('id');
      if (locked && (await trx('users_to_recompute').where({ directory_id: directoryId }).first('user_id'))) return false;
      await trx('attribute_recomputes')
        .where({ directory_id: directoryId, id: recomputeId })
        .update({ finished_at: trx.raw('clock_timestamp()') });
      return true;
    }),

  async findUnfinished(limit) {
    const { rows } = await db.raw<{ rows: { directory_id: string; id: string }[] }>(
      `select r.directory_id, r.id from attribute_recomputes r join directories d on d.id = r.directory_id
       where r.finished_at is null and r.progressed_at < now() - interval '30 seconds' order by r.progressed_at limit :limit`,
      { limit },
    );
    return rows.map((row) => ({ directoryId: row.directory_id, recomputeId: row.id }));
  },
});

/** Of all directories. Recomputations leave fewer in a second, so changes of providers are among them. */
const maxRecentOutcomes = 200;
const firstId = '00000000-0000-0000-0000-000000000000';

/** SQL for the first of the users whose documents fit into a batch. `users` is a query of their IDs. */
const withinWeight = (users: string) => `
  select cast(id as text) from (
    select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
    from (
      select next.id, coalesce(${documentWeight('found', 'users')}, 0) as weight
      from (${users}) next left join users found on found.directory_id = :directoryId and found.id = next.id
    ) weighed
  ) so_far where weight_before < cast(:maxBatchWeight as float8) order by id`;

/**
 * Noted users also if they were deleted since, so that they are no longer noted. Each change keeps its outcome: so these show whether changes
 * arrive, in any process. A recomputation has no resource.
 */
const composeNext = () => `
  with noted as materialized (
    select array(${withinWeight(
      'select user_id as id from users_to_recompute where directory_id = :directoryId order by user_id limit cast(:limit as int)',
    )}) as ids
  )
  select noted.ids as noted,
    case when cardinality(noted.ids) = 0 then array(${withinWeight(
      `select id from users u where u.directory_id = :directoryId and u.id > greatest(r.after, cast(:after as uuid))
         order by u.directory_id, u.id limit cast(:limit as int)`,
    )}) end as ids,
    exists (
      select from (
        select id, outcome from mutations where applied_at > (select clock_timestamp() - interval '1 second') order by applied_at desc limit ${maxRecentOutcomes}
      ) recent where outcome ->> 'resourceId' <> cast(id as text)
    ) as is_busy
  from noted cross join attribute_recomputes r join directories d on d.id = r.directory_id
  where r.directory_id = :directoryId and r.id = cast(:recomputeId as uuid) and r.finished_at is null`;

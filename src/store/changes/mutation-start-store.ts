import type { Knex } from 'knex';
import type { Outcome } from '../../directory/changes/mutation.ts';
import { toOwnKey } from '../../directory/resources/resource-ids.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import type { MutationStartStore } from '../../directory/intake/mutation-starts.ts';

type Mutations = Parameters<MutationStartStore['conclude']>[0];

export function createMutationStartStore(db: Knex, emitOperatorEvent: EmitOperatorEvent): MutationStartStore {
  return {
    /**
     * A single statement, which does not wait for the disk: if Postgres crashes and loses the row, Temporal still knows that the mutations were
     * started. Rows in `ended` do not count, since the statement sees what it deletes.
     */
    async countFirstStart({ id, mutations, isNew }, ended) {
      const rows = await runPrepared(
        db,
        'count-first-start',
        () => `with ended as (delete from first_mutation_starts where id = any(cast(:ended as uuid[])))
          insert into first_mutation_starts (id, mutation_ids)
          select :id, cast(:ids as uuid[]) from set_config('synchronous_commit', 'off', true)
          where cast(:isNew as boolean) or not (
            exists (
              select from ${mutationIds} join mutation_starts s on s.directory_id = given.directory_id and s.id = given.id
            ) or exists (
              select from first_mutation_starts where mutation_ids && cast(:ids as uuid[]) and id <> all(cast(:ended as uuid[]))
            )
          )
          returning id`,
        { id, isNew, ended, ...toBindings(mutations) },
      );
      return rows.length > 0;
    },

    async endFirstStarts(ids) {
      await db.raw(`delete from first_mutation_starts where id = any(cast(:ids as uuid[]))`, { ids });
    },

    async countTimeouts(mutations) {
      await db.raw(
        `insert into mutation_starts (directory_id, id, starts) select directory_id, id, 1 from ${mutationIds}
         on conflict (directory_id, id) do update set starts = mutation_starts.starts + 1, started_at = clock_timestamp()`,
        toBindings(mutations),
      );
    },

    async countRetry({ directoryId, id }) {
      const { rows } = await db.raw<{ rows: [{ starts: number }] }>(
        `insert into mutation_starts (directory_id, id, starts) values (:directoryId, :id, 2)
         on conflict (directory_id, id) do update set starts = mutation_starts.starts + 1, started_at = clock_timestamp() returning starts`,
        { directoryId, id },
      );
      return rows[0].starts;
    },

    async conclude(mutations) {
      await db.raw(
        `delete from mutation_starts s using ${mutationIds} where s.directory_id = given.directory_id and s.id = given.id`,
        toBindings(mutations),
      );
    },

    async uncount(mutations) {
      await db.raw(
        `update mutation_starts s set starts = s.starts - 1 from ${mutationIds}
         where s.directory_id = given.directory_id and s.id = given.id and s.starts > 0`,
        toBindings(mutations),
      );
    },

    reject: (directoryId, outcome, reason) =>
      db.transaction(async (trx) => {
        const { mutationId: id } = outcome;
        const { rowCount } = await trx.raw<{ rowCount: number }>(
          `insert into mutations (directory_id, id, outcome, applied_at)
           select d.id, :id, cast(:outcome as jsonb), clock_timestamp() from directories d where d.id = :directoryId
           on conflict do nothing`,
          { directoryId, id, outcome: JSON.stringify(outcome) },
        );
        if (rowCount > 0) {
          await emitOperatorEvent(trx, 'dsync.mutation_rejected', directoryId, {
            mutation_id: id,
            resource_id: await findPublicId(trx, directoryId, outcome),
            reason,
          });
          return outcome;
        }
        const known = await trx('mutations').where({ directory_id: directoryId, id }).first<{ outcome: Outcome } | undefined>('outcome');
        return known?.outcome ?? outcome;
      }),
  };
}

/** The ID that callers know. Undefined for a Bulk request, and if the resource is gone. */
async function findPublicId(
  trx: Knex.Transaction,
  directoryId: string,
  { mutationId, resourceId: id }: Outcome,
): Promise<string | undefined> {
  if (id === mutationId) return undefined;
  const own = toOwnKey(id);
  if (own !== undefined) return own;
  const resources = ['users', 'groups'].map((table) => trx(table).where({ directory_id: directoryId, id }).select('public_id'));
  const [found] = (await trx.unionAll(resources)) as { public_id: string | null }[];
  return found?.public_id ?? undefined;
}

const mutationIds = `unnest(cast(:directoryIds as uuid[]), cast(:ids as uuid[])) as given (directory_id, id)`;

const toBindings = (mutations: Mutations) => ({
  directoryIds: mutations.map(({ directoryId }) => directoryId),
  ids: mutations.map(({ id }) => id),
});

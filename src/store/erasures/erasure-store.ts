import type { Knex } from 'knex';
import { serviceActor } from '../../audit/act.ts';
import type { ErasedCounts, ErasureProgress, ErasureStore, UserErasure } from '../../directory/erasure/ports.ts';
import { recordAct } from '../audit/record-act.ts';
import type { ErasureRow, StepName } from './erasure-row.ts';
import { dropPendingMembers } from './drop-pending-members.ts';
import {
  eraseDeliveries,
  eraseDocuments,
  eraseEvents,
  erasePendingMembers,
  type EraseStep,
  eraseRequests,
  waitForStaged,
} from './erase-steps.ts';
import { renewLane } from './renew-lane.ts';

/** Per directory: each erasure reads everything that the directory stores. */
const maxUnfinished = 100;
const keptAfterEnd = `interval '30 days'`;

/**
 * In execution order. Events lose their bodies before the delivery lane is renewed, so that no lane has an old body when the bodies of
 * deliveries are erased. Documents are deleted when no event contains them any more.
 */
const steps = {
  events: eraseEvents,
  pending: erasePendingMembers,
  lane: renewLane,
  deliveries: eraseDeliveries,
  documents: eraseDocuments,
  requests: eraseRequests,
  staged: waitForStaged,
} satisfies Record<Exclude<StepName, 'user' | 'end'>, EraseStep>;
/** Steps that lock the directory. They lock it before the erasure, in the same order as `request`, so that both cannot deadlock. */
const lockingSteps: ReadonlySet<StepName> = new Set(['pending', 'requests', 'staged']);
/** Steps that read everything that the directory stores. Only one erasure of a directory at a time runs them. */
const readingSteps = ['events', 'pending', 'lane', 'deliveries', 'documents', 'requests'] satisfies StepName[];
/** An erasure without progress for this long no longer blocks others. */
const stalledAfter = `interval '10 minutes'`;
const order = [...Object.keys(steps), 'end'] as StepName[];

export const createErasureStore = (db: Knex): ErasureStore => ({
  request: ({ id, directoryId, userId, publicId, requestedId, valueKeys, requestedBy }) =>
    db.transaction(async (trx) => {
      // Requests wait for each other, so that they cannot exceed the limit together.
      const directory = await trx('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');
      if (!directory) return 'directory_not_found';
      const key = { directory_id: directoryId, user_id: userId };
      const former = await trx<ErasureRow>('user_erasures').where(key).forUpdate().first();
      if (former?.finished_at === null) return toErasure(former);
      const { rows } = await trx.raw<{ rows: object[] }>(
        `select from user_erasures where directory_id = :directoryId and finished_at is null limit :maxUnfinished`,
        { directoryId, maxUnfinished },
      );
      if (rows.length >= maxUnfinished) return 'limit_reached';
      await trx('user_erasures').where(key).delete();
      const [row] = await trx('user_erasures')
        .insert({
          ...key,
          id,
          public_id: publicId,
          requested_id: requestedId ?? former?.requested_id ?? null,
          requested_by: JSON.stringify(requestedBy),
          step: 'user',
          value_keys: valueKeys,
        })
        .returning<ErasureRow[]>('*');
      await recordAct(trx, {
        action: 'user.erasure_requested',
        directory: { id: directoryId },
        targets: [{ type: 'user', id: publicId }],
        changes: { erasure_id: id },
      });
      return toErasure(row!);
    }),

  async get(directoryId, userId) {
    const row = await db<ErasureRow>('user_erasures').where({ directory_id: directoryId, user_id: userId }).first();
    return row && toErasure(row);
  },

  async findByRequestedId(directoryId, id) {
    const row = await db<ErasureRow>('user_erasures')
      .where({ directory_id: directoryId, requested_id: id })
      .orderBy('requested_at', 'desc')
      .first('user_id', 'public_id');
    return row && { userId: row.user_id, publicId: row.public_id };
  },

  async findUndeleted(directoryId, userId) {
    const row = await db<ErasureRow>('user_erasures').where({ directory_id: directoryId, user_id: userId, step: 'user' }).first('id');
    return row?.id;
  },

  markDeleted: (directoryId, userId, counts) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId })
        .forNoKeyUpdate()
        .first<{ last_sequence: number } | undefined>('last_sequence');
      const row = directory && (await lockErasure(trx, directoryId, userId));
      if (row?.step !== 'user') return;
      const pending = await dropPendingMembers(trx, directoryId, row.value_keys ?? []);
      await advance(trx, row, {
        step: order[0]!,
        counts: { ...counts, pending_members: pending },
        columns: { up_to_sequence: directory!.last_sequence, deleted_at: trx.raw('clock_timestamp()') },
      });
    }),

  eraseNextPart: (directoryId, userId) =>
    db.transaction(async (trx): Promise<ErasureProgress> => {
      const found = await trx<ErasureRow>('user_erasures')
        .where({ directory_id: directoryId, user_id: userId })
        .whereNull('finished_at')
        .first('step');
      if (found && lockingSteps.has(found.step)) await trx('directories').where({ id: directoryId }).forUpdate().first('id');
      const row = await lockErasure(trx, directoryId, userId);
      if (row && row.step !== found?.step) return 'more';
      // The deletion of a directory deletes everything.
      if (!row || row.step === 'user' || !(await trx('directories').where({ id: directoryId }).first('id'))) return 'done';
      if (row.step === 'end') {
        await finish(trx, row);
        return 'done';
      }
      if (await isOlderErasureReading(trx, row)) {
        await advance(trx, row, { step: row.step, columns: {} });
        return 'wait';
      }
      const { position, counts, waits, columns } = await steps[row.step](trx, row);
      const step = position === undefined && !waits ? order[order.indexOf(row.step) + 1]! : row.step;
      await advance(trx, row, {
        step,
        counts,
        columns: { ...columns, position: position === undefined ? null : JSON.stringify(position) },
      });
      return waits ? 'wait' : 'more';
    }),

  async findUnfinished(limit) {
    const { rows } = await db.raw<{ rows: Pick<ErasureRow, 'directory_id' | 'user_id' | 'id'>[] }>(
      `select e.directory_id, e.user_id, e.id from user_erasures e join directories d on d.id = e.directory_id
       where e.finished_at is null and e.progressed_at < now() - interval '30 seconds' order by e.progressed_at limit :limit`,
      { limit },
    );
    return rows.map((row) => ({ directoryId: row.directory_id, userId: row.user_id, erasureId: row.id }));
  },

  async dropFinished(limit) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from user_erasures where id in (
         select id from user_erasures where finished_at < now() - ${keptAfterEnd} order by finished_at limit :limit)`,
      { limit },
    );
    return rowCount;
  },
});

const lockErasure = (trx: Knex.Transaction, directoryId: string, userId: string): Promise<ErasureRow | undefined> =>
  trx<ErasureRow>('user_erasures').where({ directory_id: directoryId, user_id: userId }).whereNull('finished_at').forUpdate().first();

/** Whether an older erasure of the directory is in a reading step. IDs are ordered by time. */
async function isOlderErasureReading(trx: Knex.Transaction, { directory_id: directoryId, id, step }: ErasureRow): Promise<boolean> {
  if (!(readingSteps as StepName[]).includes(step)) return false;
  const { rows } = await trx.raw<{ rows: object[] }>(
    `select from user_erasures where directory_id = :directoryId and finished_at is null and id < :id and step = any(cast(:readingSteps as text[]))
       and progressed_at > now() - ${stalledAfter} limit 1`,
    { directoryId, id, readingSteps },
  );
  return rows.length > 0;
}

async function advance(
  trx: Knex.Transaction,
  row: ErasureRow,
  { step, counts = {}, columns }: { step: StepName; counts?: ErasedCounts | undefined; columns: object },
): Promise<void> {
  const added = Object.entries(counts).map(([kind, count]) => [kind, (row.counts[kind as keyof ErasedCounts] ?? 0) + count]);
  await trx('user_erasures')
    .where({ id: row.id })
    .update({
      step,
      counts: JSON.stringify({ ...row.counts, ...Object.fromEntries(added) }),
      progressed_at: trx.raw('clock_timestamp()'),
      ...columns,
    });
}

/** The actor of the certificate is the one who requested the erasure. */
async function finish(trx: Knex.Transaction, row: ErasureRow): Promise<void> {
  await trx('user_erasures')
    .where({ id: row.id })
    // A process of the previous release may have left the names.
    .update({ position: null, value_keys: null, finished_at: trx.raw('clock_timestamp()') });
  await recordAct(trx, {
    action: 'user.erased',
    actor: row.requested_by ?? serviceActor,
    directory: { id: row.directory_id },
    targets: [{ type: 'user', id: row.public_id }],
    changes: {
      erasure_id: row.id,
      requested_at: row.requested_at.toISOString(),
      ...Object.fromEntries(Object.entries(row.counts).map(([kind, count]) => [kind, count ?? 0])),
    },
  });
}

const toErasure = (row: ErasureRow): UserErasure => ({
  id: row.id,
  publicId: row.public_id,
  requestedAt: row.requested_at,
  finishedAt: row.finished_at ?? undefined,
  counts: row.counts,
});

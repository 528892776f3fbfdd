import type { Knex } from 'knex';
import type { RecomputeKey, RecomputeState } from '../../directory/attributes/ports.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';

/** Of the last recomputation of a directory, from `attribute_recomputes r`. */
export interface RecomputeRow {
  recompute_id: string | null;
  done: number;
  requested_at: Date;
  finished_at: Date | null;
}

export const recomputeColumns = 'r.id as recompute_id, r.done, r.requested_at, r.finished_at';

export const toRecomputeState = (row: RecomputeRow): RecomputeState | undefined =>
  row.recompute_id === null
    ? undefined
    : { id: row.recompute_id, done: row.done, requestedAt: row.requested_at, finishedAt: row.finished_at ?? undefined };

/** Of one request. */
const startedAtOnce = 50;

const lockNotAvailable = '55P03';
const isLocked = (error: unknown) => (error as { code?: unknown }).code === lockNotAvailable;
const inUse = (cause: unknown) =>
  new AppError(
    'unavailable',
    'The attributes of this product are in use by an import, a sync or another change. Nothing was changed; try again in a minute.',
    { cause },
  );

export async function changeRules<Result>(db: Knex, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction(work);
  } catch (error) {
    throw isLocked(error) ? inUse(error) : error;
  }
}

/**
 * In the transaction that changes what users follow from. The revision increases, so that no change is decided on what was read before: a user
 * that the recomputation has passed cannot get the old attributes. To an import that follows Polis that is no change.
 *
 * It waits only shortly for a directory, and holds none meanwhile: changes of all others would wait too.
 */
export async function requestRecomputes(
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

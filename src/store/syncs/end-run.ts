import type { Knex } from 'knex';
import type { SyncStore } from '../../directory/sync/ports.ts';
import type { SyncEnd } from '../../directory/sync/run.ts';
import { isSameJson } from '../../scim/json.ts';
import type { TellOperator } from '../operator-events.ts';

/** A run ends once: whoever comes second changes nothing. */
export async function endRun(db: Knex, directoryId: string, runId: string, { state, error }: SyncEnd): Promise<boolean> {
  const ended = await db('sync_runs')
    .where({ directory_id: directoryId, id: runId })
    .whereIn('state', ['queued', 'running'])
    .update({ state, error_code: error?.code ?? null, error: error?.message ?? null, notice: null, finished_at: db.fn.now() });
  return ended > 0;
}

/** For the person who looks on; what comes of the run takes it away again. */
export async function noteOnRun(db: Knex, directoryId: string, runId: string, notice: string | null): Promise<void> {
  await db('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running' }).update({ notice });
}

/** The operator is told of the first of several that would remove as much. */
export const endRunTelling =
  (db: Knex, tellOperator: TellOperator): SyncStore['end'] =>
  (directoryId, runId, end) =>
    db.transaction(async (trx) => {
      const isEnded = await endRun(trx, directoryId, runId, end);
      if (isEnded && end.tellsOperator)
        await tellOperator(trx, 'dsync.sync_failed', directoryId, { run_id: runId, reason: end.error?.message });
      if (!isEnded || end.state !== 'needs_confirmation') return;
      const before = await trx('sync_runs')
        .where({ directory_id: directoryId })
        .whereNot({ id: runId })
        .whereNotNull('finished_at')
        .orderBy('finished_at', 'desc')
        .first<{ state: string; removed: Record<string, number> } | undefined>('state', trx.raw(`planned->'removed' as removed`));
      const run = await trx('sync_runs')
        .where({ directory_id: directoryId, id: runId })
        .first<{ removed: Record<string, number> }>(trx.raw(`planned->'removed' as removed`));
      const isTold = before?.state === 'needs_confirmation' && isSameJson(before.removed, run?.removed);
      if (!isTold) await tellOperator(trx, 'dsync.confirmation_needed', directoryId, { run_id: runId, reason: end.error?.message });
    });

import type { Knex } from 'knex';
import type { SyncEnd } from '../../directory/sync/run.ts';

/** A run ends once: whoever comes second changes nothing. */
export async function endRun(db: Knex, directoryId: string, runId: string, { state, error }: SyncEnd): Promise<void> {
  await db('sync_runs')
    .where({ directory_id: directoryId, id: runId })
    .whereIn('state', ['queued', 'running'])
    .update({ state, error_code: error?.code ?? null, error: error?.message ?? null, notice: null, finished_at: db.fn.now() });
}

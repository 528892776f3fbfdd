import type { Knex } from 'knex';
import { pulledType } from '../../directory/directories/directory.ts';
import type { SyncStore } from '../../directory/sync/ports.ts';
import { keptRuns, type SyncEnd, type SyncTrigger } from '../../directory/sync/run.ts';
import { maxStepStarts } from '../../directory/sync/take-sync-step.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { endRun, insertSuccessor } from './end-run.ts';
import { isReady, type RunRow } from './run-rows.ts';

/** After this many processes in a row have abandoned a sync, it is not started again. */
const maxAbandoned = 3;

export const beginRun =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent): SyncStore['begin'] =>
  ({ directoryId, workflowRun }) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId, type: pulledType })
        .forNoKeyUpdate()
        .first<{ is_ready: boolean; google_authorization_version: number } | undefined>(
          'google_authorization_version',
          trx.raw(`(${isReady}) as is_ready`),
        );
      const active = await trx<RunRow>('sync_runs')
        .where({ directory_id: directoryId })
        .whereIn('state', ['queued', 'running'])
        .forUpdate()
        .first();
      if (!directory || !active) return undefined;
      // This activity committed before and died before it returned. A run with pages was abandoned by its workflow instead.
      if (active.state === 'running' && active.workflow_run === workflowRun && active.pages === 0) return active.id;
      // A run that a living process left does not count as abandoned.
      const isOwn = active.workflow_run?.split('/')[0] === workflowRun.split('/')[0];
      const abandonedTimes = active.left_behind + (active.state === 'running' && !isOwn ? 1 : 0);
      if (abandonedTimes >= maxAbandoned) {
        await abandon(trx, directoryId, active.id, abandoned);
        await emitOperatorEvent(trx, 'dsync.sync_failed', directoryId, { run_id: active.id, reason: abandoned.error.message });
        return undefined;
      }
      if (active.state === 'queued' && isAutomatic(active.trigger) && (await isAbandoned(trx, directoryId))) {
        await abandon(trx, directoryId, active.id, needsManualStart);
        return undefined;
      }
      if (active.state === 'running') await endRun(trx, directoryId, active.id, leftBehind);
      if (!directory.is_ready) {
        if (active.state === 'queued') await endRun(trx, directoryId, active.id, notReady);
        return undefined;
      }
      await dropOldRuns(trx, directoryId);
      const started = {
        state: 'running',
        workflow_run: workflowRun,
        authorization_version: directory.google_authorization_version,
        started_at: trx.fn.now(),
      };
      if (active.state === 'queued') {
        await trx('sync_runs').where({ directory_id: directoryId, id: active.id }).update(started);
        return active.id;
      }
      return insertSuccessor(trx, active, { left_behind: abandonedTimes, ...started });
    });

const isAutomatic = (trigger: SyncTrigger) => trigger === 'schedule' || trigger === 'cron';

/** Whether processes died during the last run. Its `starts` were not reset then. */
async function isAbandoned(trx: Knex.Transaction, directoryId: string): Promise<boolean> {
  const last = await trx<RunRow>('sync_runs')
    .where({ directory_id: directoryId })
    .whereNotIn('state', ['queued', 'running'])
    .orderBy('requested_at', 'desc')
    .first('starts');
  return last !== undefined && last.starts > maxStepStarts;
}

async function abandon(trx: Knex.Transaction, directoryId: string, id: string, end: SyncEnd): Promise<void> {
  await endRun(trx, directoryId, id, end);
  await trx('sync_runs')
    .where({ directory_id: directoryId, id })
    .update({ starts: maxStepStarts + 1 });
}

const leftBehind = {
  state: 'failed',
  error: { code: 'internal', message: 'Its workflow was terminated. Nothing is lost: the next run catches up.' },
} as const;

const abandoned = {
  state: 'failed',
  error: { code: 'internal', message: `The process ended unexpectedly each of the ${maxAbandoned} times that it worked on this sync.` },
} as const;

const needsManualStart = {
  state: 'failed',
  error: {
    code: 'internal',
    message: 'The process ended unexpectedly each time that it worked on an earlier sync. Start a sync by request when the cause is fixed.',
  },
} as const;

const notReady = {
  state: 'canceled',
  error: { code: 'deactivated', message: 'The directory was deactivated, or lost its authorization, before the sync began.' },
} as const;

const dropOldRuns = (trx: Knex.Transaction, directoryId: string) =>
  trx.raw(
    `delete from sync_runs where directory_id = :directoryId and id in (
       select id from sync_runs where directory_id = :directoryId and state not in ('queued', 'running')
       order by requested_at desc offset :keptRuns)`,
    { directoryId, keptRuns },
  );

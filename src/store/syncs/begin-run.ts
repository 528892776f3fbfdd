import type { Knex } from 'knex';
import { hostedType } from '../../directory/directory.ts';
import type { SyncStore } from '../../directory/sync/ports.ts';
import { keptRuns, type SyncEnd, type SyncTrigger } from '../../directory/sync/run.ts';
import { maxStepStarts } from '../../directory/sync/take-step.ts';
import type { TellOperator } from '../operator-events.ts';
import { endRun } from './end-run.ts';
import { insertSuccessor } from './insert-successor.ts';
import { isReady } from './is-ready.ts';
import type { RunRow } from './run-rows.ts';

/** What was left behind by so many processes, one after the other, is not begun again. */
const maxLeftBehind = 3;

export const beginRun =
  (db: Knex, tellOperator: TellOperator): SyncStore['begin'] =>
  ({ directoryId, workflowRun }) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId, type: hostedType })
        .forNoKeyUpdate()
        .first<{ is_ready: boolean; google_grant: number } | undefined>('google_grant', trx.raw(`(${isReady}) as is_ready`));
      const active = await trx<RunRow>('sync_runs')
        .where({ directory_id: directoryId })
        .whereIn('state', ['queued', 'running'])
        .forUpdate()
        .first();
      if (!directory || !active) return undefined;
      // This very activity died on its way back. One that has come further was given up on by its workflow.
      if (active.state === 'running' && active.workflow_run === workflowRun && active.pages === 0) return active.id;
      // What a living process left behind itself is no death.
      const isOwn = active.workflow_run?.split('/')[0] === workflowRun.split('/')[0];
      const leftBehindTimes = active.left_behind + (active.state === 'running' && !isOwn ? 1 : 0);
      if (leftBehindTimes >= maxLeftBehind) {
        await abandon(trx, directoryId, active.id, abandoned);
        await tellOperator(trx, 'dsync.sync_failed', directoryId, { run_id: active.id, reason: abandoned.error.message });
        return undefined;
      }
      if (active.state === 'queued' && isAutomatic(active.trigger) && (await isAbandoned(trx, directoryId))) {
        await abandon(trx, directoryId, active.id, waitsForPerson);
        return undefined;
      }
      if (active.state === 'running') await endRun(trx, directoryId, active.id, leftBehind);
      if (!directory.is_ready) {
        if (active.state === 'queued') await endRun(trx, directoryId, active.id, notReady);
        return undefined;
      }
      await dropOldRuns(trx, directoryId);
      const started = { state: 'running', workflow_run: workflowRun, google_grant: directory.google_grant, started_at: trx.fn.now() };
      if (active.state === 'queued') {
        await trx('sync_runs').where({ directory_id: directoryId, id: active.id }).update(started);
        return active.id;
      }
      return insertSuccessor(trx, active, { left_behind: leftBehindTimes, ...started });
    });

const isAutomatic = (trigger: SyncTrigger) => trigger === 'schedule' || trigger === 'cron';

/** Whether processes died over the last run. Its count of starts says so, since nothing has set it back. */
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
  error: { code: 'internal', message: 'Its workflow was ended from outside. Nothing is lost: the next run makes up for it.' },
} as const;

const abandoned = {
  state: 'failed',
  error: { code: 'internal', message: `The process ended unexpectedly each of the ${maxLeftBehind} times that it worked on this sync.` },
} as const;

const waitsForPerson = {
  state: 'failed',
  error: {
    code: 'internal',
    message: 'The process ended unexpectedly each time that it worked on an earlier sync. Start a sync by request when the cause is fixed.',
  },
} as const;

const notReady = {
  state: 'canceled',
  error: { code: 'deactivated', message: 'The directory was deactivated, or lost its authorisation, before it began.' },
} as const;

const dropOldRuns = (trx: Knex.Transaction, directoryId: string) =>
  trx.raw(
    `delete from sync_runs where directory_id = :directoryId and id in (
       select id from sync_runs where directory_id = :directoryId and state not in ('queued', 'running')
       order by requested_at desc offset :keptRuns)`,
    { directoryId, keptRuns },
  );

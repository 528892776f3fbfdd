import type { Knex } from 'knex';
import { hostedType } from '../../directory/directory.ts';
import type { SyncStore } from '../../directory/sync/ports.ts';
import { keptRuns } from '../../directory/sync/run.ts';
import { newId } from '../../ids.ts';
import { endRun } from './end-run.ts';
import { isReady } from './is-ready.ts';
import type { RunRow } from './run-rows.ts';

export const beginRun =
  (db: Knex): SyncStore['begin'] =>
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
      const { trigger, confirms } = active;
      const id = newId();
      await trx('sync_runs').insert({ id, directory_id: directoryId, trigger, confirms, ...started });
      return id;
    });

const leftBehind = {
  state: 'failed',
  error: { code: 'internal', message: 'Its workflow was ended from outside. Nothing is lost: the next run makes up for it.' },
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

import type { Knex } from 'knex';
import { type PulledType, pulledTypes, scheduledTypes } from '../../directory/directories/directory.ts';
import type { SyncRunStore } from '../../directory/sync/ports.ts';
import { AppError } from '../../errors.ts';
import { nothingToConfirm } from '../../directory/sync/sync-run.ts';
import { recordAct } from '../audit/record-act.ts';
import { newId } from '../../ids.ts';
import { endRunQuietly, refuseRun, setNotice } from './end-run.ts';
import { isNotFollowed, isReady, toRun, type RunRow } from './run-rows.ts';
import { mapPage, toContinuedPage } from '../../directory/page.ts';
import { ofMicroseconds, toMicroseconds } from '../sql/microseconds.ts';

export const createSyncRunStore = (db: Knex): SyncRunStore => ({
  /** Does not wait for the lock that a run holds on its row while it compares. */
  request: ({ id, directoryId, trigger, confirms }) =>
    db.transaction(async (trx) => {
      // Otherwise it could be refused meanwhile.
      if (confirms !== undefined && !(await lockWaiting(trx, directoryId, confirms)))
        throw new AppError('invalid_request', nothingToConfirm, { field: 'confirm' });
      const { rows } = await trx.raw<{ rows: RunRow[] }>(
        `insert into sync_runs (directory_id, id, state, trigger, confirms)
         select id, :id, 'queued', :trigger, :confirms from directories where id = :directoryId and type = any(cast(:pulledTypes as text[]))
         on conflict (directory_id) where state in ('queued', 'running') do nothing returning *`,
        { id, directoryId, trigger, confirms: confirms ?? null, pulledTypes },
      );
      if (rows[0]) {
        // Scheduled runs are no administrative acts.
        if (trigger === 'request')
          await recordAct(trx, {
            action: confirms === undefined ? 'sync.started' : 'sync.confirmed',
            directory: { id: directoryId },
            targets: [{ type: 'sync_run', id }],
            ...(confirms !== undefined && { changes: { confirms } }),
          });
        return { run: toRun(rows[0]), isNew: true };
      }
      const newest = await trx<RunRow>('sync_runs').where({ directory_id: directoryId }).orderBy('requested_at', 'desc').first();
      return newest && { run: toRun(newest), isNew: false };
    }),

  async get(directoryId, runId) {
    const row = await db<RunRow>('sync_runs').where({ directory_id: directoryId, id: runId }).first();
    return row && toRun(row);
  },

  async list(directoryId, page) {
    const runs = db('sync_runs')
      .where({ directory_id: directoryId })
      .orderBy('requested_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit + 1)
      .select<(RunRow & { at: number })[]>('*', db.raw(`${toMicroseconds('requested_at')} as at`));
    const rows = await ('after' in page
      ? runs.whereRaw(`(requested_at, id) < (${ofMicroseconds(':at')}, cast(:id as uuid))`, { ...page.after })
      : runs.offset(page.offset));
    return mapPage(
      toContinuedPage(rows, page.limit, ({ at, id }) => ({ at, id })),
      toRun,
    );
  },

  requestAll: (type) =>
    db.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: { directory_id: string; id: string; is_new: boolean }[] }>(
        `with ready as (select id from directories where type = :type and ${isReady} and ${isNotFollowed}),
         requested as (
           insert into sync_runs (directory_id, id, state, trigger) select id, gen_random_uuid(), 'queued', 'cron' from ready
           on conflict (directory_id) where state in ('queued', 'running') do nothing returning directory_id, id
         )
         select directory_id, id, true as is_new from requested
         union all
         select r.directory_id, r.id, false from ready join sync_runs r on r.directory_id = ready.id and r.state in ('queued', 'running')
         order by directory_id`,
        { type },
      );
      const runs = rows.filter((row) => row.is_new).length;
      // Schedules call this all the time: one entry for a call that starts something.
      if (runs > 0) await recordAct(trx, { action: 'sync.started', changes: { type, runs } });
      return rows.map((row) => ({ directoryId: row.directory_id, runId: row.id, isNew: row.is_new }));
    }),

  async requestScheduled(directoryId) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `insert into sync_runs (directory_id, id, state, trigger)
       select id, :id, 'queued', 'schedule' from directories where id = :directoryId and type = any(cast(:scheduledTypes as text[])) and ${isReady} and ${isNotFollowed}
       on conflict (directory_id) where state in ('queued', 'running') do nothing`,
      { directoryId, id: newId(), scheduledTypes: [...scheduledTypes] },
    );
    return rowCount > 0;
  },

  async findForgotten(limit) {
    const { rows } = await db.raw<{ rows: { directory_id: string }[] }>(
      `update sync_runs set checked_at = now() where (directory_id, id) in (
         select directory_id, id from sync_runs
         where state = 'queued' and coalesce(checked_at, requested_at) < now() - interval '30 seconds'
         order by requested_at limit :limit for update skip locked)
       returning directory_id`,
      { limit },
    );
    return rows.map((row) => row.directory_id);
  },

  /** Does not wait for the lock of the run, which holds it while it compares. */
  recordCancellation: (directoryId, runId) =>
    recordAct(db, { action: 'sync.canceled', directory: { id: directoryId }, targets: [{ type: 'sync_run', id: runId }] }),

  refuse: refuseRun(db),

  notice: (directoryId, runId, notice) => setNotice(db, directoryId, runId, notice),

  end: endRunQuietly(db),
});

const lockWaiting = (trx: Knex.Transaction, directoryId: string, runId: string) =>
  trx('sync_runs').where({ directory_id: directoryId, id: runId, state: 'needs_confirmation' }).forShare().first('id');

/** Lists directories that are read at intervals in the order of their IDs. */
export const listScheduledDirectories = (db: Knex) => (after: string, limit: number) =>
  db('directories')
    .whereRaw('type = any(cast(:scheduledTypes as text[]))', { scheduledTypes: [...scheduledTypes] })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select<{ id: string; type: PulledType; deactivated: boolean }[]>('id', 'type', 'deactivated');

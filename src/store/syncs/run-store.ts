import type { Knex } from 'knex';
import { hostedType } from '../../directory/directory.ts';
import type { SyncRunStore } from '../../directory/sync/ports.ts';
import { newId } from '../../ids.ts';
import { endRun } from './end-run.ts';
import { isReady } from './is-ready.ts';
import { toRun, type RunRow } from './run-rows.ts';

export const createSyncRunStore = (db: Knex): SyncRunStore => ({
  request: ({ id, directoryId, trigger, confirms }) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId, type: hostedType })
        .forNoKeyUpdate()
        .first<{ id: string } | undefined>('id');
      if (!directory) return undefined;
      const active = await trx<RunRow>('sync_runs')
        .where({ directory_id: directoryId })
        .whereIn('state', ['queued', 'running'])
        .forUpdate()
        .first();
      if (active) return { run: toRun(active), isNew: false };
      const [run] = await trx<RunRow>('sync_runs')
        .insert({ id, directory_id: directoryId, state: 'queued', trigger, confirms: confirms ?? null })
        .returning('*');
      return { run: toRun(run!), isNew: true };
    }),

  async get(directoryId, runId) {
    const row = await db<RunRow>('sync_runs').where({ directory_id: directoryId, id: runId }).first();
    return row && toRun(row);
  },

  async list(directoryId, { offset, limit }) {
    const rows = await db<RunRow>('sync_runs')
      .where({ directory_id: directoryId })
      .orderBy('requested_at', 'desc')
      .orderBy('id', 'desc')
      .offset(offset)
      .limit(limit);
    return rows.map(toRun);
  },

  async requestAll() {
    const { rows } = await db.raw<{ rows: { directory_id: string; id: string; is_new: boolean }[] }>(
      `with ready as (select id from directories where type = :hostedType and ${isReady}),
       asked as (
         insert into sync_runs (directory_id, id, state, trigger) select id, gen_random_uuid(), 'queued', 'cron' from ready
         on conflict (directory_id) where state in ('queued', 'running') do nothing returning directory_id, id
       )
       select directory_id, id, true as is_new from asked
       union all
       select r.directory_id, r.id, false from ready join sync_runs r on r.directory_id = ready.id and r.state in ('queued', 'running')
       order by directory_id`,
      { hostedType },
    );
    return rows.map((row) => ({ directoryId: row.directory_id, runId: row.id, isNew: row.is_new }));
  },

  async requestScheduled(directoryId) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `insert into sync_runs (directory_id, id, state, trigger)
       select id, :id, 'queued', 'schedule' from directories where id = :directoryId and type = :hostedType and ${isReady}
       on conflict (directory_id) where state in ('queued', 'running') do nothing`,
      { directoryId, id: newId(), hostedType },
    );
    return rowCount > 0;
  },

  async findForgotten(limit) {
    const rows = await db('sync_runs')
      .where({ state: 'queued' })
      .whereRaw(`requested_at < now() - interval '30 seconds'`)
      .orderBy('requested_at')
      .limit(limit)
      .select<{ directory_id: string }[]>('directory_id');
    return rows.map(({ directory_id: directoryId }) => directoryId);
  },

  async end(directoryId, runId, end) {
    await endRun(db, directoryId, runId, end);
  },
});

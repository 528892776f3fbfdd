import type { Knex } from 'knex';
import type { SyncStore } from '../../directory/sync/ports.ts';
import { newId } from '../../ids.ts';
import { endRun } from './end-run.ts';
import type { RunRow } from './run-rows.ts';

/** Another run takes its place, from the beginning. */
export const replaceRun =
  (db: Knex): SyncStore['replace'] =>
  (directoryId, runId) =>
    db.transaction(async (trx) => {
      const run = await trx<RunRow>('sync_runs').where({ directory_id: directoryId, id: runId }).forUpdate().first();
      if (!run || !(await endRun(trx, directoryId, runId, replaced))) return;
      const { trigger, confirms } = run;
      const requestedAt = trx.raw('clock_timestamp()');
      await trx('sync_runs').insert({
        id: newId(),
        directory_id: directoryId,
        state: 'queued',
        requested_at: requestedAt,
        trigger,
        confirms,
      });
    });

const replaced = {
  state: 'canceled',
  error: {
    code: 'replaced',
    message:
      'The directory was authorised anew, or its options were changed, while it was read. Nothing was changed; another run takes its place.',
  },
} as const;

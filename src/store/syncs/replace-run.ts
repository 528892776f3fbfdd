import type { Knex } from 'knex';
import type { SyncStore } from '../../directory/sync/ports.ts';
import { endRun } from './end-run.ts';
import { insertSuccessor } from './insert-successor.ts';
import type { RunRow } from './run-rows.ts';

/** Another run takes its place, from the beginning. */
export const replaceRun =
  (db: Knex): SyncStore['replace'] =>
  (directoryId, runId) =>
    db.transaction(async (trx) => {
      const run = await trx<RunRow>('sync_runs').where({ directory_id: directoryId, id: runId }).forUpdate().first();
      if (!run || !(await endRun(trx, directoryId, runId, replaced))) return;
      await insertSuccessor(trx, run, { state: 'queued' });
    });

const replaced = {
  state: 'canceled',
  error: {
    code: 'replaced',
    message:
      'The directory was authorised anew, or its options were changed, while it was read. Nothing was changed; another run takes its place.',
  },
} as const;

import type { Knex } from 'knex';
import type { SyncEnd } from '../../directory/sync/sync-run.ts';
import { newId } from '../../ids.ts';

/** The files of a run are no longer needed. Files that have come since stay. */
export const finishSet = (trx: Knex.Transaction, directoryId: string, runId: string) =>
  trx.raw(
    `with finished as (
       update directories d set provider_upload = null from sync_runs r, directories before
       where d.id = :directoryId and before.id = d.id and r.directory_id = d.id and r.id = :runId
         and d.provider_upload is not null and r.authorization_version = d.google_authorization_version
       returning d.id, before.provider_upload as set_id
     )
     update file_sets s set state = 'done' from finished where s.directory_id = finished.id and s.id = finished.set_id`,
    { directoryId, runId },
  );

/**
 * After a run of a directory of files: what it has read is no longer needed if it succeeded, or was a dry run. Files that came while it ran
 * are read by another run.
 */
export async function settleSet(trx: Knex.Transaction, directoryId: string, runId: string, { state, error }: SyncEnd): Promise<void> {
  if (state === 'succeeded' || error?.code === 'dry_run') await finishSet(trx, directoryId, runId);
  await trx.raw(
    `insert into sync_runs (directory_id, id, state, trigger, requested_at)
     select d.id, :id, 'queued', 'upload', clock_timestamp() from directories d join sync_runs r on r.directory_id = d.id and r.id = :runId
     where d.id = :directoryId and d.provider_upload is not null and r.authorization_version <> d.google_authorization_version
     on conflict (directory_id) where state in ('queued', 'running') do nothing`,
    { directoryId, runId, id: newId() },
  );
}

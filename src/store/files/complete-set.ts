import type { Knex } from 'knex';
import type { FileKind, FileStore } from '../../directory/files/ports.ts';
import { directoryNotFound } from '../../directory/errors.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { recordAct } from '../audit/record-act.ts';

interface LockedDirectory {
  type: string;
  deactivated: boolean;
  group_count: number;
}

/** What changes the sets of a directory waits for each other. */
async function lockDirectory(trx: Knex.Transaction, directoryId: string): Promise<LockedDirectory> {
  const directory = await trx('directories')
    .where({ id: directoryId, type: 'csv' })
    .forNoKeyUpdate()
    .first<LockedDirectory | undefined>('type', 'deactivated', 'group_count');
  if (!directory) throw directoryNotFound();
  if (directory.deactivated) throw new AppError('invalid_request', 'This directory is deactivated: activate it first.');
  return directory;
}

export const keepOpen =
  (db: Knex): FileStore['keepOpen'] =>
  (directoryId, files) =>
    db.transaction(async (trx) => {
      await lockDirectory(trx, directoryId);
      const open = await trx('file_sets').where({ directory_id: directoryId, state: 'open' }).first<{ id: string } | undefined>('id');
      const setId = open?.id ?? newId();
      if (!open) await trx('file_sets').insert({ directory_id: directoryId, id: setId, state: 'open' });
      await trx('uploaded_files')
        .where({ directory_id: directoryId, set_id: setId })
        .whereIn('kind', Object.keys(files))
        .update({ state: 'void', set_id: null });
      await attach(trx, directoryId, setId, Object.values(files));
    });

/** The set, the run that reads it and the audit entry are committed together, so whoever is told of the set can rely on the run. */
export const completeSet =
  (db: Knex): FileStore['complete'] =>
  (directoryId, { id, runId, files, isDryRun }) =>
    db.transaction(async (trx) => {
      const directory = await lockDirectory(trx, directoryId);
      let active = await findActive(trx, directoryId);
      if (
        files.groups === undefined &&
        (directory.group_count > 0 || (active?.groups_seen ?? 0) > 0 || (await groupsWait(trx, directoryId)))
      )
        throw new AppError(
          'invalid_request',
          'This directory has groups: send groups.csv and user_groups.csv too. To remove all groups, send them with their first lines only.',
        );
      await trx('file_sets').where({ directory_id: directoryId }).whereIn('state', ['waiting']).update({ state: 'done' });
      await trx('file_sets').insert({ directory_id: directoryId, id, state: 'waiting', is_dry_run: isDryRun });
      await attach(trx, directoryId, id, Object.values(files));
      await trx('file_sets').where({ directory_id: directoryId, state: 'open' }).update({ state: 'done' });
      await selectSet(trx, directoryId, id, isDryRun);
      // Somebody may request a run at this moment, without the lock of the directory.
      const isNew = !active && (await queueRun(trx, directoryId, runId));
      if (!isNew) active ??= await findActive(trx, directoryId);
      if (isDryRun && active)
        throw new AppError('invalid_request', `Run ${active.id} is in progress: wait until it ends, and then start the dry run.`);
      const reads = active ? (active.state === 'queued' ? active.id : undefined) : runId;
      const counts = await countRows(trx, directoryId, id);
      await recordAct(trx, {
        action: 'directory.files_uploaded',
        directory: { id: directoryId },
        ...(reads !== undefined && { targets: [{ type: 'sync_run', id: reads }] }),
        changes: { users: counts.users, groups: counts.groups, memberships: counts.members, dry_run: isDryRun },
      });
      return { runId: reads, counts };
    });

interface ActiveRun {
  id: string;
  state: string;
  groups_seen: number;
}

const findActive = (trx: Knex.Transaction, directoryId: string): Promise<ActiveRun | undefined> =>
  trx('sync_runs')
    .where({ directory_id: directoryId })
    .whereIn('state', ['queued', 'running'])
    .first<ActiveRun | undefined>('id', 'state', 'groups_seen');

async function queueRun(trx: Knex.Transaction, directoryId: string, runId: string): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into sync_runs (directory_id, id, state, trigger) values (:directoryId, :runId, 'queued', 'upload')
     on conflict (directory_id) where state in ('queued', 'running') do nothing`,
    { directoryId, runId },
  );
  return rowCount > 0;
}

/** Whether files that no run has applied yet would give the directory groups. */
async function groupsWait(trx: Knex.Transaction, directoryId: string): Promise<boolean> {
  const found = await trx('uploaded_files as f')
    .join('file_sets as s', (on) => void on.on('s.directory_id', 'f.directory_id').on('s.id', 'f.set_id'))
    .where({ 'f.directory_id': directoryId, 'f.kind': 'groups', 's.state': 'waiting', 's.is_dry_run': false })
    .where('f.row_count', '>', 0)
    .first<{ id: string } | undefined>('f.id');
  return found !== undefined;
}

/**
 * Lets the next run read the set. A run that has read a part of other files is replaced: its authorization version is another one. A set
 * that took longer than a newer one, in another process, must not undo that one.
 */
async function selectSet(trx: Knex.Transaction, directoryId: string, setId: string, isDryRun: boolean): Promise<void> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update directories d set provider_upload = :setId, google_authorization_version = d.google_authorization_version + 1,
       files_begun_at = case when cast(:isDryRun as boolean) then d.files_begun_at else f.begun_at end
     from (select min(created_at) as begun_at from uploaded_files where directory_id = :directoryId and set_id = :setId) f
     where d.id = :directoryId and (cast(:isDryRun as boolean) or coalesce(d.files_begun_at <= f.begun_at, true))`,
    { directoryId, setId, isDryRun },
  );
  if (rowCount === 0)
    throw new AppError('invalid_request', 'Newer files of this directory were uploaded while these arrived. Nothing was changed.');
}

/** Files of a set that is complete belong to it: their rows may be read, or deleted. */
async function attach(trx: Knex.Transaction, directoryId: string, setId: string, files: string[]): Promise<void> {
  const attached = await trx('uploaded_files')
    .where({ directory_id: directoryId, state: 'received' })
    .whereIn('id', files)
    .whereRaw(
      `(set_id is null or exists (
         select from file_sets s where s.directory_id = uploaded_files.directory_id and s.id = uploaded_files.set_id and s.state = 'open'))`,
    )
    .update({ set_id: setId });
  // Another request has completed or replaced them.
  if (attached !== files.length)
    throw new AppError(
      'invalid_request',
      'Another upload has used or replaced a file of this set. Nothing was changed: send the files again.',
    );
}

async function countRows(trx: Knex.Transaction, directoryId: string, setId: string): Promise<Record<FileKind, number>> {
  const rows = await trx('uploaded_files')
    .where({ directory_id: directoryId, set_id: setId })
    .select<{ kind: FileKind; row_count: number }[]>('kind', 'row_count');
  return { users: 0, groups: 0, members: 0, ...Object.fromEntries(rows.map((row) => [row.kind, row.row_count])) };
}

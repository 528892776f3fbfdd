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
      if (files.groups === undefined && directory.group_count > 0)
        throw new AppError(
          'invalid_request',
          'This directory has groups: send groups.csv and user_groups.csv too. To remove all groups, send them with their first lines only.',
        );
      const active = await trx('sync_runs')
        .where({ directory_id: directoryId })
        .whereIn('state', ['queued', 'running'])
        .first<{ id: string; state: string } | undefined>('id', 'state');
      if (isDryRun && active)
        throw new AppError('invalid_request', `Run ${active.id} is in progress: wait until it ends, and then start the dry run.`);
      await trx('file_sets').where({ directory_id: directoryId }).whereIn('state', ['waiting']).update({ state: 'done' });
      await trx('file_sets').insert({ directory_id: directoryId, id, state: 'waiting', is_dry_run: isDryRun });
      await attach(trx, directoryId, id, Object.values(files));
      await trx('file_sets').where({ directory_id: directoryId, state: 'open' }).update({ state: 'done' });
      // A run that has read a part of other files is replaced: its authorization version is another one.
      await trx('directories')
        .where({ id: directoryId })
        .update({ provider_upload: id, google_authorization_version: trx.raw('google_authorization_version + 1') });
      if (!active) await trx('sync_runs').insert({ directory_id: directoryId, id: runId, state: 'queued', trigger: 'upload' });
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

async function attach(trx: Knex.Transaction, directoryId: string, setId: string, files: string[]): Promise<void> {
  const attached = await trx('uploaded_files')
    .where({ directory_id: directoryId, state: 'received' })
    .whereIn('id', files)
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

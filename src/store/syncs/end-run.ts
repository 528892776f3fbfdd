import type { Knex } from 'knex';
import type { SyncRunStore, SyncStore } from '../../directory/sync/ports.ts';
import { refusedEnd, type SyncEnd } from '../../directory/sync/sync-run.ts';
import { newId } from '../../ids.ts';
import { isSameJson } from '../../scim/json.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { finishSet, settleSet } from '../files/settle-set.ts';
import { advanceLinks } from './provider-links.ts';
import { recordAct } from '../audit/record-act.ts';
import { toRun, type RunRow } from './run-rows.ts';

/** Ends a run. Returns false, without changes, if the run has ended already. */
export async function endRun(db: Knex, directoryId: string, runId: string, { state, error }: SyncEnd): Promise<boolean> {
  const ended = await db('sync_runs')
    .where({ directory_id: directoryId, id: runId })
    .whereIn('state', ['queued', 'running'])
    .update({ state, error_code: error?.code ?? null, error: error?.message ?? null, notice: null, finished_at: db.fn.now() });
  return ended > 0;
}

/** Files are completed under this lock too, so that either they or the end of the run queue another run. Runs are locked after it. */
const lockDirectory = (trx: Knex.Transaction, directoryId: string) =>
  trx('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');

/** Ends a run without telling anybody. */
export const endRunQuietly =
  (db: Knex): SyncRunStore['end'] =>
  (directoryId, runId, end) =>
    db.transaction(async (trx) => {
      await lockDirectory(trx, directoryId);
      if (await endRun(trx, directoryId, runId, end)) await settleSet(trx, directoryId, runId, end);
    });

/** A run that confirms another one locks it when it is requested. So either this sees the confirming run, or that one sees the refusal. */
export const refuseRun =
  (db: Knex): SyncRunStore['refuse'] =>
  (directoryId, runId) =>
    db.transaction(async (trx) => {
      await lockDirectory(trx, directoryId);
      const asked = trx('sync_runs').where({ directory_id: directoryId, id: runId }).select('requested_at');
      const waiting = await trx('sync_runs')
        .where({ directory_id: directoryId, state: 'needs_confirmation' })
        .where('requested_at', '<=', asked)
        .whereNotExists((later) =>
          // What a later run has applied was not refused.
          later
            .from('sync_runs as done')
            .where({ 'done.directory_id': directoryId, 'done.state': 'succeeded' })
            .whereRaw('done.requested_at > sync_runs.requested_at'),
        )
        .forUpdate()
        .pluck<string[]>('id');
      const later = await trx<RunRow>('sync_runs')
        .where({ directory_id: directoryId })
        .where('requested_at', '>', asked)
        .whereRaw(
          // Any run of a directory of files reads those of the run that waits.
          `(state in ('succeeded', 'needs_confirmation') or state in ('queued', 'running')
            and (confirms = any(:waiting) or exists (select from directories where id = :directoryId and type = 'csv')))`,
          { directoryId, waiting },
        )
        .orderBy('requested_at', 'desc')
        .first();
      if (later) return toRun(later);
      const { state, error } = refusedEnd;
      const refused = await trx('sync_runs')
        .where({ directory_id: directoryId })
        .whereIn('id', waiting)
        .update({ state, error_code: error.code, error: error.message });
      if (refused === 0) return undefined;
      await recordAct(trx, {
        action: 'sync.canceled',
        directory: { id: directoryId },
        targets: waiting.map((id) => ({ type: 'sync_run', id })),
      });
      await finishSet(trx, directoryId, runId);
      return undefined;
    });

/** Shows a notice on a running run. Progress and the end of the run remove it. */
export async function setNotice(db: Knex, directoryId: string, runId: string, notice: string | null): Promise<void> {
  await db('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running' }).update({ notice });
}

/** Ends a run and emits operator events. Several runs in a row that would remove the same amount emit only one. */
export const endRunAndNotify =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent): SyncStore['end'] =>
  (directoryId, runId, end) =>
    db.transaction(async (trx) => {
      await lockDirectory(trx, directoryId);
      const isEnded = await endRun(trx, directoryId, runId, end);
      if (isEnded && end.emitsSyncFailed)
        await emitOperatorEvent(trx, 'dsync.sync_failed', directoryId, { run_id: runId, reason: end.error?.message });
      if (isEnded && end.state === 'succeeded') await continueAfterSuccess(trx, directoryId, runId);
      if (isEnded) await settleSet(trx, directoryId, runId, end);
      if (!isEnded || end.state !== 'needs_confirmation') return;
      const before = await trx('sync_runs')
        .where({ directory_id: directoryId })
        .whereNot({ id: runId })
        .whereNotNull('finished_at')
        .orderBy('finished_at', 'desc')
        .first<{ state: string; removed: Record<string, number> } | undefined>('state', trx.raw(`planned->'removed' as removed`));
      const run = await trx('sync_runs')
        .where({ directory_id: directoryId, id: runId })
        .first<{ removed: Record<string, number> }>(trx.raw(`planned->'removed' as removed`));
      const isNotified = before?.state === 'needs_confirmation' && isSameJson(before.removed, run?.removed);
      if (isNotified) return;
      const about = { run_id: runId, reason: end.error?.message };
      await emitOperatorEvent(trx, 'dsync.sync.needs_confirmation', directoryId, about);
      await emitOperatorEvent(trx, 'dsync.confirmation_needed', directoryId, about);
    });

/** Moves the links, so that the next run continues after this one. Queues a full comparison if one is due. */
async function continueAfterSuccess(trx: Knex.Transaction, directoryId: string, runId: string): Promise<void> {
  if (!(await advanceLinks(trx, directoryId, runId))) return;
  await trx.raw(
    `insert into sync_runs (directory_id, id, state, trigger, mode, requested_at)
     select directory_id, :id, 'queued', trigger, 'full', clock_timestamp() from sync_runs where directory_id = :directoryId and id = :runId
     on conflict (directory_id) where state in ('queued', 'running') do nothing`,
    { directoryId, runId, id: newId() },
  );
}

/**
 * Inserts a run that replaces another one. `clock_timestamp()` makes it the newer one even if this
 * transaction began before the other run was requested.
 */
export async function insertSuccessor(
  trx: Knex.Transaction,
  { directory_id, trigger, confirms }: RunRow,
  columns: Record<string, unknown>,
): Promise<string> {
  const id = newId();
  await trx('sync_runs').insert({ id, directory_id, trigger, confirms, requested_at: trx.raw('clock_timestamp()'), ...columns });
  return id;
}

/** Cancels a run and queues a new one in its place. */
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
      'The directory was authorized again, or its options were changed, during the sync. Nothing was changed; another run replaces this one.',
  },
} as const;

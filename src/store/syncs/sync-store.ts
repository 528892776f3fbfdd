import type { Knex } from 'knex';
import { pulledTypes, type PulledType } from '../../directory/directories/directory.ts';
import { defaultQuotas, type Quotas } from '../../directory/quotas.ts';
import { type SyncEnd, type SyncMode, type SyncPhase, type SyncTrigger, maxFinishedRuns } from '../../directory/sync/sync-run.ts';
import type { SyncStore } from '../../directory/sync/ports.ts';
import { toConnection, type ConnectionColumns } from './connection-columns.ts';
import { toUsage, toOwnQuotas, type QuotaRow } from '../directories/quotas.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { createLinkStore, toLinks, type LinkColumns } from './provider-links.ts';
import { deleteSomeRows } from '../files/delete-rows.ts';
import { settleSet } from '../files/settle-set.ts';
import { planRun } from './plan-run.ts';
import { concludeChanges, nextChanges } from './planned-changes.ts';
import { endRun, endRunAndNotify, insertSuccessor, replaceRun, setNotice } from './end-run.ts';
import { type RunRow, hasDecided, isReady } from './run-rows.ts';
import { bytesOfOtherRuns, clearRuns, createStaging } from './staging.ts';
import { maxStepStarts } from '../../directory/sync/run-sync-step.ts';

type DirectoryAndRunRow = ConnectionColumns &
  LinkColumns &
  QuotaRow &
  Pick<RunRow, 'users_seen' | 'groups_seen' | 'members_seen' | 'pages' | 'staged_bytes'> & {
    id: string;
    deactivated: boolean;
    google_authorization_version: number;
    run_authorization_version: number | null;
    phase: SyncPhase;
    type: PulledType;
    mode: SyncMode | null;
    epoch: number;
    confirms: string | null;
    awaits_confirmation: boolean | null;
    is_dry_run: boolean | null;
  };

export const createSyncStore = (
  db: Knex,
  secrets: SecretColumns,
  emitOperatorEvent: EmitOperatorEvent,
  limits: Quotas = defaultQuotas,
): SyncStore => ({
  begin: beginRun(db, emitOperatorEvent),

  async enter(directoryId, runId) {
    const row = await db('directories as d')
      .join('sync_runs as r', 'r.directory_id', 'd.id')
      .where({ 'd.id': directoryId, 'r.id': runId, 'r.state': 'running' })
      .whereIn('d.type', [...pulledTypes])
      .first<DirectoryAndRunRow | undefined>(
        'd.*',
        'r.authorization_version as run_authorization_version',
        'r.phase',
        'r.mode',
        'r.epoch',
        'r.confirms',
        'r.users_seen',
        'r.groups_seen',
        'r.members_seen',
        'r.pages',
        db.raw(
          `(select decided.state <> 'succeeded' from sync_runs decided
            where decided.directory_id = r.directory_id and ${hasDecided('decided')}
            order by decided.finished_at desc limit 1) as awaits_confirmation`,
        ),
        db.raw(`r.staged_bytes + ${bytesOfOtherRuns} as staged_bytes`),
        db.raw(`(select is_dry_run from file_sets s where s.directory_id = d.id and s.id = d.provider_upload) as is_dry_run`),
      );
    if (!row) return 'stopped';
    if (row.deactivated) return 'deactivated';
    // Pages that were read with another authorization or other options cannot be combined with new ones.
    if (row.run_authorization_version !== row.google_authorization_version && row.phase !== 'applying') return 'replaced';
    return {
      directoryId,
      type: row.type,
      connection: toConnection(row, secrets),
      mode: row.mode ?? undefined,
      epoch: row.epoch,
      // Removals that a person must confirm, or has refused, may come from a full comparison. An incremental run would not find them.
      links: row.confirms === null && !row.awaits_confirmation ? toLinks(row, secrets) : undefined,
      authorizationVersion: row.google_authorization_version,
      usage: toUsage(row),
      quotas: { limits, own: toOwnQuotas(row.quotas) },
      seen: { users: row.users_seen, groups: row.groups_seen, members: row.members_seen },
      pages: row.pages,
      stagedBytes: row.staged_bytes,
      isDryRun: row.is_dry_run ?? false,
    };
  },

  async countStart(directoryId, runId) {
    const [row] = await db('sync_runs')
      .where({ directory_id: directoryId, id: runId, state: 'running' })
      .increment('starts', 1)
      .returning<{ starts: number }[]>('starts');
    return row?.starts ?? 0;
  },

  async resetStarts(directoryId, runId) {
    await db('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running' }).update({ starts: 0 });
  },

  async leave(directoryId, runId) {
    await db('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running' }).decrement('left_behind', 1);
  },

  end: endRunAndNotify(db, emitOperatorEvent),
  replace: replaceRun(db),
  async clear(directoryId, limit) {
    return (await clearRuns(db)(directoryId, limit)) || (await deleteSomeRows(db)(limit, directoryId)) > 0;
  },

  notice: (directoryId, runId, notice) => setNotice(db, directoryId, runId, notice),

  ...createStaging(db, limits),
  ...createLinkStore(db, secrets),

  async beginComparing(directoryId, runId) {
    await db('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running', pass: 0 }).update({ phase: 'comparing' });
    const { rows } = await db.raw<{
      rows: { users_listed: number; users_seen: number; groups_seen: number; has_user_of_domain: boolean }[];
    }>(
      `select r.users_listed, r.users_seen, r.groups_seen, coalesce(d.google_domain, '') = '' or not exists (select from sync_users where run_id = r.id and directory_id = r.directory_id) or exists (
         select from sync_users s where s.run_id = r.id and s.directory_id = r.directory_id and (
           split_part(lower(s.resource->>'userName'), '@', 2) = lower(d.google_domain)
           or exists (
             select from jsonb_array_elements_text(case jsonb_typeof(s.resource->'aliases') when 'array' then s.resource->'aliases' else '[]' end) alias
             where split_part(lower(alias), '@', 2) = lower(d.google_domain)))
       ) as has_user_of_domain
       from sync_runs r join directories d on d.id = r.directory_id
       where r.directory_id = :directoryId and r.id = :runId`,
      { directoryId, runId },
    );
    const row = rows[0] ?? { users_listed: 0, users_seen: 0, groups_seen: 0, has_user_of_domain: false };
    return {
      usersListed: row.users_listed,
      seen: { users: row.users_seen, groups: row.groups_seen },
      hasUserOfDomain: row.has_user_of_domain,
    };
  },

  plan: planRun(db),
  nextChanges: nextChanges(db),
  conclude: concludeChanges(db),
});

/** After this many processes in a row have abandoned a sync, it is not started again. */
const maxAbandoned = 3;

const beginRun =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent): SyncStore['begin'] =>
  ({ directoryId, workflowRun }) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId })
        .whereIn('type', [...pulledTypes])
        .forNoKeyUpdate()
        .first<{ is_ready: boolean; google_authorization_version: number; provider_upload: string | null } | undefined>(
          'google_authorization_version',
          'provider_upload',
          trx.raw(`(${isReady}) as is_ready`),
        );
      const active = await trx<RunRow>('sync_runs')
        .where({ directory_id: directoryId })
        .whereIn('state', ['queued', 'running'])
        .forUpdate()
        .first();
      if (!directory || !active) return undefined;
      // An earlier attempt of this activity committed, and died before it returned. A run with pages was abandoned by its workflow instead.
      if (active.state === 'running' && active.workflow_run === workflowRun && active.pages === 0) return active.id;
      // A run that a living process left does not count as abandoned.
      const isOwn = active.workflow_run?.split('/')[0] === workflowRun.split('/')[0];
      const abandonedTimes = active.left_behind + (active.state === 'running' && !isOwn ? 1 : 0);
      if (abandonedTimes >= maxAbandoned) {
        await abandon(trx, directoryId, active.id, abandoned);
        await emitOperatorEvent(trx, 'dsync.sync_failed', directoryId, { run_id: active.id, reason: abandoned.error.message });
        return undefined;
      }
      if (active.state === 'queued' && isAutomatic(active.trigger) && (await isAbandoned(trx, directoryId))) {
        await abandon(trx, directoryId, active.id, needsManualStart);
        return undefined;
      }
      if (active.state === 'running') await endRun(trx, directoryId, active.id, terminatedWorkflow);
      if (!directory.is_ready) {
        if (active.state === 'queued') await endRun(trx, directoryId, active.id, notReady);
        return undefined;
      }
      await dropOldRuns(trx, directoryId);
      const started = {
        state: 'running',
        workflow_run: workflowRun,
        authorization_version: directory.google_authorization_version,
        upload_id: directory.provider_upload,
        started_at: trx.fn.now(),
      };
      if (active.state === 'queued') {
        await trx('sync_runs').where({ directory_id: directoryId, id: active.id }).update(started);
        return active.id;
      }
      return insertSuccessor(trx, active, { left_behind: abandonedTimes, ...started });
    });

const isAutomatic = (trigger: SyncTrigger) => trigger === 'schedule' || trigger === 'cron';

/** Whether processes died during the last run. Its `starts` were not reset in that case. */
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
  await settleSet(trx, directoryId, id, end);
  await trx('sync_runs')
    .where({ directory_id: directoryId, id })
    .update({ starts: maxStepStarts + 1 });
}

const terminatedWorkflow = {
  state: 'failed',
  error: { code: 'internal', message: 'Its workflow was terminated. Nothing is lost: the next run catches up.' },
} as const;

const abandoned = {
  state: 'failed',
  error: { code: 'internal', message: `The process ended unexpectedly each of the ${maxAbandoned} times that it worked on this sync.` },
} as const;

const needsManualStart = {
  state: 'failed',
  error: {
    code: 'internal',
    message: 'The process ended unexpectedly each time that it worked on an earlier sync. Start a sync by request when the cause is fixed.',
  },
} as const;

const notReady = {
  state: 'canceled',
  error: { code: 'deactivated', message: 'The directory was deactivated, or lost its authorization, before the sync began.' },
} as const;

const dropOldRuns = (trx: Knex.Transaction, directoryId: string) =>
  trx.raw(
    `delete from sync_runs where directory_id = :directoryId and id in (
       select id from sync_runs where directory_id = :directoryId and state not in ('queued', 'running')
       order by requested_at desc offset :maxFinishedRuns)`,
    { directoryId, maxFinishedRuns },
  );

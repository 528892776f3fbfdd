import type { SyncPlan } from '../../directory/sync/ports.ts';
import type { SyncErrorCode, SyncMode, SyncPhase, SyncFailure, SyncRun, SyncState, SyncTrigger } from '../../directory/sync/sync-run.ts';

export interface RunRow {
  id: string;
  directory_id: string;
  state: SyncState;
  phase: SyncPhase;
  trigger: SyncTrigger;
  confirms: string | null;
  upload_id: string | null;
  workflow_run: string | null;
  /** Starts of the current step in processes that died. */
  starts: number;
  /** How many runs in a row were abandoned by their processes. */
  left_behind: number;
  pages: number;
  users_listed: number;
  users_seen: number;
  groups_seen: number;
  members_seen: number;
  staged_bytes: number;
  pass: number;
  mode: SyncMode | null;
  drift: number | null;
  planned: StoredPlan | null;
  applied_place: number;
  users_created: number;
  users_updated: number;
  users_deleted: number;
  groups_created: number;
  groups_updated: number;
  groups_deleted: number;
  members_added: number;
  members_removed: number;
  failed: number;
  failures: SyncFailure[];
  notice: string | null;
  error_code: SyncErrorCode | null;
  error: string | null;
  requested_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** The result of the first comparison. */
export type StoredPlan = Omit<SyncPlan, 'confirmed' | 'drift'>;

export const toRun = (row: RunRow): SyncRun => ({
  id: row.id,
  directoryId: row.directory_id,
  state: row.state,
  phase: row.phase,
  trigger: row.trigger,
  confirms: row.confirms ?? undefined,
  uploadId: row.upload_id ?? undefined,
  pages: row.pages,
  seen: { users: row.users_seen, groups: row.groups_seen, members: row.members_seen },
  planned: row.planned?.counts,
  changed: {
    users: { created: row.users_created, updated: row.users_updated, deleted: row.users_deleted },
    groups: { created: row.groups_created, updated: row.groups_updated, deleted: row.groups_deleted },
    members: { added: row.members_added, removed: row.members_removed },
  },
  failed: row.failed,
  failures: row.failures,
  drift: row.drift ?? undefined,
  notice: row.notice ?? undefined,
  error: row.error_code === null ? undefined : { code: row.error_code, message: row.error ?? '' },
  requestedAt: row.requested_at,
  startedAt: row.started_at ?? undefined,
  finishedAt: row.finished_at ?? undefined,
});

/** SQL condition of runs that succeeded, or whose removals wait for a person, or were refused. */
export const hasDecided = (run: string) => `(${run}.state in ('succeeded', 'needs_confirmation') or ${run}.error_code = 'refused')`;

/** SQL condition of automatic runs. While an import follows Polis, Polis syncs the directory. */
export const isNotFollowed = `not exists (select from imported_directories i where i.directory_id = directories.id and i.followed)`;

/** SQL condition: the directory is active and authorized, so that it can be synced. */
export const isReady = `not deactivated and google_authorization_error is null
  and (google_access_token is not null or google_refresh_token is not null or google_admin_email is not null
    or provider_account is not null or provider_upload is not null)`;

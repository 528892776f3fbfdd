import type { DirectoryQuotas, DirectoryUsage } from '../quotas.ts';
import type { PulledType } from '../directories/directory.ts';
import type { ProviderConnection, ProviderLinks } from './provider.ts';
import type { JsonObject } from '../../scim/json.ts';
import type { Pushed } from '../../scim/pushed.ts';
import type { EarlierToken } from './restarting-list.ts';

export type SyncState = 'queued' | 'running' | 'succeeded' | 'failed' | 'needs_confirmation' | 'canceled';
export type SyncTrigger = 'schedule' | 'cron' | 'request' | 'authorization' | 'upload';

/** Per directory, besides the open one. */
export const maxFinishedRuns = 100;

/** In the order in which a run passes through them. */
export type SyncPhase = 'users' | 'groups' | 'members' | 'comparing' | 'applying';

/** Whether a run reads everything, or what has changed since the run before. */
export type SyncMode = 'full' | 'changes';

/** Planned or applied changes. */
export interface SyncCounts {
  users: { created: number; updated: number; deleted: number };
  groups: { created: number; updated: number; deleted: number };
  members: { added: number; removed: number };
}

/** One pass over a pulled directory, from the first page to the last change. */
export interface SyncRun {
  id: string;
  directoryId: string;
  state: SyncState;
  phase: SyncPhase;
  trigger: SyncTrigger;
  /** The run whose removals a person has confirmed. */
  confirms: string | undefined;
  /** The uploaded files that it has read. */
  uploadId: string | undefined;
  pages: number;
  seen: { users: number; groups: number; members: number };
  /** It is unset before the comparison. */
  planned: SyncCounts | undefined;
  changed: SyncCounts;
  /** How many changes failed, and why the first of them did. */
  failed: number;
  failures: SyncFailure[];
  /** Differences that a full comparison found although change links had been followed until then. */
  drift: number | undefined;
  /** What the run is waiting for. */
  notice: string | undefined;
  error: { code: SyncErrorCode; message: string } | undefined;
  requestedAt: Date;
  startedAt: Date | undefined;
  finishedAt: Date | undefined;
}

export interface SyncFailure {
  externalId: string;
  reason: string;
}

export const syncErrorCodes = [
  'needs_authorization',
  'needs_confirmation',
  'refused',
  'provider_unavailable',
  'provider_rejected',
  'invalid_provider_response',
  'wrong_workspace',
  'quota_exceeded',
  'deactivated',
  'replaced',
  'canceled',
  'dry_run',
  'internal',
] as const;
export type SyncErrorCode = (typeof syncErrorCodes)[number];

export interface SyncEnd {
  state: Exclude<SyncState, 'queued' | 'running'>;
  error?: { code: SyncErrorCode; message: string };
  /** Emits `dsync.sync_failed`. */
  emitsSyncFailed?: true;
}

export const failedEnd = (code: SyncErrorCode, message: string): SyncEnd => ({ state: 'failed', error: { code, message } });

/** What the run found is in its plan. `guarded`: what the removal guard says. */
export const dryRunEnd = (guarded: SyncEnd | undefined): SyncEnd => ({
  state: 'canceled',
  error: {
    code: 'dry_run',
    message: `This was a dry run: nothing was changed.${guarded?.error ? ` Without it, the run would need a confirmation: ${guarded.error.message.split('. ')[0]}.` : ''}`,
  },
});

export const canceledEnd: SyncEnd = {
  state: 'canceled',
  error: { code: 'canceled', message: 'The run was canceled. Changes that it had applied stay.' },
};

export const nothingToConfirm = 'confirm must name a run that needs a confirmation.';

/** How a run ends whose removals a person does not want. */
export const refusedEnd = {
  state: 'canceled',
  error: { code: 'refused', message: 'Its removals were refused. Nothing was changed.' },
} as const satisfies SyncEnd;

/** Where a run continues. It is small: it travels through workflow history and heartbeats. */
export type SyncPosition =
  | {
      phase: 'users' | 'groups';
      pageToken?: string | undefined;
      earlier?: EarlierToken | undefined;
      restarts?: number;
      emptyPages?: number;
      epoch?: number;
    }
  /**
   * `after` is the last group that is complete together with all before it. `open` has the started groups after it; `null` means complete.
   * `earlier` has those of them with a further page.
   */
  | {
      phase: 'members';
      after?: string | undefined;
      open?: Record<string, string | null>;
      earlier?: Record<string, EarlierToken>;
      restarts?: number;
      emptyPages?: number;
      epoch?: number;
    }
  | { phase: 'comparing'; epoch?: number }
  | { phase: 'applying' };

/** What a step needs of its directory. Each step reads it again. */
export interface SyncDirectory {
  directoryId: string;
  type: PulledType;
  connection: ProviderConnection;
  /** Unset until the run has decided. */
  mode: SyncMode | undefined;
  /** How often the run has restarted. Positions of an earlier epoch are void. */
  epoch: number;
  /** Where changes continue. Unset: everything must be read. */
  links: ProviderLinks | undefined;
  /** Increases with each new authorization, so that an error of an old one does not affect the new one. */
  authorizationVersion: number;
  /** What the directory holds now. */
  usage: DirectoryUsage;
  quotas: DirectoryQuotas;
  /** How much has been staged. */
  seen: SyncRun['seen'];
  stagedBytes: number;
  pages: number;
  /** The run only says what it would change. */
  isDryRun: boolean;
}

/** A difference between the staged and the stored data, at its place in the order of application. */
export interface PlannedChange {
  place: number;
  kind: 'user' | 'group' | 'member';
  operation: 'create' | 'update' | 'delete' | 'add' | 'remove';
  externalId: string;
  /** Only for members: the group, and its ID if the group is stored. */
  groupExternalId?: string;
  groupId?: string;
  /** Only for users and groups that are stored. */
  resourceId?: string;
  resource?: JsonObject;
  pushed?: Pushed;
}

export const noCounts = (): SyncCounts => ({
  users: { created: 0, updated: 0, deleted: 0 },
  groups: { created: 0, updated: 0, deleted: 0 },
  members: { added: 0, removed: 0 },
});

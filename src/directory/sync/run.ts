import type { DirectoryQuotas, Holdings } from '../quotas.ts';
import type { HostedConnection } from './provider.ts';

export type SyncState = 'queued' | 'running' | 'succeeded' | 'failed' | 'needs_confirmation' | 'canceled';
export type SyncTrigger = 'schedule' | 'cron' | 'request' | 'authorization';

/** Of each directory, beside the one that waits or goes on. */
export const keptRuns = 100;

/** What a run is doing, in this order. */
export type SyncPhase = 'users' | 'groups' | 'members' | 'comparing' | 'applying';

/** How often each kind of change is to be made, or was. */
export interface SyncCounts {
  users: { created: number; updated: number; deleted: number };
  groups: { created: number; updated: number; deleted: number };
  members: { added: number; removed: number };
}

/** One reading of a hosted directory, from the first page to the last change. */
export interface SyncRun {
  id: string;
  directoryId: string;
  state: SyncState;
  phase: SyncPhase;
  trigger: SyncTrigger;
  /** The run whose removals a person confirmed. */
  confirms: string | undefined;
  pages: number;
  seen: { users: number; groups: number; members: number };
  /** Unset as long as nothing was compared. */
  planned: SyncCounts | undefined;
  changed: SyncCounts;
  /** Changes that could not be made, and why the first of them could not. */
  refused: number;
  refusals: SyncRefusal[];
  /** What it waits for. */
  notice: string | undefined;
  error: { code: SyncErrorCode; message: string } | undefined;
  requestedAt: Date;
  startedAt: Date | undefined;
  finishedAt: Date | undefined;
}

export interface SyncRefusal {
  externalId: string;
  reason: string;
}

export type SyncErrorCode =
  | 'needs_authorization'
  | 'needs_confirmation'
  | 'provider_unavailable'
  | 'provider_refused'
  | 'provider_answer'
  | 'wrong_workspace'
  | 'quota_exceeded'
  | 'deactivated'
  | 'replaced'
  | 'canceled'
  | 'internal';

export interface SyncEnd {
  state: Exclude<SyncState, 'queued' | 'running'>;
  error?: { code: SyncErrorCode; message: string };
  /** By `dsync.sync_failed`. */
  tellsOperator?: true;
}

export const canceledEnd: SyncEnd = {
  state: 'canceled',
  error: { code: 'canceled', message: 'It was canceled. What it had changed by then stays changed.' },
};

/** Where a run goes on. It is small: it travels through workflow history and heartbeats. */
export type SyncPosition =
  | { phase: 'users' | 'groups'; pageToken?: string | undefined; restarts?: number }
  /** `after` is the last group that is done with all before it; `open` has those after it that were begun, `null` where they are done. */
  | { phase: 'members'; after?: string | undefined; open?: Record<string, string | null>; restarts?: number }
  | { phase: 'comparing' }
  | { phase: 'applying' };

/** What a run needs to know of its directory, looked at anew at each step. */
export interface SyncDirectory {
  directoryId: string;
  connection: HostedConnection;
  /** Counts up with each new authorisation: what is learnt of an old one is not said of the new. */
  grant: number;
  holds: Holdings;
  quotas: DirectoryQuotas;
  /** What was staged so far. */
  seen: SyncRun['seen'];
}

/** A difference between what the provider said and what is stored, at its place in the order in which they are made. */
export interface PlannedChange {
  place: number;
  kind: 'user' | 'group' | 'member';
  operation: 'create' | 'update' | 'delete' | 'add' | 'remove';
  externalId: string;
  /** Of a member: its group, and the group's own id if it is stored. */
  groupExternalId?: string;
  groupId?: string;
  /** Of a user or group that is stored. */
  resourceId?: string;
  resource?: Record<string, unknown>;
}

export const noCounts = (): SyncCounts => ({
  users: { created: 0, updated: 0, deleted: 0 },
  groups: { created: 0, updated: 0, deleted: 0 },
  members: { added: 0, removed: 0 },
});

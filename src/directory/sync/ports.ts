import type { ContinuedPage, PageRequest, TimedPosition } from '../page.ts';
import type { PulledType } from '../directories/directory.ts';
import type { Documents } from '../../scim/pushed.ts';
import type { ProviderPage, RenewedTokens } from './provider.ts';
import type { PlannedChange, SyncCounts, SyncDirectory, SyncEnd, SyncFailure, SyncMode, SyncRun, SyncTrigger } from './sync-run.ts';

/** What a provider has listed: the resource, and how the provider's object differs from it. */
export interface StagedResource extends Documents {
  externalId: string;
}

/** A run as its steps see it. If the run must not continue, each operation does nothing and returns `stopped`. */
export interface SyncStore {
  /** Begins the queued run, if there is one. A run whose workflow no longer exists is ended, and replaced by another one. */
  begin(request: { directoryId: string; workflowRun: string }): Promise<string | undefined>;
  enter(directoryId: string, runId: string): Promise<SyncDirectory | SyncStop>;
  /** Counts the start of a step before it runs. Returns the starts since a step last ended, new data was staged, or changes were applied. */
  countStart(directoryId: string, runId: string): Promise<number>;
  /** Called when a step has ended and its process is alive. */
  resetStarts(directoryId: string, runId: string): Promise<void>;
  /** Called when this process stops normally during a run, so that the run does not count as abandoned. */
  leave(directoryId: string, runId: string): Promise<void>;
  /** Only the first call has an effect. Staged data is deleted later, by `clear`. */
  end(directoryId: string, runId: string, end: SyncEnd): Promise<void>;
  /** Ends the run, and queues another one in its place. */
  replace(directoryId: string, runId: string): Promise<void>;
  /** Deletes staged data of ended runs. Returns whether there may be more. */
  clear(directoryId: string, limit: number): Promise<boolean>;
  /** Sets the run's `notice`. */
  notice(directoryId: string, runId: string, notice: string | null): Promise<void>;

  /** Decides once what the run reads. */
  beginReading(directoryId: string, runId: string, mode: SyncMode): Promise<void>;
  /** Discards what was read, so that the run reads everything. Returns the new epoch. */
  restart(directoryId: string, runId: string): Promise<number | 'stopped'>;
  /** Saves where the next run continues. It is used only if this run succeeds. */
  saveLink(directoryId: string, runId: string, kind: 'users' | 'groups', position: { account: string; link: string }): Promise<void>;
  /** Returns the IDs that are not stored. If the last run did not succeed in full, returns all: it may have stored them without memberships. */
  findUnknown(directoryId: string, kind: 'users' | 'groups', externalIds: string[]): Promise<string[]>;
  /** Returns the IDs that this run has staged. */
  findStaged(directoryId: string, runId: string, kind: 'users' | 'groups', externalIds: string[]): Promise<string[]>;
  /** Stages removals of users or groups, even if an earlier page listed them. */
  stageRemoved(directoryId: string, runId: string, kind: 'users' | 'groups', externalIds: string[]): Promise<void>;
  /** The links of the run will not be followed, so the next run reads the same changes again. */
  markUncertain(directoryId: string, runId: string): Promise<void>;

  stageUsers(directoryId: string, runId: string, page: Pick<ProviderPage<StagedResource>, 'items' | 'listed'>): Promise<Staged>;
  /** `phase`: set to `users` if groups are staged while the run still lists users. */
  stageGroups(directoryId: string, runId: string, page: Pick<ProviderPage<StagedResource>, 'items'>, phase?: 'users'): Promise<Staged>;
  stageMembers(directoryId: string, runId: string, pages: MembersPage[]): Promise<Staged>;
  /** The members of the group cannot be read, so the stored ones stay. */
  markMembersUnknown(directoryId: string, runId: string, groupExternalId: string): Promise<void>;
  /** Lists staged groups after this one. */
  groupsAfter(directoryId: string, runId: string, after: string, limit: number): Promise<string[]>;

  /** Ends the reading, and returns totals that are checked before the comparison. */
  beginComparing(directoryId: string, runId: string): Promise<StagedTotals>;
  /** Compares, and stores the differences. A later call returns the plan of the first one. */
  plan(directoryId: string, runId: string, pass: number): Promise<SyncPlan | 'stopped'>;
  /** The next batch of differences, all of one kind. */
  nextChanges(directoryId: string, runId: string): Promise<{ changes: PlannedChange[]; pass: number; failed: number } | 'stopped'>;
  /** Counts the applied differences up to this place, once, and only if no newer comparison exists. */
  conclude(directoryId: string, runId: string, applied: AppliedBatch): Promise<void>;
}

export interface MembersPage {
  group: string;
  externalIds: string[];
}

type SyncStop = 'stopped' | 'deactivated' | 'replaced';
/** `full`: the page was staged, and the run now exceeds its limit of bytes. */
export type Staged = 'staged' | 'full' | 'stopped';

interface StagedTotals {
  usersListed: number;
  seen: { users: number; groups: number };
  /** Whether a user has an address of the directory's domain. True if no domain is set. */
  hasUserOfDomain: boolean;
}

export interface SyncPlan {
  counts: SyncCounts;
  /** Whether this was a full comparison in a directory that normally follows change links. */
  hadLinks?: boolean;
  /** How many differences that full comparison found, unless a person has confirmed them. Only the call that compares returns it. */
  drift?: number;
  /** Removals. Memberships that end because their user or group is removed do not count. */
  removed: Removals;
  /** How much was stored before the run. */
  stored: Removals;
  /** The size of the largest group that would grow. */
  largestGroup?: number;
  /** The most groups that a user or group with a new membership would be in. */
  mostGroups?: number;
  /** The removals that a person has confirmed, as an upper limit. */
  confirmed: Removals | undefined;
}

export interface Removals {
  users: number;
  groups: number;
  members: number;
}

export interface AppliedBatch {
  /** Results of an earlier pass are ignored. */
  pass: number;
  upToPlace: number;
  counts: SyncCounts;
  failures: SyncFailure[];
}

/** Runs as the API sees them. */
export interface SyncRunStore {
  /** A directory has one open run: if one is queued or running, it is returned. */
  request(run: {
    id: string;
    directoryId: string;
    trigger: SyncTrigger;
    confirms?: string;
  }): Promise<{ run: SyncRun; isNew: boolean } | undefined>;
  get(directoryId: string, runId: string): Promise<SyncRun | undefined>;
  /** Returns the newest run first. */
  list(directoryId: string, page: PageRequest<TimedPosition>): Promise<ContinuedPage<SyncRun, TimedPosition>>;
  /** For each directory that is active and authorized. */
  requestAll(type: PulledType): Promise<{ directoryId: string; runId: string; isNew: boolean }[]>;
  /** Requests a sync of one directory. Returns false if it is not active and authorized. */
  requestScheduled(directoryId: string): Promise<boolean>;
  /** Directories whose run has been queued for some time. */
  findForgotten(limit: number): Promise<string[]>;
  end(directoryId: string, runId: string, end: SyncEnd): Promise<void>;
  /**
   * Ends this run, and earlier ones, that wait for a confirmation. Files that it has read are discarded. Returns the later run that stands in
   * the way: one that confirms it, reads the same files, asks again, or has succeeded.
   */
  refuse(directoryId: string, runId: string): Promise<SyncRun | undefined>;
  notice(directoryId: string, runId: string, notice: string): Promise<void>;
  /** Adds a cancellation to the audit log. Call it before the run is canceled. */
  recordCancellation(directoryId: string, runId: string): Promise<void>;
}

/** The authorization of a pulled directory. */
export interface AuthorizationStore {
  saveTokens(directoryId: string, authorizationVersion: number, tokens: RenewedTokens): Promise<void>;
  /** Emits an event for the operator, once. Does nothing if another authorization has replaced this one. */
  markRevoked(directoryId: string, authorizationVersion: number, reason: string): Promise<'revoked' | 'replaced'>;
}

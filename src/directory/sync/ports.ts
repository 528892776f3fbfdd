import type { Page } from '../ports.ts';
import type { HostedGroup, HostedPage, HostedUser, RenewedTokens } from './provider.ts';
import type { PlannedChange, SyncCounts, SyncDirectory, SyncEnd, SyncRefusal, SyncRun, SyncTrigger } from './run.ts';

/** A run as its steps see it. Each operation does nothing, and says `stopped`, when the run is not to go on. */
export interface SyncStore {
  /**
   * Takes the run that was asked for, if there is one. One that a workflow began that is no more is ended, and another one takes its
   * place.
   */
  begin(request: { directoryId: string; workflowRun: string }): Promise<string | undefined>;
  enter(directoryId: string, runId: string): Promise<SyncDirectory | SyncStop>;
  /** Counts the start of a step before it is made. Gives the starts since a step last ended, something new was staged, or changes were made. */
  countStart(directoryId: string, runId: string): Promise<number>;
  /** A step ended, one way or the other, in a process that lives. */
  forgiveStarts(directoryId: string, runId: string): Promise<void>;
  /** This process stops in an orderly way while a run goes on. */
  leave(directoryId: string, runId: string): Promise<void>;
  /** Once and no more, however often it is asked; what was staged goes later. */
  end(directoryId: string, runId: string, end: SyncEnd): Promise<void>;
  /** Ends it, and asks for another one in its place. */
  replace(directoryId: string, runId: string): Promise<void>;
  /** What was staged for runs that have ended; says whether there may be more. */
  clear(directoryId: string, limit: number): Promise<boolean>;
  /** For the person who looks on. */
  notice(directoryId: string, runId: string, notice: string | null): Promise<void>;

  stageUsers(directoryId: string, runId: string, page: Pick<HostedPage<HostedUser>, 'items' | 'listed'>): Promise<Staged>;
  stageGroups(directoryId: string, runId: string, page: Pick<HostedPage<HostedGroup>, 'items'>): Promise<Staged>;
  stageMembers(directoryId: string, runId: string, pages: MembersPage[]): Promise<Staged>;
  /** Its members are not known, and stay as they are. */
  stageGone(directoryId: string, runId: string, groupExternalId: string): Promise<void>;
  /** The staged groups after this one. */
  groupsAfter(directoryId: string, runId: string, after: string, limit: number): Promise<string[]>;

  /** All that a person could be wrong about, before anything is compared. */
  look(directoryId: string, runId: string): Promise<SyncLook>;
  /** Compares, and keeps the differences. Who comes second is told what the first one found. */
  plan(directoryId: string, runId: string, pass: number): Promise<SyncPlan | 'stopped'>;
  /** The next differences of one kind, not too many. */
  nextChanges(directoryId: string, runId: string): Promise<{ changes: PlannedChange[]; pass: number; refused: number } | 'stopped'>;
  /** Counts what was made of the differences up to this place, once, and not if another comparison has been made since. */
  conclude(directoryId: string, runId: string, made: Made): Promise<void>;
}

export interface MembersPage {
  group: string;
  externalIds: string[];
}

type SyncStop = 'stopped' | 'deactivated' | 'replaced';
export type Staged = 'staged' | 'stopped';

interface SyncLook {
  usersListed: number;
  seen: { users: number; groups: number };
  /** Whether one of the users has an address of the directory's domain, if that is set. */
  isOfDomain: boolean;
}

export interface SyncPlan {
  counts: SyncCounts;
  /** Removals that are no more than what follows from others, and what was there before. */
  removed: Removals;
  stored: Removals;
  /** Members that the largest of the groups that grow would have. */
  largestGroup?: number;
  /** How many groups the user or group would be in that comes into more of them and is in most then. */
  mostGroups?: number;
  /** What a person has confirmed, as much as this and no more. */
  confirmed: Removals | undefined;
}

export interface Removals {
  users: number;
  groups: number;
  members: number;
}

export interface Made {
  /** What was concluded in an earlier one counts no more. */
  pass: number;
  upToPlace: number;
  counts: SyncCounts;
  refusals: SyncRefusal[];
}

/** What people ask of runs. */
export interface SyncRunStore {
  /** One at a time: a run that waits or goes on already is given back. */
  request(run: {
    id: string;
    directoryId: string;
    trigger: SyncTrigger;
    confirms?: string;
  }): Promise<{ run: SyncRun; isNew: boolean } | undefined>;
  get(directoryId: string, runId: string): Promise<SyncRun | undefined>;
  /** Newest first. */
  list(directoryId: string, page: Page): Promise<SyncRun[]>;
  /** Of every directory that may be read, being neither deactivated nor without authorisation. */
  requestAll(): Promise<{ directoryId: string; runId: string; isNew: boolean }[]>;
  /** Of one of them, if it is one. */
  requestScheduled(directoryId: string): Promise<boolean>;
  /** Runs that were asked for some time ago, and that nobody began. */
  findForgotten(limit: number): Promise<string[]>;
  end(directoryId: string, runId: string, end: SyncEnd): Promise<void>;
  notice(directoryId: string, runId: string, notice: string): Promise<void>;
}

/** How a hosted directory is authorised. */
export interface AuthorizationStore {
  saveTokens(directoryId: string, grant: number, tokens: RenewedTokens): Promise<void>;
  /** The operator is told, once. Nothing is lost that another authorisation has replaced. */
  lose(directoryId: string, grant: number, reason: string): Promise<'lost' | 'replaced'>;
}

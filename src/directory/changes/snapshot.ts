import type { RoleTable } from '../roles/role-table.ts';
import type { AttributeRules } from '../attributes/compute-attributes.ts';
import type { RecomputeKey } from '../attributes/ports.ts';
import type { EmittedEvents, NewEvent } from '../event.ts';
import type { Group, MemberKind } from '../resources/group.ts';
import type { Hiding } from '../directories/hiding.ts';
import type { Outcome } from './mutation.ts';
import type { Identified } from '../resources/resource-ids.ts';
import type { DirectoryQuotas, DirectoryUsage } from '../quotas.ts';
import type { User, UserWithGroups } from '../resources/user.ts';
import type { ReadSet } from './read-set.ts';

/** The rows that some mutations need, read at one point in time. */
export interface Snapshot {
  /** What one mutation must not exceed: its rows take too much memory, and were not read, or its membership events would copy too much. */
  overBudget?: 'rows' | 'copies';
  now: Date;
  /** The sequence of the directory's last event. */
  lastSequence: number;
  /** Whether a change of `active` has event types of its own. */
  userStateEvents: boolean;
  /** Which inactive users are hidden from events. */
  hiding: Hiding | undefined;
  /** Of the users that were not read but may be members: those that are hidden. */
  hidden: ReadonlySet<string>;
  /** What the attributes of users follow from. Undefined if the product has no attribute schema. */
  attributeRules: AttributeRules | undefined;
  /** What the roles of users follow from, besides their groups. Undefined if the directory has no role table. */
  roleTable: RoleTable | undefined;
  /** Of the users that are recomputed: the places of the rows of the table whose groups they are in. */
  rolePlaces: ReadonlyMap<string, number[]>;
  usage: DirectoryUsage;
  quotas: DirectoryQuotas;
  /** Bytes of events that are not delivered yet; 0 without a webhook. */
  undeliveredBytes: number;
  /** Number of members of each group that was read, pending members included. */
  memberCounts: ReadonlyMap<string, number>;
  /**
   * Number of groups of each user and group that the mutations may add to a group; left out if 0. Empty if the directory has fewer groups
   * than the quota for one member.
   */
  groupCounts: ReadonlyMap<string, number>;
  /** Outcomes of mutations that were applied before. */
  knownOutcomes: Outcome[];
  /** Outcomes of mutations up to this time may have been deleted. */
  outcomesTrimmedAt: Date | undefined;
  users: User[];
  groups: Group[];
  userNames: UserNames[];
  groupNames: GroupNames[];
  memberships: Membership[];
  pendingMembers: PendingMember[];
}

/** The names by which others can refer to a user. */
interface UserNames extends Identified {
  userNameKey: string;
  externalId: string | null;
}

interface GroupNames extends Identified {
  displayNameKey: string;
  externalId: string | null;
}

export interface Membership {
  groupId: string;
  /** The key of the member. */
  memberId: string;
  kind: MemberKind;
  display: string | null;
  /** Read with `display` only. */
  publicId?: string | undefined;
}

/** A group member that does not exist yet. It becomes a member when a user or group with this ID, external ID or user name is created. */
export interface PendingMember {
  groupId: string;
  value: string;
  valueKey: string;
  display: string | null;
}

/** The rows to write, each once. */
export interface Writes {
  users: RowWrites<User>;
  groups: RowWrites<Group>;
  memberships: { added: Membership[]; removed: Membership[] };
  pendingMembers: { added: PendingMember[]; removed: PendingMember[] };
  events: NewEvent[];
  /** Growth of all users and groups in bytes of JSON. */
  resourceBytesGrowth: number;
  /** Memory of events and resources, as counted in the budgets. */
  bytes: number;
  outcomes: Outcome[];
  /** Users whose roles may change, because of their groups: they are computed after this transaction. */
  toRecompute: { users: string[]; membersOf: string[]; everyone: boolean };
  /** Noted users that this transaction computes. It deletes their notes. */
  recomputed: string[];
  /** Only what follows from users and the rules of their directory is written: an import that follows Polis goes on. */
  isDerived?: true;
}

export interface RowWrites<Row> {
  inserted: Row[];
  updated: { former: Row; row: Row }[];
  deleted: string[];
}

export interface Changed {
  /** The recomputation that this change began: the caller must start it. */
  recompute?: RecomputeKey;
  /** The directory's delivery was idle: the caller must wake it. */
  wake: boolean;
  /** Only from a store that was created to return events. */
  emitted?: EmittedEvents;
  /**
   * The groups of the users in `shownUsers`. Left out for a user who is in very many groups, and where this transaction changed
   * memberships.
   */
  groupsOfShown?: Record<string, UserWithGroups['groups']>;
}

interface ChangeRequest {
  directoryId: string;
  mutationIds: string[];
  /** The rows to read. */
  wanted: ReadSet;
  /** What to read in place of that in a directory that hides inactive users, if it is more. `users`: those that were read. */
  widen?: ((users: User[]) => ReadSet | undefined) | undefined;
  /** Users whose groups to return. */
  shownUsers: string[];
  maxBytes: number;
}

export type Decide = (snapshot: Snapshot) => Writes | Promise<Writes>;

export interface ChangeStore {
  /**
   * One serial transaction on a directory: reads the requested rows, calls `decide`, and writes what it returns with the directory's next
   * sequence numbers. `decide` may run more than once.
   *
   * Returns `too_large` if several mutations together would read more than `maxBytes` of memory. For a single mutation above that limit
   * `decide` gets a snapshot with `overBudget`, and once more if what it returns would copy too much.
   */
  change(request: ChangeRequest, decide: Decide): Promise<Changed | 'gone' | 'too_large'>;
  /**
   * The same for several directories, with one statement that reads and one that writes. Leaves out directories where nothing was changed: one
   * that is large or gone, has changed meanwhile, or whose row is locked. After a failure of a statement that is all of them. Use `change`
   * for those. Throws if the database is away.
   */
  changeTogether(
    changes: { request: ChangeRequest; decide: Decide }[],
    onFailure?: (error: unknown) => void,
  ): Promise<Map<string, Changed>>;
  /** The outcome of a mutation that was applied. */
  outcomeOf(directoryId: string, mutationId: string): Promise<Outcome | undefined>;
  /** Deletes outcomes that are older than any mutation that may run again; returns how many. */
  deleteOldOutcomes(limit: number): Promise<number>;
}

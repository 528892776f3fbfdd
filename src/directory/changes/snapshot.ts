import type { NewEvent } from '../event.ts';
import type { Group, MemberKind } from '../group.ts';
import type { Outcome } from '../mutation.ts';
import type { DirectoryQuotas, Holdings } from '../quotas.ts';
import type { User } from '../user.ts';

/** What a directory holds of all that some mutations look at, as it was at one moment. */
export interface Snapshot {
  /** What is wanted would take more memory than a mutation may have: only `known` was read. */
  isOverBudget?: true;
  now: Date;
  /** Of the directory's events so far. */
  lastSequence: number;
  holds: Holdings;
  quotas: DirectoryQuotas;
  /** Of events that wait for the directory's webhook; 0 if it has none. */
  undeliveredBytes: number;
  /** Members of each group that was read, pending members included. */
  memberCounts: ReadonlyMap<string, number>;
  /**
   * How many groups each user and group is in that may come into more of them; those in none are left out. Empty where the directory has
   * fewer groups than one member may be in.
   */
  groupCounts: ReadonlyMap<string, number>;
  /** Outcomes of mutations that were applied before. */
  known: Outcome[];
  /** Of mutations that were applied up to then, outcomes may be dropped. */
  outcomesTrimmedAt: Date | undefined;
  users: User[];
  groups: Group[];
  userNames: UserNames[];
  groupNames: GroupNames[];
  /** Each once; so are the pending ones. */
  memberships: Membership[];
  parked: ParkedMember[];
}

/** By what a user can be referred to. */
interface UserNames {
  id: string;
  userNameKey: string;
  externalId: string | null;
}

interface GroupNames {
  id: string;
  displayNameKey: string;
  externalId: string | null;
}

export interface Membership {
  groupId: string;
  memberId: string;
  kind: MemberKind;
  display: string | null;
}

/** A member that nobody is yet: it waits for the user or group that goes by this id, external id or user name. */
export interface ParkedMember {
  groupId: string;
  value: string;
  valueKey: string;
  display: string | null;
}

/** What is to be written, each row once. */
export interface Writes {
  users: RowWrites<User>;
  groups: RowWrites<Group>;
  memberships: { added: Membership[]; removed: Membership[] };
  parked: { added: ParkedMember[]; removed: ParkedMember[] };
  events: NewEvent[];
  /** By how much the users and groups together have grown. */
  resourceBytesMore: number;
  /** Of memory that events and resources take, as counted in the budgets. */
  bytes: number;
  outcomes: Outcome[];
}

export interface RowWrites<Row> {
  inserted: Row[];
  updated: { former: Row; row: Row }[];
  deleted: string[];
}

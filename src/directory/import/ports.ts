import type { Group } from '../resources/group.ts';
import type { User } from '../resources/user.ts';
import type { PolisDirectory } from './polis-records.ts';

/** A row of Polis. `problem` says why its value cannot be read. */
export type PolisRow = { key: string; createdAt: Date; modifiedAt: Date | undefined } & ({ value: unknown } | { problem: string });

export interface Counts {
  users: number;
  groups: number;
  memberships: number;
}
export const kinds = ['users', 'groups', 'memberships'] as const;
export type Kind = (typeof kinds)[number];

/** A directory, and what else decides which rows are its own. */
export interface PolisPlace extends PolisDirectory {
  /** The IDs of all directories of its tenant and product. */
  siblings: string[];
  /** Whose users and groups without an index are, from before 2023: its own, or of a directory that is unknown, which it must report. */
  unindexed: 'own' | 'report' | 'ignore';
}

/** Where Polis keeps its data, read at one point in time. */
export interface PolisSource {
  /** For the record of where a directory came from. It contains no password. */
  name: string;
  /** Whether timestamps and queued events can be read. */
  isDatabase: boolean;
  listDirectories(): AsyncIterable<PolisRow[]>;
  /** Zero if the source cannot count. */
  count(directory: PolisPlace): Promise<Counts>;
  /** In the order of their creation. With `since`, only rows that were changed after it. */
  read(kind: Kind, directory: PolisPlace, since?: Date): AsyncIterable<PolisRow[]>;
  countQueued(directoryId: string): Promise<number>;
  /** Events that were not delivered, oldest first. */
  readQueued(directoryId: string): AsyncIterable<PolisRow[]>;
}

/** A user or group as it will be stored. */
export interface ImportedUser {
  user: User;
  bytes: number;
  checksum: bigint;
}
export interface ImportedGroup {
  group: Group;
  bytes: number;
}
/** By the keys of group and member. */
export interface ImportedMembership {
  groupId: string;
  memberId: string;
  checksum: bigint;
}
export interface QueuedEvent {
  id: string;
  type: string;
  data: unknown;
  occurredAt: Date;
}

/** Postgres does not take the rows of a directory. */
export class UnstorableError extends Error {
  override readonly name = 'UnstorableError';
}

export type ConflictPolicy = 'fail' | 'newest' | 'skip';

/** Users or groups that cannot exist side by side. `kept` is the one that stays; unset if none does. */
export interface Conflict {
  kind: 'user_name' | 'user_external_id' | 'group_external_id' | 'id';
  ids: string[];
  kept?: string;
}

/** What there is at the target under the ID of a directory. `changed`: it was imported, and then pushed to, synced or changed here. */
type TargetState = 'absent' | 'imported' | 'changed' | 'foreign' | 'deleting';

export interface ImportRecord {
  state: TargetState;
  /** What the last import read. */
  counts: Counts | undefined;
  lastModified: Date | undefined;
}

export interface WriteOptions {
  source: string;
  counts: Counts;
  lastModified: Date | undefined;
  /** Only changed rows were staged, so a row that was not is not deleted. */
  isPartial: boolean;
  announces: boolean;
  queued: QueuedEvent[];
}

export interface Written {
  /** Rows that were inserted, changed or deleted. */
  changed: Counts;
  /** Rows that were inserted. */
  added: Counts;
  /** Whether settings of the directory were changed. */
  settings: boolean;
  /** Queued events that were not imported before. */
  queued: number;
}

export interface Checksums {
  users: string;
  memberships: string;
}

/** One directory at the target. Nothing of it is visible before `write` has committed. */
export interface ImportTarget {
  record(directory: PolisDirectory): Promise<ImportRecord>;
  begin(): Promise<void>;
  stageUsers(users: AsyncIterable<ImportedUser[]>): Promise<void>;
  stageGroups(groups: AsyncIterable<ImportedGroup[]>): Promise<void>;
  stageMemberships(memberships: AsyncIterable<ImportedMembership[]>): Promise<void>;
  /** Removes memberships of nobody, and those of groups that are not in this directory. */
  dropOrphans(directory: PolisPlace, isPartial: boolean): Promise<{ orphans: number; elsewhere: number }>;
  /** Finds what cannot exist side by side, and leaves only what the policy keeps. */
  resolveConflicts(policy: ConflictPolicy): Promise<Conflict[]>;
  staged(): Promise<{ counts: Counts; checksums: Checksums; largestGroup: number; resourceBytes: number }>;
  /** `changed`: the directory has been changed here since its import. `conflict`: changed rows conflict with rows that were not staged. */
  write(directory: PolisDirectory, options: WriteOptions): Promise<Written | 'changed' | 'conflict'>;
  /** Directories that were imported from this source. */
  listImported(source: string): Promise<Pick<PolisDirectory, 'key' | 'id' | 'tenant' | 'product'>[]>;
  /** Deletes a directory that is no longer in Polis. `changed`: it has been changed here since its import. */
  remove(directoryKey: string, options: Pick<WriteOptions, 'announces'>): Promise<'removed' | 'changed'>;
  stored(directoryId: string): Promise<{ counts: Counts; checksums: Checksums }>;
}

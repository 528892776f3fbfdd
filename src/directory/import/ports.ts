import type { JsonObject } from '../../scim/json.ts';
import type { DirectoryUsage, Quotas } from '../quotas.ts';
import type { Group } from '../resources/group.ts';
import type { User } from '../resources/user.ts';
import type { PolisDirectory, PolisRow, PolisSetupLink, QueuedEvent } from './polis-records.ts';

export interface Counts {
  users: number;
  groups: number;
  memberships: number;
}
export const kinds = ['users', 'groups', 'memberships'] as const;
export type Kind = (typeof kinds)[number];

/** Whether the added rows explain the difference between the counts of the last import and those of Polis. Otherwise rows were deleted. */
export const explains = (before: Counts, added: Counts, now: Counts): boolean =>
  kinds.every((kind) => before[kind] + added[kind] === now[kind]);

/** A directory, and what else decides which rows are its own. */
export interface SourceDirectory extends PolisDirectory {
  /** The IDs in Polis of all directories of its tenant and product. */
  siblings: string[];
  /**
   * What to do with users and groups of its tenant and product that have no index, from before 2023: `own` imports them, `report` reports
   * them as unreadable because their directory is unknown, and `ignore` leaves them to another directory.
   */
  unindexed: 'own' | 'report' | 'ignore';
}

/** Where Polis keeps its data, read at one point in time. */
export interface PolisSource {
  /** For the record of where a directory came from. It contains no password. */
  name: string;
  /** Whether timestamps and queued events can be read. */
  isDatabase: boolean;
  /** Whether rows are read newest first, otherwise oldest first. */
  isNewestFirst: boolean;
  listDirectories(): AsyncIterable<PolisRow[]>;
  /** Zero if the source cannot count. */
  count(directory: SourceDirectory): Promise<Counts>;
  /** With `since`, only rows that were changed after it. */
  read(kind: Kind, directory: SourceDirectory, since?: Date): AsyncIterable<PolisRow[]>;
  countQueued(polisId: string): Promise<number>;
  /** Events that were not delivered, oldest first. */
  readQueued(polisId: string): AsyncIterable<PolisRow[]>;
  /** Of directory sync and of single sign-on. */
  listSetupLinks(): AsyncIterable<PolisRow[]>;
}

/** Reads users and groups of a provider that is pulled, as a sync stores them; undefined if they are not what the provider sends. */
export interface ProviderRecords {
  toUser(raw: JsonObject): JsonObject | undefined;
  toGroup(raw: JsonObject): JsonObject | undefined;
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

/** Postgres cannot store the rows of a directory. */
export class UnstorableError extends Error {
  override readonly name = 'UnstorableError';
}

/** Importing only changed rows is not enough: something was deleted in Polis, or conflicts with rows that were not staged. */
export class IncompleteChangesError extends Error {
  override readonly name = 'IncompleteChangesError';
}

export type ConflictPolicy = 'fail' | 'newest' | 'skip';

/** Users or groups that have the same unique value. `kept` is the one that stays; unset if none does. */
export interface Conflict {
  kind: 'user_name' | 'user_external_id' | 'group_external_id' | 'id';
  ids: string[];
  kept?: string;
}

export type ImportedDirectory = Pick<PolisDirectory, 'id' | 'polisId' | 'tenant' | 'product'>;

/** What the target has under the ID of a directory. `changed`: it was imported, and then pushed to, synced or changed in Rollcall. */
type TargetState = 'absent' | 'imported' | 'changed' | 'foreign' | 'deleting';

export interface ImportRecord {
  state: TargetState;
  /** When the newest row that was imported was changed in Polis. */
  lastModified: Date | undefined;
}

export interface WriteOptions {
  source: string;
  /** Whether rows were staged newest first. */
  isNewestFirst: boolean;
  /** Of the rows in Polis. */
  counts: Counts;
  lastModified: Date | undefined;
  /** Whether Polis is followed. It syncs the directory then, so Rollcall does not until `endFollowing`. */
  follows: boolean;
  announces: boolean;
}

export interface Written {
  /** Rows that were inserted, changed or deleted. */
  changed: Counts;
  /** Rows that were inserted. */
  added: Counts;
  /** `kept`: Polis has newer settings, but they were changed in Rollcall since the import. */
  settings: 'written' | 'kept' | 'same';
  /** Queued events that were not imported before. */
  queued: number;
}

export interface Checksums {
  users: string;
  memberships: string;
}

export interface SetupLinksToImport {
  /** The name of the source. */
  source: string;
  links: PolisSetupLink[];
  /** Revokes imported links of `within` that are not `present` in Polis. Unset if some links of Polis could not be read. */
  missing?: { present: Owner[]; within: Partial<Owner> } | undefined;
  isDryRun: boolean;
}

export interface SetupLinkTally {
  /** Written, or to be written if it is a dry run. */
  imported: number;
  unchanged: number;
  /** They are no longer in Polis. */
  revoked: number;
  /** Rollcall has a valid link of its own for these, which stays. */
  skipped: { tenant: string; product: string }[];
}

type Owner = Pick<PolisDirectory, 'tenant' | 'product'>;

/** Directories are imported one after the other, each in one transaction, from `begin` to `write` or `end`. */
export interface ImportTarget {
  readRecord(directoryId: string): Promise<ImportRecord>;
  /** With `isPartial`, only changed rows will be staged, and rows that are not staged stay. */
  begin(directory: SourceDirectory, isPartial: boolean): Promise<void>;
  stageUsers(users: AsyncIterable<ImportedUser[]>): Promise<void>;
  stageGroups(groups: AsyncIterable<ImportedGroup[]>): Promise<void>;
  stageMemberships(memberships: AsyncIterable<ImportedMembership[]>): Promise<void>;
  /** Events that were not imported before come first when the directory is written. */
  stageQueued(events: AsyncIterable<QueuedEvent[]>): Promise<void>;
  /** Removes memberships whose user or group is not staged. `elsewhere`: those that may belong to another directory. */
  dropOrphans(): Promise<{ orphans: number; elsewhere: number }>;
  /** Finds users and groups that have the same unique value, and leaves only those that the policy keeps. */
  resolveConflicts(policy: ConflictPolicy): Promise<Conflict[]>;
  readStaged(): Promise<{ usage: DirectoryUsage & Pick<Quotas, 'groupMembers' | 'groupsPerMember'>; checksums: Checksums }>;
  /** `changed`: the directory has been changed in Rollcall since its import. Fails with `IncompleteChangesError`. */
  write(options: WriteOptions): Promise<Written | 'changed'>;
  /** Drops what was staged and not written. */
  end(): Promise<void>;
  readStored(directoryId: string): Promise<{ counts: Counts; checksums: Checksums }>;
  /** Directories that were imported from this source. */
  listImported(source: string): Promise<ImportedDirectory[]>;
  /** Deletes a directory that is no longer in Polis. `changed`: it has been changed in Rollcall since its import. */
  remove(directoryId: string, options: Pick<WriteOptions, 'announces'>): Promise<'removed' | 'changed'>;
  /** Writes all or nothing. */
  writeSetupLinks(links: SetupLinksToImport): Promise<SetupLinkTally>;
  /** Rollcall syncs these directories from now on. */
  endFollowing(directoryIds: string[]): Promise<void>;
}

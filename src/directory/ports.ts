import type { Position } from '../scim/cursor.ts';
import type { Filter } from '../scim/filter/filter.ts';
import type { AttributePath } from '../scim/schema/attribute.ts';
import type { Group, GroupUser, GroupWithMembers } from './resources/group.ts';
import type { ContinuedPage, Page, PageRequest, RowPosition } from './page.ts';
import type { User, UserWithGroups } from './resources/user.ts';
import type { ReportedStatus } from './delivery/ports.ts';
import type { Directory, DirectoryChange, DirectoryRemoval, DirectoryType, NewDirectory } from './directories/directory.ts';
import type { CostlyQuota, Quota, Quotas } from './quotas.ts';
import type { HourOfActivity } from './activity/activity.ts';
import type { Failing } from './health/failing.ts';
import type { HealthStatus, HealthSummary } from './health/health-status.ts';
import type { Overview } from './health/overview.ts';
import type { SyncState } from './sync/sync-run.ts';

/** The interfaces that the domain uses and other folders implement (`store`, `webhooks`, `temporal`). `app` connects them. */
export type { ChangeStore, Changed } from './changes/snapshot.ts';
export type { WakeDelivery } from './delivery/ports.ts';
export type { GroupWithMembers } from './resources/group.ts';
export type { Caller, Intake, StagedMutationStore, SubmittedMutation } from './intake/ports.ts';
export type { Page, PageRequest, RowPosition } from './page.ts';
export type { RecordedRequestStore } from './recorded-requests/recorded-request.ts';
export type { UserWithGroups } from './resources/user.ts';

/** Which resources of a directory to list, and in which order. */
export interface ResourceQuery {
  filter?: Filter | undefined;
  sort?: { path: AttributePath; descending: boolean } | undefined;
  page: Page | { after: Position | undefined; limit: number };
}

export interface ResourcePage<Resource> {
  resources: Resource[];
  total: number;
  /** Where the next page begins. The last page has none. */
  next?: Position;
}

/** A user or group by its key, or by the ID that Google gave it in a directory that is pulled from Google. */
export interface Reference {
  by: 'key' | 'googleId';
  id: string;
}

/** A resource that was read from one of several directories. */
export type OfDirectory<Resource> = Resource & { directoryId: string };

/** All given conditions must hold. Names and addresses match in any case. */
export interface UserFilter {
  /** A part of the name, user name, e-mail address or external ID, in capitals or not. No index serves it. */
  search?: string | undefined;
  /** Any of the addresses; without one, the user name. */
  email?: string | undefined;
  userName?: string | undefined;
  /** The provider's ID. */
  idpId?: string | undefined;
  /** A group with the user as a direct member. */
  group?: { id: string; directoryId: string } | undefined;
  isActive?: boolean | undefined;
  updatedAfter?: Date | undefined;
}

export interface GroupFilter {
  /** A direct member. */
  user?: { id: string; directoryId: string } | undefined;
  idpId?: string | undefined;
}

/** A page that ends early, because it would take too much memory, `isCut`. */
export interface PageAcross<Resource> extends ContinuedPage<Resource, RowPosition> {
  isCut: boolean;
}

/** `memberCount`: users and groups that are direct members. */
export type CountedGroup = OfDirectory<Group> & { memberCount: number };

export interface UserStore {
  find(directoryIds: string[], reference: Reference): Promise<OfDirectory<User> | undefined>;
  listAcross(
    directoryIds: string[],
    query: { page: PageRequest<RowPosition>; filter?: UserFilter; withGroups?: boolean },
  ): Promise<PageAcross<OfDirectory<UserWithGroups>>>;
  /** The groups of one user. Rejects so many that no response could hold them. */
  groupsOf(directoryId: string, userId: string): Promise<NonNullable<UserWithGroups['groups']>>;
  get(directoryId: string, id: string, reading?: { withGroups?: boolean }): Promise<UserWithGroups | undefined>;
  list(directoryId: string, query: ResourceQuery & { withGroups?: boolean }): Promise<ResourcePage<UserWithGroups>>;
}

export interface GroupStore {
  find(directoryIds: string[], reference: Reference): Promise<CountedGroup | undefined>;
  listAcross(directoryIds: string[], query: { page: PageRequest<RowPosition>; filter?: GroupFilter }): Promise<PageAcross<CountedGroup>>;
  /** The members that are users, newest first. */
  listUsers(directoryId: string, groupId: string, page: PageRequest<number>): Promise<ContinuedPage<Pick<GroupUser, 'id'>, number>>;
  /** In the order in which they were added, with display names. Rejects a group that is too large for one response. */
  getUsers(directoryId: string, groupId: string, limit: number): Promise<GroupUser[]>;
  get(directoryId: string, id: string, reading?: { withMembers?: boolean }): Promise<GroupWithMembers | undefined>;
  /** A page ends early when its groups have very many members. */
  list(directoryId: string, query: ResourceQuery & { withMembers?: boolean }): Promise<ResourcePage<GroupWithMembers>>;
}

export interface DirectoryStore {
  overview(owner: DirectoryOwner): Promise<Overview>;
  create(directory: NewDirectory & Pick<DirectoryChange, 'quotas'>): Promise<Directory>;
  get(id: string): Promise<Directory | undefined>;
  /** The few columns that every pushed request needs. `isFresh`: what was read before the call is not used. */
  getScimAccess(id: string, options?: { isFresh?: boolean }): Promise<ScimAccess | undefined>;
  /** The directories that match a selector. */
  findIds(selector: DirectorySelector): Promise<string[]>;
  /** Returns the newest directory first. With `among`: only directories with one of these. */
  list(owner: DirectoryOwner, page: PageRequest<string>, filter?: DirectoryFilter): Promise<ContinuedPage<DirectoryInList, string>>;
  /** Default: directories of all products. */
  count(among: DirectoryOwner, products?: string[]): Promise<number>;
  health(id: string): Promise<DirectoryHealth | undefined>;
  /** The last hours, the present one last. */
  activity(id: string): Promise<HourOfActivity[]>;
  update(id: string, change: DirectoryChange): Promise<Directory | undefined>;
  /** Hides the directory from every read, or deactivates it and begins to delete it in batches. */
  remove(id: string, removal?: DirectoryRemoval): Promise<'gone' | 'hidden' | 'removing'>;
}

/** All given fields must match. */
export interface DirectoryOwner {
  tenant?: string;
  product?: string;
  directoryId?: string;
}

/** All given fields must match. */
export interface DirectoryFilter {
  among?: readonly HealthStatus[] | undefined;
  type?: DirectoryType | undefined;
  /** A part of the name, tenant or product, in capitals or not, or the ID. */
  search?: string | undefined;
}

/** All given fields must match. */
export type DirectorySelector = { directoryId: string; tenant?: string; product?: string } | { tenant: string; product: string };

export interface ScimAccess {
  directoryId: string;
  deactivated: boolean;
  /** Whether it was read for this call. Otherwise a token that another process has just issued may be missing. */
  isFresh: boolean;
  /** All secrets that are valid now. None if the directory does not accept its secret. */
  secrets: { id: string; secret: string; isUseNoted: boolean }[];
  /** The SHA-256 of all access tokens that had not expired when they were read. */
  tokens: { hash: Buffer; expiresAtMs: number }[];
}

export interface DirectoryInList {
  directory: Directory;
  health: HealthSummary;
}

/** What an operator needs to see whether a directory works. */
export interface DirectoryHealth extends HealthSummary {
  lastPushAt: Date | undefined;
  /** The last error response to the identity provider. */
  lastError: { at: string; method: string; path: string; status: number; detail: string } | undefined;
  /** When a request with a wrong secret was last rejected. */
  secretRejectedAt: Date | undefined;
  users: number;
  groups: number;
  /** Users without a required attribute. */
  lackingRequired: number;
  /** How much of each quota is used. `groupMembers` is the size of the largest group. Undefined: counting takes too long. */
  used: Record<Exclude<Quota, 'searches' | CostlyQuota>, number> & Record<CostlyQuota, number | undefined>;
  ownQuotas: Partial<Quotas>;
  scimSecrets: { id: string; createdAt: Date; expiresAt: Date | undefined; lastUsedAt: Date | undefined }[];
  /** The last run of a pulled directory. */
  sync: { runId: string; state: SyncState; at: Date; lastSuccessAt: Date | undefined; error: string | undefined } | undefined;
  delivery: Failing & { status: ReportedStatus; reason: string | undefined; backlog: number; lastSuccessAt: Date | undefined };
}

/** Deletes the data of removed directories in small steps. */
export interface DeletionStore {
  /** Returns whether there is more to delete. */
  deleteSome(directoryId: string, limit: number): Promise<boolean>;
  /** Deletions that have made no progress for a while. */
  findUnfinished(limit: number): Promise<string[]>;
}

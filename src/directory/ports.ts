import type { Directory, DirectoryChange } from './directory.ts';
import type { Snapshot, Writes } from './changes/snapshot.ts';
import type { Wanted } from './changes/wanted.ts';
import type { Mutation, Outcome } from './mutation.ts';
import type { EndpointStatus } from './delivery/operate-delivery.ts';
import type { ToldEvents } from './event.ts';
import type { Quota, Quotas } from './quotas.ts';
import type { Filter } from '../scim/filter/filter.ts';
import type { Position } from '../scim/cursor.ts';
import type { AttributePath } from '../scim/schema/attribute.ts';
import type { Group, GroupMember, GroupUser } from './group.ts';
import type { RecordedRequest } from './recorded-requests/recorded-request.ts';
import type { SyncState } from './sync/run.ts';
import type { User } from './user.ts';

/** What the domain asks of the world. `store`, `webhooks` and `temporal` answer; `compose.ts` brings them together. */

export interface Page {
  offset: number;
  limit: number;
}

export interface DirectoryStore {
  create(directory: Directory & Pick<DirectoryChange, 'quotas'>): Promise<Directory>;
  get(id: string): Promise<Directory | undefined>;
  /** The little that every pushed request asks for. */
  getScimAccess(id: string): Promise<ScimAccess | undefined>;
  /** Ids only: of what is read across directories. */
  findIds(selector: DirectorySelector): Promise<string[]>;
  /** Newest first; of all tenants, or all products, if none is given. */
  list(owner: DirectoryOwner, page: Page): Promise<Directory[]>;
  /** Of these products, or all. */
  count(products?: string[]): Promise<number>;
  health(id: string): Promise<DirectoryHealth | undefined>;
  update(id: string, change: DirectoryChange): Promise<Directory | undefined>;
  /** From then on it is seen by nobody. True if there was one. */
  remove(id: string): Promise<boolean>;
}

export interface DirectoryOwner {
  tenant?: string;
  product?: string;
}

/** Everything that is given must fit. */
export type DirectorySelector = { directoryId: string; tenant?: string; product?: string } | { tenant: string; product: string };

interface ScimAccess {
  directoryId: string;
  deactivated: boolean;
  /** All that are valid now. */
  secrets: { id: string; secret: string; isUseNoted: boolean }[];
}

/** What a person looks at first who asks whether a directory is well. */
export interface DirectoryHealth {
  lastPushAt: Date | undefined;
  /** The last one that the provider was told. */
  lastRefusal: { at: string; method: string; path: string; status: number; detail: string } | undefined;
  users: number;
  groups: number;
  /** How much of each quota is used, as far as the database says it: of the members of a group, by the largest one. */
  used: Record<Exclude<Quota, 'searches' | 'groupsPerMember'>, number> & { groupsPerMember: number | undefined };
  ownQuotas: Partial<Quotas>;
  scimSecrets: { id: string; createdAt: Date; expiresAt: Date | undefined; lastUsedAt: Date | undefined }[];
  /** Of a hosted directory, once there was a run. */
  sync: { runId: string; state: SyncState; at: Date; lastSuccessAt: Date | undefined; error: string | undefined } | undefined;
  delivery: { status: EndpointStatus; reason: string | undefined; hasWebhook: boolean; backlog: number; lastSuccessAt: Date | undefined };
}

/** Takes a directory away that is being deleted, some at a time. */
export interface DeletionStore {
  /** Says whether there is more. */
  deleteSome(directoryId: string, limit: number): Promise<boolean>;
  /** Deletions that nobody has gone on with for a while. */
  findUnfinished(limit: number): Promise<string[]>;
}

/** A read ends, also in the database, once the signal is aborted: nobody waits for it any more. */
interface Reading {
  /** Asked for only where it is needed: to make a signal takes a tenth of the time in which a user is read. */
  signal?: (() => AbortSignal) | undefined;
}

/** Which resources of a directory, in which order, and which of them. */
export interface ResourceQuery {
  filter?: Filter | undefined;
  sort?: { path: AttributePath; descending: boolean } | undefined;
  page: Page | { after: Position | undefined; limit: number };
}

export interface ResourcePage<Resource> {
  resources: Resource[];
  total: number;
  /** Where the next page begins, unless this is the last one. */
  next?: Position;
}

/** A page across directories, oldest first. It is cut where it would fill the memory, and says so. */
export interface AcrossPage<Resource> {
  resources: Resource[];
  isCut: boolean;
}

export interface UserStore {
  find(directoryIds: string[], id: string): Promise<User | undefined>;
  listAcross(directoryIds: string[], page: Page, signal?: AbortSignal): Promise<AcrossPage<User>>;
  get(directoryId: string, id: string, reading?: Reading & { withGroups?: boolean }): Promise<UserWithGroups | undefined>;
  list(directoryId: string, query: ResourceQuery & Reading & { withGroups?: boolean }): Promise<ResourcePage<UserWithGroups>>;
}
/** The groups that the user is a direct member of, where they were asked for. */
export type UserWithGroups = User & { groups?: Pick<Group, 'id' | 'displayName'>[] };

export interface GroupStore {
  find(directoryIds: string[], id: string): Promise<(Group & { directoryId: string }) | undefined>;
  listAcross(directoryIds: string[], page: Page, signal?: AbortSignal): Promise<AcrossPage<Group>>;
  /** Its members that are users, in the order in which they came. */
  listUsers(directoryId: string, groupId: string, page: Page, signal?: AbortSignal): Promise<Pick<GroupUser, 'id'>[]>;
  /** With what they are shown as. A group that is too large for one response is rejected. */
  getUsers(directoryId: string, groupId: string, reading: { limit: number; signal?: AbortSignal | undefined }): Promise<GroupUser[]>;
  get(directoryId: string, id: string, reading?: Reading & { withMembers?: boolean }): Promise<GroupWithMembers | undefined>;
  /** Very large groups, with their members, make a page end early. */
  list(directoryId: string, query: ResourceQuery & Reading & { withMembers?: boolean }): Promise<ResourcePage<GroupWithMembers>>;
}
/** All members in the order in which they came, where they were asked for. */
export type GroupWithMembers = Group & { members?: GroupMember[] };

export interface RecordedRequestStore {
  /** Keeps the newest 100 of each directory; those of a directory that is gone are passed over. */
  add(requests: RecordedRequest[]): Promise<void>;
  /** Newest first. */
  list(directoryId: string, page: Page, signal?: AbortSignal): Promise<RecordedRequest[]>;
}

export interface Changed {
  wake: boolean;
  /** Where the store was made to say it: the events, */
  told?: ToldEvents;
  /** and the groups of the users that are to be shown and are not in too many of them, unless this change touched members. */
  groupsOfShown?: Record<string, UserWithGroups['groups']>;
}

export interface ChangeStore {
  /**
   * Reads what is wanted, has it decided what is to be written, and writes it with the directory's next sequence numbers, as if
   * nothing else changed the directory meanwhile. `decide` may run more than once. `wake` says that this change found the delivery
   * asleep: somebody must wake it. `too_large` says that several mutations together would read more than `maxBytes` of memory; of one
   * that would, `decide` gets a snapshot that is over budget.
   */
  change(
    request: { directoryId: string; mutationIds: string[]; wanted: Wanted; shownUsers: string[]; maxBytes: number },
    decide: (snapshot: Snapshot) => Writes | Promise<Writes>,
  ): Promise<Changed | 'gone' | 'too_large'>;
  /** Of a mutation that was applied. */
  outcomeOf(directoryId: string, mutationId: string): Promise<Outcome | undefined>;
  /** Outcomes are kept as long as a mutation could run again; this drops the old ones and says how many. */
  forgetOutcomes(limit: number): Promise<number>;
}

/** A mutation that is not small: what it says stands in Postgres, sealed, since Temporal keeps a workflow's input long after it has ended. */
interface StagedMutation {
  kind: 'staged';
  of: Mutation['kind'];
  /** As JSON. */
  bytes: number;
  id: string;
  directoryId: string;
  /** What it would make or change; of a Bulk nothing. */
  resourceId?: string;
}
export type HandedIn = Mutation | StagedMutation;

export interface StagedMutationStore {
  /** `written` is the mutation as JSON, where that is known. Its directory may have no room for more. */
  put(mutation: Mutation, written?: string): Promise<StagedMutation | { kind: 'full'; message: string }>;
  fetch(staged: StagedMutation): Promise<Mutation>;
  /** It was applied. */
  drop(staged: StagedMutation): Promise<void>;
  /** Drops those that nobody can want any more: who would have dropped them died. */
  forget(limit: number): Promise<number>;
}

/** Wakes the delivery of a directory; more often than needed does no harm. */
export type WakeDelivery = (directoryId: string) => Promise<void>;

/** Has a mutation applied durably, and gives its outcome once it is committed. */
export interface Intake {
  /** What still waits for its turn is taken back once its caller has left. */
  submit(mutation: Mutation, caller?: Caller): Promise<Outcome>;
}

/** Whoever waits for a response. Each change has one: this costs a tenth of an `AbortSignal`. */
export interface Caller {
  throwIfLeft(): void;
  /** Gives what stops listening. */
  onLeave(listener: (reason: Error) => void): () => void;
}

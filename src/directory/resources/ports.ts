import type { Position } from '../../scim/cursor.ts';
import type { Filter } from '../../scim/filter/filter.ts';
import type { AttributePath } from '../../scim/schema/attribute.ts';
import type { Group, GroupUser, GroupWithMembers } from './group.ts';
import type { PageAcrossDirectories, Page } from '../page.ts';
import type { User, UserWithGroups } from './user.ts';

/** A read also stops in the database when its signal is aborted. */
interface ReadOptions {
  /** Called only where a signal is needed: creating one takes a tenth of the time of reading a user. */
  signal?: (() => AbortSignal) | undefined;
}

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

/** A resource that was read from one of several directories. */
export type OfDirectory<Resource> = Resource & { directoryId: string };

/** A user or group by its key, or by the ID that Google gave it in a directory that is pulled from Google. */
export interface Reference {
  by: 'key' | 'googleId';
  id: string;
}

export interface UserStore {
  find(directoryIds: string[], reference: Reference): Promise<OfDirectory<User> | undefined>;
  listAcross(directoryIds: string[], page: Page, signal?: AbortSignal): Promise<PageAcrossDirectories<OfDirectory<User>>>;
  get(directoryId: string, id: string, reading?: ReadOptions & { withGroups?: boolean }): Promise<UserWithGroups | undefined>;
  list(directoryId: string, query: ResourceQuery & ReadOptions & { withGroups?: boolean }): Promise<ResourcePage<UserWithGroups>>;
}

export interface GroupStore {
  find(directoryIds: string[], reference: Reference): Promise<OfDirectory<Group> | undefined>;
  listAcross(directoryIds: string[], page: Page, signal?: AbortSignal): Promise<PageAcrossDirectories<Group>>;
  /** The members that are users, in the order in which they were added. */
  listUsers(directoryId: string, groupId: string, page: Page, signal?: AbortSignal): Promise<Pick<GroupUser, 'id'>[]>;
  /** Like `listUsers`, with display names. Rejects a group that is too large for one response. */
  getUsers(directoryId: string, groupId: string, reading: { limit: number; signal?: AbortSignal | undefined }): Promise<GroupUser[]>;
  get(directoryId: string, id: string, reading?: ReadOptions & { withMembers?: boolean }): Promise<GroupWithMembers | undefined>;
  /** A page ends early when its groups have very many members. */
  list(directoryId: string, query: ResourceQuery & ReadOptions & { withMembers?: boolean }): Promise<ResourcePage<GroupWithMembers>>;
}

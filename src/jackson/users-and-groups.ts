import type { Rollcall } from '../library/index.ts';
import { rejectWithoutOwner, withOwner, type Owner, type Selector } from './owner.ts';
import { filterPages, toResponse, type PaginationParams, type Response } from './response.ts';
import type { Group, User } from './types.ts';

export interface Groups {
  /** Returns a new view. The object it is called on does not change. */
  setTenantAndProduct(tenant: string, product: string): Groups;
  getAll(selector?: Selector): Promise<Response<Group[]>>;
  get(id: string): Promise<Response<Group>>;
  getGroupMembers(selector: { groupId: string } & PaginationParams): Promise<Response<{ user_id: string }[]>>;
  /** Searches the group's members. Returns false if the group does not exist, and throws for other errors. */
  isUserInGroup(groupId: string, userId: string): Promise<boolean>;
  /** Searches all groups of the directory. */
  search(displayName: string, directoryId: string): Promise<Response<Group[]>>;
}

export function createGroups(sync: Rollcall, owner: Owner = {}): Groups {
  return {
    setTenantAndProduct: (tenant, product) => createGroups(sync, { tenant, product }),

    async getAll(selector = {}) {
      return (
        rejectWithoutOwner(owner, 'groups.getAll()', selector.directoryId) ?? toResponse(await sync.groups.list(withOwner(owner, selector)))
      );
    },

    async get(id) {
      return rejectWithoutOwner(owner, 'groups.get(id)') ?? toResponse(await sync.groups.get(id, owner));
    },

    async getGroupMembers({ groupId, ...page }) {
      return (
        rejectWithoutOwner(owner, 'groups.getGroupMembers({ groupId })') ??
        toResponse(await sync.groups.members(groupId, withOwner(owner, page)))
      );
    },

    async isUserInGroup(groupId, userId) {
      const { data, error } =
        rejectWithoutOwner(owner, 'groups.isUserInGroup(groupId, userId)') ??
        (await filterPages<{ user_id: string }>(
          (page) => sync.groups.members(groupId, withOwner(owner, page)),
          (member) => member.user_id === userId,
        ));
      // A failed lookup must not be read as "not a member".
      if (error && error.code !== 404) throw new Error(error.message);
      return data !== null && data.length > 0;
    },

    search(displayName, directoryId) {
      return filterPages<Group>(
        (page) => sync.groups.list(withOwner(owner, { ...page, directoryId })),
        ({ name }) => name === displayName,
      );
    },
  };
}

export interface Users {
  /** Returns a new view. The object it is called on does not change. */
  setTenantAndProduct(tenant: string, product: string): Users;
  getAll(selector?: Selector): Promise<Response<User[]>>;
  get(id: string): Promise<Response<User>>;
  /** Searches all users of the directory: suitable for thousands of users, not for hundreds of thousands. */
  search(userName: string, directoryId: string): Promise<Response<User[]>>;
}

export function createUsers(sync: Rollcall, owner: Owner = {}): Users {
  return {
    setTenantAndProduct: (tenant, product) => createUsers(sync, { tenant, product }),

    async getAll(selector = {}) {
      return (
        rejectWithoutOwner(owner, 'users.getAll()', selector.directoryId) ?? toResponse(await sync.users.list(withOwner(owner, selector)))
      );
    },

    async get(id) {
      return rejectWithoutOwner(owner, 'users.get(id)') ?? toResponse(await sync.users.get(id, owner));
    },

    search(userName, directoryId) {
      const isSelected = ({ email, raw }: User) => email === userName || raw['userName'] === userName;
      return filterPages<User>((page) => sync.users.list(withOwner(owner, { ...page, directoryId })), isSelected);
    },
  };
}

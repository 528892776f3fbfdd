import type { Rollcall } from '../library/index.ts';
import { rejectWithoutOwner, withOwner, type Owner, type Selector } from './owner.ts';
import { filterPages, toResponse, type PaginationParams, type Response } from './response.ts';
import type { Group } from './types.ts';

export interface Groups {
  /** A view of its own: nothing is kept on the object that it was called on. */
  setTenantAndProduct(tenant: string, product: string): Groups;
  getAll(selector?: Selector): Promise<Response<Group[]>>;
  get(id: string): Promise<Response<Group>>;
  getGroupMembers(selector: { groupId: string } & PaginationParams): Promise<Response<{ user_id: string }[]>>;
  /** Reads through the group's members. False if there is no such group. Throws what keeps it from an answer. */
  isUserInGroup(groupId: string, userId: string): Promise<boolean>;
  /** Reads through the directory's groups. */
  search(displayName: string, directoryId: string): Promise<Response<Group[]>>;
}

export function createGroups(sync: Rollcall, owner: Owner = {}): Groups {
  return {
    setTenantAndProduct: (tenant, product) => createGroups(sync, { tenant, product }),

    async getAll(selector = {}) {
      return rejectWithoutOwner(owner, 'groups.getAll()', selector.directoryId) ?? toResponse(await sync.groups.list(withOwner(owner, selector)));
    },

    async get(id) {
      return rejectWithoutOwner(owner, 'groups.get(id)') ?? toResponse(await sync.groups.get(id, owner));
    },

    async getGroupMembers({ groupId, ...page }) {
      return (
        rejectWithoutOwner(owner, 'groups.getGroupMembers({ groupId })') ?? toResponse(await sync.groups.members(groupId, withOwner(owner, page)))
      );
    },

    async isUserInGroup(groupId, userId) {
      const { data, error } =
        rejectWithoutOwner(owner, 'groups.isUserInGroup(groupId, userId)') ??
        (await filterPages<{ user_id: string }>(
          (page) => sync.groups.members(groupId, withOwner(owner, page)),
          (member) => member.user_id === userId,
        ));
      // Who could not be looked for is not to be taken for one who is not there.
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

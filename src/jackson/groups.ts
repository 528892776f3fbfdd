import type { Result } from '../client/result.ts';
import { isPublicId } from '../directory/resources/resource-ids.ts';
import { isId } from '../ids.ts';
import { createOwnerScope, isError, type OwnerScope, type Selected, type Selector } from './owner-scope.ts';
import {
  createErrorResponse,
  filterPages,
  orThrow,
  toListResponse,
  toResponse,
  type ErrorResponse,
  type PaginationParams,
  type Response,
} from './response.ts';
import type { Group, GroupMembership } from './types.ts';
import { deleteEach, pageOfDeletions, type UsersDeps } from './users.ts';
import type { Writes } from './writes.ts';

type Member = Pick<GroupMembership, 'user_id'>;

export interface Groups {
  /** Later calls on this object by the same asynchronous caller, and all calls on the result, read this tenant's groups. */
  setTenantAndProduct(tenant: string, product: string): Groups;
  getAll(selector?: Selector): Promise<Response<Group[]>>;
  get(id: string): Promise<Response<Group>>;
  getGroupMembers(selector: { groupId: string } & PaginationParams): Promise<Response<Member[]>>;
  /** Reads all members. */
  getGroupMembersCount(groupId: string): Promise<number>;
  /** Searches the group's members. Returns false if the group does not exist, and throws for other errors. */
  isUserInGroup(groupId: string, userId: string): Promise<boolean>;
  /** Searches all groups of the directory. */
  search(displayName: string, directoryId: string): Promise<Response<Group[]>>;
  /** Unlike in Polis, writes emit events. */
  create(group: Omit<Group, 'id'> & { id?: string; directoryId: string }): Promise<Response<Group>>;
  /** Members do not change. */
  update(id: string, group: Omit<Group, 'id'>): Promise<Response<Group>>;
  delete(id: string): Promise<Response<null>>;
  deleteAll(directoryId: string): Promise<void>;
  addUserToGroup(groupId: string, userId: string): Promise<void>;
  removeUserFromGroup(groupId: string, userId: string): Promise<void>;
  removeAllUsers(groupId: string): Promise<void>;
}

const notFound = (id: string) => `Group with id ${id} not found.`;

/** Groups of any size can be read. */
const withoutMembers = { include_members: 'false' } as const;

/** A group as in a list: `getGroupMembers` has the members. */
function present(result: Result<Group>, id: string): Response<Group> {
  const response = toResponse(result, notFound(id));
  if (response.error) return response;
  const { name, raw } = response.data;
  return { data: { id: response.data.id, name, raw: { ...raw, members: [] } }, error: null };
}

export function createGroups(deps: UsersDeps, owner: OwnerScope = createOwnerScope()): Groups {
  const { sync, writes } = deps;
  return {
    setTenantAndProduct: (tenant, product) => createGroups(deps, owner.set(tenant, product)),

    async getAll(selector) {
      const selected = owner.select(selector);
      return isError(selected) ? selected : toListResponse(await sync.groups.list(selected));
    },

    async get(id) {
      if (!id) return createErrorResponse(notFound(id), 404);
      const selected = owner.select();
      return isError(selected) ? selected : present(await sync.groups.get(id, { ...selected, ...withoutMembers }), id);
    },

    async getGroupMembers({ groupId, ...page }) {
      const selected = owner.select(page);
      return isError(selected) ? selected : toListResponse(await sync.groups.members(groupId, selected));
    },

    getGroupMembersCount: async (groupId) => (await findMembers(groupId, owner.select())).length,

    // A failed lookup must not be read as "not a member".
    async isUserInGroup(groupId, userId) {
      const selected = owner.select();
      const memberId = isError(selected) ? userId : await toMemberId(userId, selected);
      return (await findMembers(groupId, selected, memberId)).length > 0;
    },

    search(displayName, directoryId) {
      const selected = owner.select({ directoryId });
      const fits = ({ name }: Group) => name === displayName;
      return isError(selected) ? Promise.resolve(selected) : filterPages<Group>((page) => sync.groups.list({ ...selected, ...page }), fits);
    },

    async create({ directoryId, ...group }) {
      const selected = owner.select({ directoryId, pageLimit: 1 });
      const owned = isError(selected) ? selected : toResponse(await sync.groups.list(selected));
      if (owned.error) return owned;
      const created = await writes.createGroup(directoryId, group);
      if (created.error) return created;
      return present(await sync.groups.get(created.data.id, { directoryId, ...withoutMembers }), created.data.id);
    },

    async update(id, group) {
      const found = await findPlace(id, owner.select());
      if (found.error) return found;
      const { directoryId } = found.data;
      const updated = await writes.updateGroup(directoryId, found.data.id, group);
      return updated.error ? updated : present(await sync.groups.get(id, { directoryId, ...withoutMembers }), id);
    },

    async delete(id) {
      const { error } = await writeTo(id, owner.select(), (group) => writes.deleteGroup(group.directoryId, group.id));
      return error ? { data: null, error } : { data: null, error: null };
    },

    async deleteAll(directoryId) {
      const selected = owner.select({ directoryId });
      if (isError(selected)) throw new Error(selected.error.message);
      await deleteEach(
        () => sync.groups.list({ ...selected, pageLimit: pageOfDeletions }),
        (id) => writes.deleteGroup(directoryId, id),
      );
    },

    async addUserToGroup(groupId, userId) {
      orThrow(await writeTo(groupId, owner.select(), (group) => writeMember(group, userId, writes.addMember)));
    },
    async removeUserFromGroup(groupId, userId) {
      orThrow(await writeTo(groupId, owner.select(), (group) => writeMember(group, userId, writes.removeMember)));
    },
    async removeAllUsers(groupId) {
      orThrow(await writeTo(groupId, owner.select(), ({ directoryId, id }) => writes.removeMembers(directoryId, id)));
    },
  };

  async function findMembers(groupId: string, selected: Selected | ErrorResponse, userId?: string): Promise<Member[]> {
    if (isError(selected)) throw new Error(selected.error.message);
    const fits = (member: Member) => userId === undefined || member.user_id === userId;
    return orThrow(await filterPages<Member>((page) => sync.groups.members(groupId, { ...selected, ...page }), fits));
  }

  async function writeTo(
    id: string,
    selected: Selected | ErrorResponse,
    write: (group: Place) => Promise<Response<{ id: string }>>,
  ): Promise<Response<{ id: string }>> {
    const found = await findPlace(id, selected);
    return found.error ? found : write(found.data);
  }

  async function writeMember({ directoryId, id }: Place, userId: string, write: Writes['addMember']): Promise<Response<{ id: string }>> {
    return write(directoryId, id, await toMemberId(userId, { directoryId }));
  }

  /** Google's ID finds a user too. The user may not exist yet. */
  async function toMemberId(userId: string, selected: Selected): Promise<string> {
    if (isId(userId) || !isPublicId(userId)) return userId;
    const found = toResponse(await sync.users.get(userId, selected));
    return found.error?.code === 404 ? userId : orThrow(found).id;
  }

  /** A group does not show its directory, as in Polis. A tenant has few directories. */
  async function findPlace(id: string, selected: Selected | ErrorResponse): Promise<Response<Place>> {
    if (isError(selected)) return selected;
    const { tenant, product, directoryId } = selected;
    const directories =
      tenant === undefined || product === undefined
        ? { data: [{ id: directoryId! }], error: null }
        : await filterPages<{ id: string }>((page) => sync.directories.list({ tenant, product, ...page }));
    if (directories.error) return directories;
    for (const directory of id ? directories.data : []) {
      const found = toResponse(await sync.groups.get(id, { directoryId: directory.id, ...withoutMembers }));
      if (!found.error) return { data: { directoryId: directory.id, id: found.data.id }, error: null };
      if (found.error.code !== 404) return found;
    }
    return createErrorResponse(notFound(id), 404);
  }
}

/** Where a group is stored. Google's ID finds it too. */
interface Place {
  directoryId: string;
  id: string;
}

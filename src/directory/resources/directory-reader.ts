import { AppError } from '../../errors.ts';
import { notFound } from '../errors.ts';
import { isId } from '../../ids.ts';
import type { Reference } from '../ports.ts';
import { isPublicId, toResourceKey } from './resource-ids.ts';
import { toGroupProfile, toWholeGroupProfile, type NestedGroups } from './group.ts';
import { assertComplete } from '../page.ts';
import type {
  CountedGroup,
  DirectorySelector,
  DirectoryStore,
  GroupFilter,
  GroupStore,
  OfDirectory,
  PageAcross,
  PageRequest,
  RowPosition,
  UserFilter,
  UserStore,
  UserWithGroups,
} from '../ports.ts';
import { toUserProfile } from './user.ts';
import { selectDirectories } from '../directories/directories.ts';

interface DirectoryReaderDeps {
  directories: Pick<DirectoryStore, 'findIds'>;
  users: Pick<UserStore, 'find' | 'listAcross' | 'groupsOf'>;
  groups: Pick<GroupStore, 'find' | 'listAcross' | 'listUsers' | 'getUsers'> & NestedGroups;
}

export type DirectoryReader = ReturnType<typeof createDirectoryReader>;

/** Polis shows the directory of a user, and not that of a group. */
export const presentUser = (user: OfDirectory<UserWithGroups>) => ({
  ...toUserProfile(user),
  directoryId: user.directoryId,
  idp_id: user.externalId ?? null,
  user_name: user.userName,
  state: user.active ? ('active' as const) : ('inactive' as const),
  created_at: user.createdAt.toISOString(),
  updated_at: user.updatedAt.toISOString(),
  ...(user.groups && { groups: user.groups.map(({ id, displayName }) => ({ id, name: displayName })) }),
});

const toGroupFacts = (group: CountedGroup) => ({
  idp_id: group.externalId ?? null,
  member_count: group.memberCount,
  created_at: group.createdAt.toISOString(),
  updated_at: group.updatedAt.toISOString(),
});

export const presentGroup = (group: CountedGroup) => ({ ...toGroupProfile(group), ...toGroupFacts(group) });

export interface ListUsersQuery extends Omit<UserFilter, 'group'> {
  groupId?: string | undefined;
  withGroups?: boolean;
}

/** A larger group is rejected rather than returned in part. */
const maxMembersOfGroup = 100_000;

/** Users and groups as the JSON API shows them, from the directories that a selector matches. */
export function createDirectoryReader({ directories, users, groups }: DirectoryReaderDeps) {
  return {
    async listUsers(
      selector: DirectorySelector,
      { groupId, withGroups = false, ...filter }: ListUsersQuery,
      page: PageRequest<RowPosition>,
    ) {
      const directoryIds = await selectDirectories(directories, selector);
      const group = groupId === undefined ? undefined : await findByEitherId(groupId, (reference) => groups.find(directoryIds, reference));
      if (groupId !== undefined && !group) return nothing;
      const found = await users.listAcross(directoryIds, { page, filter: { ...filter, group }, withGroups });
      return present(found, page, presentUser);
    },

    async getUser(selector: DirectorySelector, id: string, { withGroups = false }: { withGroups?: boolean } = {}) {
      const user = await findUser(selector, id);
      return presentUser(withGroups ? { ...user, groups: await users.groupsOf(user.directoryId, user.id) } : user);
    },

    async listGroups(
      selector: DirectorySelector,
      { userId, idpId }: { userId?: string | undefined; idpId?: string | undefined },
      page: PageRequest<RowPosition>,
    ) {
      const directoryIds = await selectDirectories(directories, selector);
      const user = userId === undefined ? undefined : await findByEitherId(userId, (reference) => users.find(directoryIds, reference));
      if (userId !== undefined && !user) return nothing;
      return listGroupsOf(directoryIds, { user, idpId }, page);
    },

    async listGroupsOfUser(selector: DirectorySelector, userId: string, page: PageRequest<RowPosition>) {
      const user = await findUser(selector, userId);
      return listGroupsOf([user.directoryId], { user }, page);
    },

    async getGroup(selector: DirectorySelector, id: string, { withMembers = true }: { withMembers?: boolean } = {}) {
      const group = await findGroup(selector, id);
      const members = withMembers ? await groups.getUsers(group.directoryId, group.id, maxMembersOfGroup + 1) : [];
      if (members.length > maxMembersOfGroup)
        throw new AppError(
          'invalid_request',
          `This group has more than ${maxMembersOfGroup} members (fixed limit): list them page by page at …/members.`,
        );
      return { ...toWholeGroupProfile(group, members), ...toGroupFacts(group) };
    },

    async listMembers(selector: DirectorySelector, groupId: string, page: PageRequest<number>) {
      const group = await findGroup(selector, groupId);
      const { resources, next } = await groups.listUsers(group.directoryId, group.id, page);
      return { data: resources.map(({ id }) => ({ user_id: id })), next };
    },

    async listNestedGroups(selector: DirectorySelector, groupId: string, page: PageRequest<number>) {
      const group = await findGroup(selector, groupId);
      const { resources, next } = await groups.listNested(group.directoryId, group.id, page);
      return { data: resources.map(({ id, displayName }) => ({ id, name: displayName })), next };
    },
  };

  async function listGroupsOf(directoryIds: string[], filter: GroupFilter, page: PageRequest<RowPosition>) {
    const found = await groups.listAcross(directoryIds, { page, filter });
    return present(found, page, presentGroup);
  }

  async function findUser(selector: DirectorySelector, id: string) {
    const directoryIds = await selectDirectories(directories, selector);
    const user = await findByEitherId(id, (reference) => users.find(directoryIds, reference));
    if (!user) throw notFound('user');
    return user;
  }

  async function findGroup(selector: DirectorySelector, id: string) {
    const directoryIds = await selectDirectories(directories, selector);
    const group = await findByEitherId(id, (reference) => groups.find(directoryIds, reference));
    if (!group) throw notFound('group');
    return group;
  }
}

const nothing = { data: [], next: undefined };

/** A page by offset must be complete. One that a cursor continues may end early. */
function present<Found, Shown>(found: PageAcross<Found>, page: PageRequest<RowPosition>, toShown: (resource: Found) => Shown) {
  const resources = 'offset' in page ? assertComplete(found) : found.resources;
  return { data: resources.map(toShown), next: found.next };
}

/** Applications that come from Polis know users and groups of Google by Google's IDs. */
async function findByEitherId<Found>(id: string, find: (reference: Reference) => Promise<Found | undefined>): Promise<Found | undefined> {
  if (!isPublicId(id)) return undefined;
  return (await find({ by: 'key', id: toResourceKey(id) })) ?? (isId(id) ? undefined : find({ by: 'googleId', id }));
}

import { AppError } from '../../errors.ts';
import { notFound } from '../errors.ts';
import { isId } from '../../ids.ts';
import type { Reference } from '../ports.ts';
import { isPublicId, toResourceKey } from './resource-ids.ts';
import { toGroupProfile, toWholeGroupProfile, type NestedGroups } from './group.ts';
import { assertComplete } from '../page.ts';
import type { DirectorySelector, DirectoryStore, GroupStore, OfDirectory, Page, UserStore } from '../ports.ts';
import { toUserProfile, type User } from './user.ts';
import { selectDirectories } from '../directories/directories.ts';

interface DirectoryReaderDeps {
  directories: Pick<DirectoryStore, 'findIds'>;
  users: Pick<UserStore, 'find' | 'listAcross'>;
  groups: Pick<GroupStore, 'find' | 'listAcross' | 'listUsers' | 'getUsers'> & NestedGroups;
}

export type DirectoryReader = ReturnType<typeof createDirectoryReader>;

/** Polis shows the directory of a user, and not that of a group. */
const toUserOfDirectory = (user: OfDirectory<User>) => ({ ...toUserProfile(user), directoryId: user.directoryId });

/** A larger group is rejected rather than returned in part. */
const maxMembersOfGroup = 100_000;

/** Users and groups as the JSON API shows them, from the directories that a selector matches. */
export function createDirectoryReader({ directories, users, groups }: DirectoryReaderDeps) {
  return {
    async listUsers(selector: DirectorySelector, page: Page) {
      return assertComplete(await users.listAcross(await selectDirectories(directories, selector), page)).map(toUserOfDirectory);
    },

    async getUser(selector: DirectorySelector, id: string) {
      const directoryIds = await selectDirectories(directories, selector);
      const user = await findByEitherId(id, (reference) => users.find(directoryIds, reference));
      if (!user) throw notFound('user');
      return toUserOfDirectory(user);
    },

    async listGroups(selector: DirectorySelector, page: Page) {
      return assertComplete(await groups.listAcross(await selectDirectories(directories, selector), page)).map(toGroupProfile);
    },

    async getGroup(selector: DirectorySelector, id: string) {
      const group = await findGroup(selector, id);
      const members = await groups.getUsers(group.directoryId, group.id, maxMembersOfGroup + 1);
      if (members.length > maxMembersOfGroup)
        throw new AppError(
          'invalid_request',
          `This group has more than ${maxMembersOfGroup} members (fixed limit): list them page by page at …/members.`,
        );
      return toWholeGroupProfile(group, members);
    },

    async listMembers(selector: DirectorySelector, groupId: string, page: Page) {
      const group = await findGroup(selector, groupId);
      const members = await groups.listUsers(group.directoryId, group.id, page);
      return members.map(({ id }) => ({ user_id: id }));
    },

    async listNestedGroups(selector: DirectorySelector, groupId: string, page: Page) {
      const group = await findGroup(selector, groupId);
      const nested = await groups.listNested(group.directoryId, group.id, page);
      return nested.map(({ id, displayName }) => ({ id, name: displayName }));
    },
  };

  async function findGroup(selector: DirectorySelector, id: string) {
    const directoryIds = await selectDirectories(directories, selector);
    const group = await findByEitherId(id, (reference) => groups.find(directoryIds, reference));
    if (!group) throw notFound('group');
    return group;
  }
}

/** Applications that come from Polis know users and groups of Google by Google's IDs. */
async function findByEitherId<Found>(id: string, find: (reference: Reference) => Promise<Found | undefined>): Promise<Found | undefined> {
  if (!isPublicId(id)) return undefined;
  return (await find({ by: 'key', id: toResourceKey(id) })) ?? (isId(id) ? undefined : find({ by: 'googleId', id }));
}

import { AppError } from '../errors.ts';
import { isId } from '../ids.ts';
import { toGroupProfile, toWholeGroupProfile, type NestedGroups } from './group.ts';
import type { AcrossPage, DirectorySelector, DirectoryStore, GroupStore, Page, UserStore } from './ports.ts';
import { toUserProfile } from './user.ts';

export interface DirectoryReaderDeps {
  directories: Pick<DirectoryStore, 'findIds'>;
  users: Pick<UserStore, 'find' | 'listAcross'>;
  groups: Pick<GroupStore, 'find' | 'listAcross' | 'listUsers' | 'getUsers'> & NestedGroups;
}

export type DirectoryReader = ReturnType<typeof createDirectoryReader>;

/** A group with more is refused when it is read whole, rather than shown in part. */
const maxMembersOfGroup = 100_000;

/** What applications read of their directories. Nothing is found outside those that the selector means. */
export function createDirectoryReader({ directories, users, groups }: DirectoryReaderDeps) {
  return {
    async listUsers(selector: DirectorySelector, page: Page, signal?: AbortSignal) {
      return whole(await users.listAcross(await select(selector), page, signal)).map(toUserProfile);
    },

    async getUser(selector: DirectorySelector, id: string) {
      const directoryIds = await select(selector);
      const user = isId(id) ? await users.find(directoryIds, id) : undefined;
      if (!user) throw new AppError('not_found', 'There is no user with this id.');
      return toUserProfile(user);
    },

    async listGroups(selector: DirectorySelector, page: Page, signal?: AbortSignal) {
      return whole(await groups.listAcross(await select(selector), page, signal)).map(toGroupProfile);
    },

    async getGroup(selector: DirectorySelector, id: string, signal?: AbortSignal) {
      const group = await findGroup(selector, id);
      const members = await groups.getUsers(group.directoryId, group.id, { limit: maxMembersOfGroup + 1, signal });
      if (members.length > maxMembersOfGroup)
        throw new AppError('invalid_request', `This group has more than ${maxMembersOfGroup} members: read them by pages, below /members.`);
      return toWholeGroupProfile(group, members);
    },

    async listMembers(selector: DirectorySelector, groupId: string, page: Page, signal?: AbortSignal) {
      const group = await findGroup(selector, groupId);
      const members = await groups.listUsers(group.directoryId, group.id, page, signal);
      return members.map(({ id }) => ({ user_id: id }));
    },

    async listNestedGroups(selector: DirectorySelector, groupId: string, page: Page, signal?: AbortSignal) {
      const group = await findGroup(selector, groupId);
      const nested = await groups.listNested(group.directoryId, group.id, page, signal);
      return nested.map(({ id, displayName }) => ({ id, name: displayName }));
    },
  };

  async function select(selector: DirectorySelector): Promise<string[]> {
    const found = 'directoryId' in selector && !isId(selector.directoryId) ? [] : await directories.findIds(selector);
    if (found.length === 0) throw new AppError('not_found', 'There is no such directory.');
    return found;
  }

  async function findGroup(selector: DirectorySelector, id: string) {
    const directoryIds = await select(selector);
    const group = isId(id) ? await groups.find(directoryIds, id) : undefined;
    if (!group) throw new AppError('not_found', 'There is no group with this id.');
    return group;
  }
}

/** Whoever counts on with the next offset would never see what was cut off. */
function whole<Resource>({ resources, isCut }: AcrossPage<Resource>): Resource[] {
  if (isCut)
    throw new AppError('invalid_request', `This page would be too large: ask for ${resources.length} or fewer.`, { field: 'pageLimit' });
  return resources;
}

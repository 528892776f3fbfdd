import {
  ProviderError,
  type DirectorySource,
  type ProviderGroup,
  type ProviderPage,
  type ProviderUser,
} from '../../directory/sync/provider.ts';
import { type Graph, undocumented } from './graph.ts';
import { assertNoDeltaLink, listMembers } from './directory-source.ts';
import { groupSchema, groupSelection, isGroup, isUser, partialSchema, toGroup, toUser, userSchema, userSelection } from './records.ts';

type PageRequest = Parameters<DirectorySource['listUsers']>[0];

/** `groups`: IDs of groups whose members, including those of nested groups, are synced. `users`: IDs of users who are selected themselves. */
export interface Selection {
  groups: string[];
  users: string[];
}

/**
 * Reads the selected groups and users of a tenant, in full each time: Graph reports changes only of a whole tenant, which may be much larger
 * than the selection. A page token is a group of the selection and a link, or the last user that was read. Users follow the groups.
 */
export function createSelectedSource(graph: Graph, select: (signal: AbortSignal) => Promise<Selection>): DirectorySource {
  return {
    async listUsers(request) {
      const selection = await select(request.signal);
      const after = request.pageToken?.startsWith(userTokenPrefix) ? request.pageToken.slice(userTokenPrefix.length) : '';
      const page = await listFrom(selection, request, (groupId, link) =>
        readMembers(graph, groupId, link, { selection: userSelection, request, toItem: toUserItem }),
      );
      return page ?? readSelectedUsers(graph, selection.users, after, request.signal);
    },

    async listGroups(request) {
      const selection = await select(request.signal);
      const page = await listFrom(selection, request, async (groupId, link) => {
        const nested = await readMembers(graph, groupId, link, { selection: groupSelection, request, toItem: toGroupItem });
        if (link !== undefined) return nested;
        const [own] = await graph.readEach([`/groups/${groupId}?$select=${groupSelection}`], request.signal);
        const read = own && groupSchema.safeParse(own);
        if (read && !read.success) throw undocumented('a group');
        return read ? { ...nested, items: [toGroup(read.data), ...nested.items] } : nested;
      });
      return page ?? { items: [], listed: 0 };
    },

    listMembers: (groupId, request) => listMembers(graph, groupId, request),
  };
}

/** Reads a page of one selected group. Undefined after the last group. */
async function listFrom(
  { groups, users }: Selection,
  { pageToken }: PageRequest,
  read: (groupId: string, link: string | undefined) => Promise<ProviderPage<ProviderUser>>,
): Promise<ProviderPage<ProviderUser> | undefined> {
  const [, groupId = groups[0], link] = /^([\w-]*) ?(.*)$/s.exec(pageToken ?? '') ?? [];
  const current = groupId || groups[0];
  const place = groups.indexOf(current ?? '');
  if (pageToken?.startsWith(userTokenPrefix) || current === undefined) return undefined;
  // The selection has changed meanwhile.
  if (place < 0) throw new ProviderError('reset', 'The assignments changed while they were read.');
  const page = await read(current, link || undefined);
  const next = groups[place + 1] ?? (users.length > 0 ? userTokenPrefix : undefined);
  const nextPageToken = page.nextPageToken === undefined ? next : `${current} ${page.nextPageToken}`;
  // Counts at least 1, because a group without users is no empty page.
  return { items: page.items, listed: Math.max(1, page.listed), ...(nextPageToken !== undefined && { nextPageToken }) };
}

/** A page token of selected users: this prefix, and the ID of the last user that was read. */
const userTokenPrefix = '.';

interface MembersRequest {
  selection: string;
  request: PageRequest;
  toItem(record: Record<string, unknown>): ProviderUser | undefined;
}

async function readMembers(
  graph: Graph,
  groupId: string,
  link: string | undefined,
  { selection, request, toItem }: MembersRequest,
): Promise<ProviderPage<ProviderUser>> {
  const first = `/groups/${groupId}/transitiveMembers?$select=${selection}&$top=999`;
  try {
    const { value, nextLink } = assertNoDeltaLink(await graph.readPage(link ?? first, request.signal));
    const items = new Map<string, ProviderUser>();
    for (const one of value) {
      const read = partialSchema.safeParse(one);
      if (!read.success) throw undocumented('an object without an ID');
      const item = toItem(read.data);
      if (item) items.set(item.externalId, item);
    }
    return { items: [...items.values()], listed: value.length, ...(nextLink !== undefined && { nextPageToken: nextLink }) };
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
    // The removal guard decides about a selected group that no longer exists.
    if (link === undefined) return { items: [], listed: 0 };
    throw new ProviderError('reset', 'Microsoft Graph dropped a list of members while it was being read.');
  }
}

function toUserItem(record: Record<string, unknown>): ProviderUser | undefined {
  if (!isUser(record)) return undefined;
  const read = userSchema.safeParse(record);
  if (!read.success) throw undocumented('a user');
  return toUser(read.data);
}

function toGroupItem(record: Record<string, unknown>): ProviderGroup | undefined {
  if (!isGroup(record)) return undefined;
  const read = groupSchema.safeParse(record);
  if (!read.success) throw undocumented('a group');
  return toGroup(read.data);
}

const usersPerPage = 200;

/** `users` are sorted. */
async function readSelectedUsers(graph: Graph, users: string[], after: string, signal: AbortSignal): Promise<ProviderPage<ProviderUser>> {
  const left = users.filter((id) => id > after);
  const ids = left.slice(0, usersPerPage);
  const bodies = await graph.readEach(
    ids.map((id) => `/users/${id}?$select=${userSelection}`),
    signal,
  );
  const items = bodies.flatMap((body) => {
    if (body === undefined) return [];
    const read = userSchema.safeParse(body);
    if (!read.success) throw undocumented('a user');
    return [toUser(read.data)];
  });
  return {
    items,
    listed: Math.max(1, items.length),
    ...(left.length > ids.length && { nextPageToken: `${userTokenPrefix}${ids.at(-1)!}` }),
  };
}

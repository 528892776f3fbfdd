import { apiError, groupNotFound, invalidPageToken, type FakeResponse } from './google-errors.ts';
import type { createGoogleWorld } from './google-world.ts';
import type { SortedList } from './sorted-list.ts';

export interface GoogleLists {
  respondWithUsers(query: URLSearchParams): FakeResponse;
  respondWithGroups(query: URLSearchParams): FakeResponse;
  respondWithMembers(groupKey: string, query: URLSearchParams): FakeResponse;
  /** All that were issued so far. */
  expirePageTokens(): void;
}

export function createGoogleLists({ world, lists }: ReturnType<typeof createGoogleWorld>): GoogleLists {
  const written = new WeakMap<object, string>();
  let generation = 0;

  return {
    respondWithUsers: (query) =>
      isForCustomer(query) ? respondWithPage(query, lists.users, { name: 'users', most: 500, write }) : noCustomer(),
    respondWithGroups: (query) =>
      isForCustomer(query)
        ? respondWithPage(query, lists.groups, {
            name: 'groups',
            most: 200,
            write: (group) => JSON.stringify({ ...group, ...countOf(group.id) }),
          })
        : noCustomer(),
    respondWithMembers(groupKey, query) {
      const group = world.groups.get(groupKey) ?? [...world.groups.values()].find(({ email }) => email === groupKey);
      return group
        ? respondWithPage(query, lists.membersOf(group.id), { name: 'members', most: 200, write, of: group.id })
        : groupNotFound();
    },
    expirePageTokens: () => void (generation += 1),
  };

  function respondWithPage<Item>(
    query: URLSearchParams,
    list: SortedList<Item>,
    { name, most, write: writeItem, of = '' }: { name: string; most: number; write: (item: Item) => string; of?: string },
  ): FakeResponse {
    const limit = Number(query.get('maxResults') ?? 100);
    if (!Number.isInteger(limit) || limit < 1) return apiError(400, 'invalid', 'Invalid Value', { location: 'maxResults' });
    const token = query.get('pageToken');
    const place = token === null ? { after: undefined } : readToken(token, `${name} ${of}`);
    if (!place) return invalidPageToken();
    const { items, lastKey, isLast } = list.after(place.after, Math.min(limit, most));
    const parts = [`"kind":"admin#directory#${name}"`, '"etag":"\\"etag-of-page\\""'];
    // Google omits an empty list.
    if (items.length > 0) parts.push(`"${name}":[${items.map(writeItem).join(',')}]`);
    if (!isLast) parts.push(`"nextPageToken":"${writeToken(`${name} ${of}`, lastKey!)}"`);
    return { body: `{${parts.join(',')}}` };
  }

  function write(item: object): string {
    const known = written.get(item);
    if (known !== undefined) return known;
    const text = JSON.stringify(item);
    written.set(item, text);
    return text;
  }

  function countOf(groupId: string) {
    return { directMembersCount: String(world.members.get(groupId)?.length ?? 0) };
  }

  function writeToken(list: string, after: string): string {
    return Buffer.from(JSON.stringify([generation, list, after])).toString('base64url');
  }

  function readToken(token: string, list: string): { after: string } | undefined {
    try {
      const [madeIn, madeFor, after] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [number, string, string];
      return madeIn === generation && madeFor === list ? { after } : undefined;
    } catch {
      return undefined;
    }
  }
}

const isForCustomer = (query: URLSearchParams) => query.get('customer') === 'my_customer';
const noCustomer = () => apiError(400, 'badRequest', 'Bad Request');

import type { User } from '../../../client/generated/types.ts';
import type { CallOptions, Result } from '../../../client/result.ts';
import { api } from '../../api.ts';

const pageSize = 50;

interface Wanted {
  search: string;
  state: 'active' | 'inactive' | undefined;
  cursor: string | undefined;
}

type Page = Result<User[], { next_cursor: string | null }>;

/**
 * A search finds a part of what is shown of a user. The first page begins with those that have
 * the text as their ID, or as one of their addresses.
 */
export async function findUsers(directoryId: string, { search, state, cursor }: Wanted, options: CallOptions): Promise<Page> {
  const common = { directory_id: directoryId, limit: pageSize, state };
  if (search === '') return api.users.list({ ...common, cursor }, options);
  const page = api.users.list({ ...common, search, cursor }, options);
  if (cursor !== undefined) return page;
  const [byId, byAddress, found] = await Promise.all([
    api.users.get(search, { directory_id: directoryId }, options),
    api.users.list({ ...common, email: search }, options),
    page,
  ]);
  if (found.error !== null) return found;
  const users = new Map([...(byAddress.data ?? []), ...found.data].map((user) => [user.id, user]));
  if (byId.data && (state === undefined || byId.data.state === state)) users.set(byId.data.id, byId.data);
  return { ...found, data: [...users.values()] };
}

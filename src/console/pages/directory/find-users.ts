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

/** A search compares the text with each kind of name that a user has. Each has an index. */
export async function findUsers(directoryId: string, { search, state, cursor }: Wanted, options: CallOptions): Promise<Page> {
  const common = { directory_id: directoryId, limit: pageSize, state };
  if (search === '') return api.users.list({ ...common, cursor }, options);
  const [byId, ...pages] = await Promise.all([
    api.users.get(search, { directory_id: directoryId }, options),
    api.users.list({ ...common, email: search }, options),
    api.users.list({ ...common, user_name: search }, options),
    api.users.list({ ...common, idp_id: search }, options),
  ]);
  const failed = pages.find((page) => page.error !== null);
  if (failed) return failed;
  const found = new Map(pages.flatMap((page) => page.data ?? []).map((user) => [user.id, user]));
  if (byId.data && (state === undefined || byId.data.state === state)) found.set(byId.data.id, byId.data);
  return { data: [...found.values()], error: null, status: 200, next_cursor: null };
}

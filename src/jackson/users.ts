import type { Result } from '../client/result.ts';
import type { Rollcall } from '../library/index.ts';
import { createOwnerScope, isError, type OwnerScope, type Selector } from './owner-scope.ts';
import { createErrorResponse, filterPages, orThrow, toListResponse, toResponse, type Response } from './response.ts';
import type { User } from './types.ts';
import type { Writes } from './writes.ts';

export interface Users {
  /** Later calls on this object by the same asynchronous caller, and all calls on the result, read this tenant's users. */
  setTenantAndProduct(tenant: string, product: string): Users;
  getAll(selector?: Selector): Promise<Response<User[]>>;
  get(id: string): Promise<Response<User>>;
  /** Searches all users of the directory: suitable for thousands of users, not for hundreds of thousands. */
  search(userName: string, directoryId: string): Promise<Response<User[]>>;
  /** Unlike in Polis, writes emit events. */
  create(user: Omit<User, 'id'> & { id?: string; directoryId: string }): Promise<Response<User>>;
  update(id: string, user: Omit<User, 'id'> & { id?: string }): Promise<Response<User>>;
  delete(id: string): Promise<Response<null>>;
  deleteAll(directoryId: string): Promise<void>;
}

export interface UsersDeps {
  sync: Rollcall;
  writes: Writes;
}

const notFound = 'User not found';

export function createUsers(deps: UsersDeps, owner: OwnerScope = createOwnerScope()): Users {
  const { sync, writes } = deps;
  return {
    setTenantAndProduct: (tenant, product) => createUsers(deps, owner.set(tenant, product)),

    async getAll(selector) {
      const selected = owner.select(selector);
      return isError(selected) ? selected : toListResponse(await sync.users.list(selected));
    },

    get: find,

    search(userName, directoryId) {
      const selected = owner.select({ directoryId });
      const fits = ({ email, raw }: User) => email === userName || raw['userName'] === userName;
      return isError(selected) ? Promise.resolve(selected) : filterPages<User>((page) => sync.users.list({ ...selected, ...page }), fits);
    },

    async create({ directoryId, ...user }) {
      const selected = owner.select({ directoryId, pageLimit: 1 });
      const owned = isError(selected) ? selected : toResponse(await sync.users.list(selected));
      if (owned.error) return owned;
      const created = await writes.createUser(directoryId, user);
      return created.error ? created : toResponse(await sync.users.get(created.data.id, { directoryId }));
    },

    async update(id, user) {
      const found = await find(id);
      if (found.error) return found;
      const { directoryId, id: key } = found.data;
      const updated = await writes.updateUser(directoryId, key, user);
      return updated.error ? updated : toResponse(await sync.users.get(key, { directoryId }));
    },

    async delete(id) {
      const found = await find(id);
      if (found.error) return found;
      const { error } = await writes.deleteUser(found.data.directoryId, found.data.id);
      return error ? { data: null, error } : { data: null, error: null };
    },

    async deleteAll(directoryId) {
      const selected = owner.select({ directoryId });
      if (isError(selected)) throw new Error(selected.error.message);
      await deleteEach(
        () => sync.users.list({ ...selected, pageLimit: pageOfDeletions }),
        (id) => writes.deleteUser(directoryId, id),
      );
    },
  };

  async function find(id: string): Promise<Response<User & { directoryId: string }>> {
    if (!id) return createErrorResponse(notFound, 404);
    const selected = owner.select();
    return isError(selected) ? selected : toResponse(await sync.users.get(id, selected), notFound);
  }
}

/** As many changes share a transaction. */
export const pageOfDeletions = 50;

/** Deletes the first page until there is none. Something else may delete the same resources. */
export async function deleteEach(
  list: () => Promise<Result<{ id: string }[]>>,
  remove: (id: string) => Promise<Response<unknown>>,
): Promise<void> {
  for (;;) {
    const page = orThrow(toListResponse(await list()));
    if (page.length === 0) return;
    for (const deleted of await Promise.all(page.map(({ id }) => remove(id)))) if (deleted.error?.code !== 404) orThrow(deleted);
  }
}

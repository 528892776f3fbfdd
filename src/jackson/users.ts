import type { Rollcall } from '../library/index.ts';
import { rejectWithoutOwner, withOwner, type Owner, type Selector } from './owner.ts';
import { filterPages, toResponse, type Response } from './response.ts';
import type { User } from './types.ts';

export interface Users {
  /** Returns a new view. The object it is called on does not change. */
  setTenantAndProduct(tenant: string, product: string): Users;
  getAll(selector?: Selector): Promise<Response<User[]>>;
  get(id: string): Promise<Response<User>>;
  /** Searches all users of the directory: suitable for thousands of users, not for hundreds of thousands. */
  search(userName: string, directoryId: string): Promise<Response<User[]>>;
}

export function createUsers(sync: Rollcall, owner: Owner = {}): Users {
  return {
    setTenantAndProduct: (tenant, product) => createUsers(sync, { tenant, product }),

    async getAll(selector = {}) {
      return (
        rejectWithoutOwner(owner, 'users.getAll()', selector.directoryId) ?? toResponse(await sync.users.list(withOwner(owner, selector)))
      );
    },

    async get(id) {
      return rejectWithoutOwner(owner, 'users.get(id)') ?? toResponse(await sync.users.get(id, owner));
    },

    search(userName, directoryId) {
      const isSelected = ({ email, raw }: User) => email === userName || raw['userName'] === userName;
      return filterPages<User>((page) => sync.users.list(withOwner(owner, { ...page, directoryId })), isSelected);
    },
  };
}

import type { Rollcall } from '../library/index.ts';
import { type PaginationParams, type Response, createErrorResponse, filterPages, toResponse } from './response.ts';
import type { Group, User, WebhookEventLog } from './types.ts';

export interface Groups {
  /** Returns a new view. The object it is called on does not change. */
  setTenantAndProduct(tenant: string, product: string): Groups;
  getAll(selector?: Selector): Promise<Response<Group[]>>;
  get(id: string): Promise<Response<Group>>;
  getGroupMembers(selector: { groupId: string } & PaginationParams): Promise<Response<{ user_id: string }[]>>;
  /** Searches the group's members. Returns false if the group does not exist, and throws for other errors. */
  isUserInGroup(groupId: string, userId: string): Promise<boolean>;
  /** Searches all groups of the directory. */
  search(displayName: string, directoryId: string): Promise<Response<Group[]>>;
}

export function createGroups(sync: Rollcall, owner: Owner = {}): Groups {
  return {
    setTenantAndProduct: (tenant, product) => createGroups(sync, { tenant, product }),

    async getAll(selector = {}) {
      return (
        rejectWithoutOwner(owner, 'groups.getAll()', selector.directoryId) ?? toResponse(await sync.groups.list(withOwner(owner, selector)))
      );
    },

    async get(id) {
      return rejectWithoutOwner(owner, 'groups.get(id)') ?? toResponse(await sync.groups.get(id, owner));
    },

    async getGroupMembers({ groupId, ...page }) {
      return (
        rejectWithoutOwner(owner, 'groups.getGroupMembers({ groupId })') ??
        toResponse(await sync.groups.members(groupId, withOwner(owner, page)))
      );
    },

    async isUserInGroup(groupId, userId) {
      const { data, error } =
        rejectWithoutOwner(owner, 'groups.isUserInGroup(groupId, userId)') ??
        (await filterPages<{ user_id: string }>(
          (page) => sync.groups.members(groupId, withOwner(owner, page)),
          (member) => member.user_id === userId,
        ));
      // A failed lookup must not be read as "not a member".
      if (error && error.code !== 404) throw new Error(error.message);
      return data !== null && data.length > 0;
    },

    search(displayName, directoryId) {
      return filterPages<Group>(
        (page) => sync.groups.list(withOwner(owner, { ...page, directoryId })),
        ({ name }) => name === displayName,
      );
    },
  };
}

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

export interface WebhookLogs {
  /** Returns a new view. The object it is called on does not change. */
  setTenantAndProduct(tenant: string, product: string): WebhookLogs;
  getAll(selector?: Selector): Promise<Response<WebhookEventLog[]>>;
  /** Throws if the event cannot be read. */
  get(id: string): Promise<WebhookEventLog>;
  deleteAll(directoryId: string): Promise<void>;
}

export function createWebhookLogs(sync: Rollcall, owner: Owner = {}): WebhookLogs {
  return {
    setTenantAndProduct: (tenant, product) => createWebhookLogs(sync, { tenant, product }),

    async getAll(selector = {}) {
      return (
        rejectWithoutOwner(owner, 'webhookLogs.getAll()', selector.directoryId) ??
        toResponse(await sync.webhookEvents.list(withOwner(owner, selector)))
      );
    },

    async get(id) {
      return orThrow(rejectWithoutOwner(owner, 'webhookLogs.get(id)') ?? toResponse(await sync.webhookEvents.get(id, owner)));
    },

    async deleteAll(directoryId) {
      // The list checks ownership: a view must not delete the log of another owner's directory.
      if (owner.tenant !== undefined)
        orThrow(toResponse(await sync.webhookEvents.list({ ...withOwner(owner, { directoryId }), pageLimit: 1 })));
      orThrow(toResponse(await sync.webhookEvents.delete({ directoryId })));
    },
  };
}

function orThrow<Data>(response: Response<Data>): Data {
  if (response.error) throw new Error(response.error.message);
  return response.data;
}

/** The tenant and product that a view is limited to. */
interface Owner {
  tenant?: string;
  product?: string;
}

interface Selector extends PaginationParams {
  directoryId?: string | undefined;
}

/** Limits a request to what the view's owner has. */
const withOwner = (owner: Owner, { directoryId, pageOffset, pageLimit }: Selector) => ({
  ...owner,
  ...(directoryId !== undefined && { directoryId }),
  ...(pageOffset !== undefined && { pageOffset }),
  ...(pageLimit !== undefined && { pageLimit }),
});

/**
 * Polis keeps tenant and product on an object that all callers share. Here, only the result of `setTenantAndProduct` is limited to them.
 */
function rejectWithoutOwner(owner: Owner, call: string, directoryId?: string): Response<never> | undefined {
  if (owner.tenant !== undefined || directoryId !== undefined) return undefined;
  const [area, method] = call.split('.');
  return createErrorResponse(
    `${call} requires a tenant and a product: call it on the result of setTenantAndProduct, ` +
      `for example ${area}.setTenantAndProduct('acme', 'crm').${method}.`,
  );
}

// Generated from the OpenAPI document by `npm run client`.
/** One connection of a tenant. */
export interface Directory {
  id: string;
  name: string;
  type: 'okta-scim-v2' | 'google';
  scim: {
    endpoint: string;
    secret: string;
  };
  webhook: {
    endpoint: string;
    secret: string;
  };
}

/** A new directory. */
export interface DirectoryCreation {
  /** Whose it is. */
  tenant: string;
  product: string;
  type?: 'okta-scim-v2' | 'google' | undefined;
  name?: string | undefined;
  webhook_url?: string | undefined;
}

export interface User {
  id: string;
  email: string;
  active: boolean;
  raw: Record<string, unknown>;
}

export interface Failure {
  data: null;
  error: {
    code: 'not_found' | 'invalid_request';
    message: string;
    field?: string;
  };
}

export interface Event {
  event: string;
  sequence: number;
  directory_id: string;
  data: Record<string, unknown> | null;
}

/** What `directories.list` takes. */
export interface DirectoriesListQuery {
  /** The tenant. */
  tenant: string;
  /** The product. */
  product: string;
  /** The pageLimit. */
  pageLimit?: number | undefined;
}

/** What `deliveries.state` answers. */
export interface DeliveriesStateData {
  status: string;
  backlog: number;
}

/** What `users.list` takes. */
export interface UsersListQuery {
  /** The tenant. */
  tenant?: string | undefined;
  /** The product. */
  product?: string | undefined;
  /** The directoryId. */
  directoryId?: string | undefined;
}

/** What `groups.members` takes. */
export interface GroupsMembersQuery {
  /** The tenant. */
  tenant?: string | undefined;
  /** The product. */
  product?: string | undefined;
  /** The directoryId. */
  directoryId?: string | undefined;
}

/** What `groups.members` answers. */
export interface GroupsMembersItem {
  user_id: string;
}

/** What `events.list` takes. */
export interface EventsListQuery {
  /** The directoryId. */
  directoryId?: string | undefined;
  /** The events. */
  events?: string | string[] | undefined;
  /** The after. */
  after?: string | undefined;
  /** The wait. */
  wait?: number | undefined;
}

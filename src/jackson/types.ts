import type { Directory as ClientDirectory, WebhookEvent } from '../client/index.ts';

/**
 * `rollcall.directories` also shows the health of a directory, and warnings. With SECRETS_SHOWN_ONCE, secrets that exist already are empty.
 * Polis does not know the types `entra` and `csv`: directories of these types, which the JSON API created, have them all the same.
 */
export type Directory = Omit<ClientDirectory, 'type' | 'warnings' | 'scim' | 'webhook' | 'google_access_token' | 'google_refresh_token'> & {
  type: Exclude<ClientDirectory['type'], 'entra' | 'csv'>;
  scim: Pick<ClientDirectory['scim'], 'path' | 'endpoint'> & { secret: string };
  webhook: Pick<ClientDirectory['webhook'], 'endpoint'> & { secret: string };
  google_access_token?: string | undefined;
  google_refresh_token?: string | undefined;
};

// The types of raw documents are as loose as in Polis: applications read attributes of them that only their providers know.
/* oxlint-disable typescript/no-explicit-any */

export interface User {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  active: boolean;
  roles?: any[];
  raw?: any;
}

export interface Group {
  id: string;
  name: string;
  raw?: any;
}

export interface DirectorySyncRequest {
  method: string;
  body: any;
  directoryId: string;
  /** `Users` or `Groups`, in any case. */
  resourceType: string;
  resourceId: string | undefined;
  apiSecret: string | null;
  query: { count?: number; startIndex?: number; filter?: string; includeMembers?: boolean };
}

export interface DirectorySyncResponse {
  status: number;
  /** A resource, a list or an error; an empty object where SCIM sends no body. */
  data?: any;
}

/* oxlint-enable typescript/no-explicit-any */

export type UserWithGroup = User & { group: Group };

export interface GroupMembership {
  id: string;
  group_id: string;
  user_id: string;
}

/** Those of Polis. Only a directory with `user_state_events` tells others: `user.deactivated` and `user.reactivated`. */
export type DirectorySyncEventType =
  | 'user.created'
  | 'user.updated'
  | 'user.deleted'
  | 'group.created'
  | 'group.updated'
  | 'group.deleted'
  | 'group.user_added'
  | 'group.user_removed';

export type DirectorySyncEventData = User | Group | UserWithGroup;

export interface DirectorySyncEvent {
  event: DirectorySyncEventType;
  tenant: string;
  product: string;
  directory_id: string;
  data: DirectorySyncEventData;
  /** Rollcall's events have an ID, a position among those of their directory, and a time. */
  id?: string | undefined;
  sequence?: number | undefined;
  occurred_at?: string | undefined;
  /** Why it was emitted, and what an update changed. */
  reason?: string | null | undefined;
  changes?: string[] | null | undefined;
  previous_attributes?: Record<string, unknown> | null | undefined;
}

export type EventCallback = (event: DirectorySyncEvent) => Promise<void>;

export type WebhookEventLog = Omit<WebhookEvent, 'payload'> & { payload: DirectorySyncEvent | DirectorySyncEvent[] };

import type { DirectoryType } from './directory-types.ts';

/** A directory, in the ancestor's words. */
export interface Directory {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: DirectoryType;
  log_webhook_events: boolean;
  scim: { path: string; endpoint?: string; secret: string };
  webhook: { endpoint: string; secret: string };
  deactivated?: boolean;
  google_access_token?: string;
  google_refresh_token?: string;
  google_authorization_url?: string;
}

export interface User {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  active: boolean;
  roles?: string[];
  raw: Record<string, unknown>;
}

export interface Group {
  id: string;
  name: string;
  raw: Record<string, unknown>;
}

export type DirectorySyncEventType =
  | 'user.created'
  | 'user.updated'
  | 'user.deleted'
  | 'group.created'
  | 'group.updated'
  | 'group.deleted'
  | 'group.user_added'
  | 'group.user_removed';

export interface DirectorySyncEvent {
  event: DirectorySyncEventType;
  tenant: string;
  product: string;
  directory_id: string;
  data: User | Group | (User & { group: Group });
  /** These three the ancestor does not have. */
  id: string;
  sequence: number;
  occurred_at: string;
}

export type EventCallback = (event: DirectorySyncEvent) => Promise<void>;

export interface DirectorySyncRequest {
  method: string;
  body: unknown;
  directoryId: string;
  /** `Users` or `Groups`, in whatever case. */
  resourceType: string;
  resourceId: string | undefined;
  apiSecret: string | null;
  query: { count?: number; startIndex?: number; filter?: string };
}

export interface DirectorySyncResponse {
  status: number;
  // As loose as the ancestor's: a resource, a list, an error, or nothing.
  // oxlint-disable-next-line typescript/no-explicit-any
  data?: any;
}

export interface WebhookEventLog {
  id: string;
  webhook_endpoint: string;
  created_at: string;
  status_code?: number;
  delivered?: boolean;
  payload: DirectorySyncEvent | DirectorySyncEvent[];
}

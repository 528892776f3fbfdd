import type { Group, User } from '../client/index.ts';

export type { Directory, Group, User, WebhookEvent as WebhookEventLog } from '../client/index.ts';

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
  data?: unknown;
}

import type { RollcallEvent } from '../library/index.ts';

export type { Directory, Group, User, WebhookEvent as WebhookEventLog } from '../client/index.ts';

export type DirectorySyncEvent = RollcallEvent;
export type DirectorySyncEventType = RollcallEvent['event'];

export type EventCallback = (event: DirectorySyncEvent) => Promise<void>;

export interface DirectorySyncRequest {
  method: string;
  body: unknown;
  directoryId: string;
  /** `Users` or `Groups`, in any case. */
  resourceType: string;
  resourceId: string | undefined;
  apiSecret: string | null;
  query: { count?: number; startIndex?: number; filter?: string };
}

export interface DirectorySyncResponse {
  status: number;
  // The type is as loose as in Polis: a resource, a list, an error, or nothing.
  data?: unknown;
}

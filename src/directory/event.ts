import type { Directory } from './directory.ts';
import type { GroupProfile } from './group.ts';
import type { UserProfile } from './user.ts';

export const eventTypes = [
  'user.created',
  'user.updated',
  'user.deleted',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.user_added',
  'group.user_removed',
] as const;
export type EventType = (typeof eventTypes)[number];

/** A change as the domain tells it; the store gives it its id, its place and its time, and looks up a user it only names. */
export type NewEvent = { type: EventType } & (
  { data: Record<string, unknown> } | { userId: string; user?: UserProfile; group: GroupProfile }
);

export interface DirectoryEvent {
  type: EventType;
  /** Null when nobody was to get it any more. */
  data: Record<string, unknown> | null;
  id: string;
  sequence: number;
  occurredAt: Date;
}

/** Events of one directory, in their order. */
export interface ToldEvents {
  directory: Pick<Directory, 'id' | 'tenant' | 'product'>;
  events: DirectoryEvent[];
}

/** The body of a webhook. The first five keys are the ancestor's. */
export function toEventPayload(directory: Pick<Directory, 'id' | 'tenant' | 'product'>, event: DirectoryEvent) {
  return {
    event: event.type,
    tenant: directory.tenant,
    product: directory.product,
    directory_id: directory.id,
    data: event.data,
    id: event.id,
    sequence: event.sequence,
    occurred_at: event.occurredAt.toISOString(),
  };
}

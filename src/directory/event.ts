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
  | { data: Record<string, unknown> }
  | { userId: string; user: UserProfile; group: GroupProfile }
  /** As many events, one after the other. A group may lose 100,000 members at once. */
  | { userIds: string[]; group: GroupProfile }
);

export const countEvents = (events: NewEvent[]): number =>
  events.reduce((sum, event) => sum + ('userIds' in event ? event.userIds.length : 1), 0);

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

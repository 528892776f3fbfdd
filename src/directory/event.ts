import { publicDirectoryId } from './directories/former-ids.ts';
import type { Directory } from './directories/directory.ts';
import type { GroupProfile } from './resources/group.ts';
import type { UserProfile } from './resources/user.ts';

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

/** An event before it is stored. The store adds its ID, sequence and time, and the profiles of `userIds`. */
export type NewEvent = { type: EventType } & (
  | { data: Record<string, unknown> }
  | { userId: string; user: UserProfile; group: GroupProfile }
  /** One event per user. One change may remove 100,000 members of a group. */
  | { userIds: string[]; group: GroupProfile }
);

export const countEvents = (events: NewEvent[]): number =>
  events.reduce((sum, event) => sum + ('userIds' in event ? event.userIds.length : 1), 0);

export interface DirectoryEvent {
  type: EventType;
  /** Null if the body was deleted after delivery. */
  data: Record<string, unknown> | null;
  id: string;
  sequence: number;
  occurredAt: Date;
}

/** Events of one directory, in order. */
export interface EmittedEvents {
  directory: Pick<Directory, 'id' | 'tenant' | 'product'>;
  events: DirectoryEvent[];
}

/** An event as webhooks and the API show it. The first five keys are those of Polis. */
export function toEventPayload(directory: Pick<Directory, 'id' | 'tenant' | 'product'>, event: DirectoryEvent) {
  return {
    event: event.type,
    tenant: directory.tenant,
    product: directory.product,
    directory_id: publicDirectoryId(directory),
    data: event.data,
    id: event.id,
    sequence: event.sequence,
    occurred_at: event.occurredAt.toISOString(),
  };
}

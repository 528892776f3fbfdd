import { publicDirectoryId } from './directories/former-ids.ts';
import type { Directory } from './directories/directory.ts';
import type { GroupProfile } from './resources/group.ts';
import { toResourceKey } from './resources/resource-ids.ts';
import type { UserProfile } from './resources/user.ts';

export const eventTypes = [
  'user.created',
  'user.updated',
  'user.deleted',
  'user.deactivated',
  'user.reactivated',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.user_added',
  'group.user_removed',
] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * What caused an event: a request of the identity provider, a sync, an import that announces what it writes, an erasure, a setting of the
 * directory, a mapping of attributes, the deletion of the directory, or, of a delivery, a replay.
 */
export const eventReasons = ['scim', 'sync', 'import', 'erasure', 'setting', 'mapping', 'deletion', 'replay'] as const;
export type EventReason = (typeof eventReasons)[number];
/** What is stored with an event. */
export type EventCause = Exclude<EventReason, 'replay'>;

/** An event before it is stored. The store adds its ID, sequence and time, and the profiles of `userIds`. `data` may have `StoredFacts`. */
export type NewEvent = { type: EventType; reason: EventCause } & (
  | { data: Record<string, unknown> }
  | { userId: string; user: UserProfile; group: GroupProfile }
  /** One event per user. One change may remove 100,000 members of a group. */
  | { userIds: string[]; group: GroupProfile }
);

export const countEvents = (events: NewEvent[]): number =>
  events.reduce((sum, event) => sum + ('userIds' in event ? event.userIds.length : 1), 0);

/**
 * What is stored in an event's data but shown beside it: an application may store `data` as it is. They are part of the body, so they count as
 * its bytes, and are deleted with it. Events of previous releases have none.
 */
interface StoredFacts {
  reason?: EventCause;
  /** Of an update only. */
  previous_attributes?: Record<string, unknown>;
}

export interface DirectoryEvent {
  type: EventType;
  /** Null if the body was deleted after delivery. */
  data: (Record<string, unknown> & StoredFacts) | null;
  id: string;
  sequence: number;
  occurredAt: Date;
}

const ofGroups = new Set<string>(['group.created', 'group.updated', 'group.deleted']);

/** The key of the user that an event is about, if it is about one. */
export function toUserKey({ type, data }: { type: string; data: Record<string, unknown> }): string | undefined {
  const { id } = data;
  return ofGroups.has(type) || typeof id !== 'string' ? undefined : toResourceKey(id);
}

/** Events of one directory, in order. */
export interface EmittedEvents {
  directory: Pick<Directory, 'id' | 'tenant' | 'product'>;
  events: DirectoryEvent[];
}

/** An event as webhooks and the API show it. The first five keys are those of Polis. `reason` replaces the stored one. */
export function toEventPayload(
  directory: Pick<Directory, 'id' | 'tenant' | 'product'>,
  event: DirectoryEvent,
  { reason }: { reason?: EventReason } = {},
) {
  const { reason: cause = null, previous_attributes: previous = null, ...data } = { ...event.data };
  return {
    event: event.type,
    tenant: directory.tenant,
    product: directory.product,
    directory_id: publicDirectoryId(directory),
    data: event.data && (data as Record<string, unknown>),
    id: event.id,
    sequence: event.sequence,
    occurred_at: event.occurredAt.toISOString(),
    reason: reason ?? cause,
    ...(isUpdate(event.type) && { changes: previous && Object.keys(previous).sort(), previous_attributes: previous }),
  };
}

/** `user.deactivated` and `user.reactivated` replace `user.updated` in directories that ask for it. */
export type UserUpdate = 'user.updated' | 'user.deactivated' | 'user.reactivated';

const updates = new Set<EventType>(['user.updated', 'user.deactivated', 'user.reactivated', 'group.updated']);
const isUpdate = (type: EventType) => updates.has(type);
